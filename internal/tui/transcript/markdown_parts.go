package transcript

import (
	"strings"
	"unicode/utf8"
)

// Sizes of the parts of an answer in bytes. Drawing a longer part would take more
// than a frame.
const (
	partBytes  = 16 << 10 // of a part; a longer answer has one row per part
	fenceBytes = 12 << 10 // of a part that is a single code block
	tableBytes = 12 << 10 // of a part that is a single table
	maxPart    = 32 << 10 // of a part whose block does not end
	maxFence   = 200      // of the opening fence line, which is repeated
	maxLinks   = 4 << 10  // of the link definitions, which every part repeats
)

// part is the part of a long answer that one row shows.
type part struct {
	text string
	edges
}

// edges describes how a part of a long answer joins the others.
type edges struct {
	head  int  // bytes at the start that repeat earlier text
	tail  int  // bytes at the end that the model did not write
	joins bool // continues the block of the previous part, without a blank line
	plain bool // a piece of a line that is too long to be drawn as Markdown
}

// own returns the bytes of the text that the model wrote.
func (e edges) own(text string) string { return text[e.head : len(text)-e.tail] }

// own returns the text that the model wrote.
func (p part) own() string { return p.edges.own(p.text) }

// markdownParts splits a long text at blank lines between blocks. It splits a block
// that is too long between lines and repeats the opening fence of code and the head
// of tables. Every part gets the definitions of all links.
func markdownParts(text string) []part {
	var parts []part
	var c cutter
	head, at := "", 0
	for {
		window := head + text[at:min(at+2*maxPart, len(text))] // the part ends within it
		p, rest, ok := c.next(window)
		if !ok {
			return withLinks(append(parts, c.last(window)))
		}
		parts = append(parts, p)
		head, at = rest[:c.head], at+len(p.own())
	}
}

// cutter splits a growing text. The result does not depend on the pieces in which the
// text arrives. The zero value is ready for a new text.
type cutter struct {
	edges         // of the open part, the last one
	at     int    // the offset of the first unread line
	opened int    // the offset of the open code block or table
	soft   int    // the offset where the open part may end; 0 for none
	fence  string // the opening line of the open code block; empty outside code
	table  string // the first two lines of the open table; empty outside tables
	before string // the previous line, which may be the first of a table
	blank  bool   // the previous line is blank
}

// next returns the open part and the text from the next part on. text starts with the
// open part. ok is false if the open part has not ended.
func (c *cutter) next(text string) (p part, rest string, ok bool) {
	if len(text) <= tableBytes && !c.plain {
		return part{}, "", false
	}
	for {
		if c.soft > 0 && len(text) > partBytes+partBytes/2 {
			return c.cut(text, c.soft, "", "")
		}
		n := strings.IndexByte(text[c.at:], '\n')
		if n < 0 {
			if len(text) <= maxPart || c.soft > 0 {
				return part{}, "", false
			}
			return c.hard(text)
		}
		end := c.at + n + 1
		if end > maxPart && c.soft == 0 {
			return c.hard(text)
		}
		line := text[c.at : end-1]
		bare := strings.TrimSpace(line)
		switch {
		case c.fence != "":
			if c.at-c.opened >= fenceBytes {
				return c.hard(text)
			}
		case c.table != "":
			if c.at-c.opened >= tableBytes && bare != "" {
				return c.hard(text)
			}
		case c.soft == 0 && c.blank && c.at >= partBytes && bare != "" && line[0] != ' ' && line[0] != '\t':
			c.soft = c.at
		}
		c.take(line, bare)
		if c.at = end; c.plain { // the long line is over
			return c.cut(text, end, "", "")
		}
	}
}

// take reads a line, which may start or end code or a table.
func (c *cutter) take(line, bare string) {
	mark, ok := fenceMark(bare)
	switch {
	case c.fence == "" && ok:
		if c.fence, c.opened = bare, c.at; len(bare) > maxFence {
			c.fence = mark
		}
	case c.fence != "" && ok && bare == mark:
		if open, _ := fenceMark(c.fence); strings.HasPrefix(mark, open) {
			c.fence = ""
		}
	case c.fence == "" && bare == "":
		c.table = ""
	case c.fence == "" && c.table == "" && strings.Contains(c.before, "|") && delimits(bare) && len(c.before)+len(line) < partBytes/8:
		c.table, c.opened = c.before+"\n"+line+"\n", c.at
	}
	c.before, c.blank = line, bare == ""
}

// delimits reports whether a line is the delimiter row of a table.
func delimits(bare string) bool {
	return strings.Contains(bare, "-") && strings.Trim(bare, "|:- \t") == ""
}

// hard ends an open part that is too long before its last line, or within its only
// line.
func (c *cutter) hard(text string) (part, string, bool) {
	at, tail, head := c.at, "", ""
	within := at == c.head
	if within {
		for at = maxPart; !utf8.RuneStart(text[at]); {
			at--
		}
	}
	switch {
	case c.fence != "":
		mark, _ := fenceMark(c.fence)
		tail, head = mark+"\n", c.fence+"\n"
		if within {
			tail = "\n" + tail
		}
		within = false
	case c.table != "" && !within:
		head = c.table
	}
	table := c.table != ""
	p, rest, ok := c.cut(text, at, tail, head)
	p.plain = p.plain || within
	c.plain, c.joins = within, !table
	return p, rest, ok
}

// cut ends the open part at an offset and appends tail to it. The next part starts
// with head.
func (c *cutter) cut(text string, at int, tail, head string) (part, string, bool) {
	p := part{text[:at] + tail, c.edges}
	p.tail = len(tail)
	*c = cutter{edges: edges{head: len(head)}, at: len(head)}
	if head != "" {
		if _, fenced := fenceMark(head); fenced {
			c.fence = strings.TrimSuffix(head, "\n")
		} else {
			c.table = head
		}
	}
	return p, head + text[at:], true
}

// last returns text as the last part.
func (c *cutter) last(text string) part { return part{text, c.edges} }

// fenceMark returns the marks of a line that opens or closes a code block.
func fenceMark(line string) (string, bool) {
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)], true
		}
	}
	return "", false
}

// withLinks appends all link definitions to every part, unless they are too long.
func withLinks(parts []part) []part {
	if len(parts) == 1 {
		return parts
	}
	links := ""
	for _, p := range parts {
		for line := range strings.Lines(p.own()) {
			if name, url, ok := strings.Cut(line, "]: "); ok && strings.HasPrefix(name, "[") && url != "" {
				links += strings.TrimSpace(line) + "\n"
			}
			if len(links) > maxLinks {
				return parts
			}
		}
	}
	if links == "" {
		return parts
	}
	for i, p := range parts {
		if p.plain {
			continue
		}
		text := strings.TrimRight(p.text, "\n")
		parts[i].text = p.text + "\n\n"[:2-min(2, len(p.text)-len(text))] + links
		parts[i].tail += len(parts[i].text) - len(p.text)
	}
	return parts
}
