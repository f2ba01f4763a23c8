package markdown

import (
	"strings"
	"unicode/utf8"
)

// PartBytes is the usual size of a part in bytes: about what a window shows, because the
// parts above it are not drawn.
const PartBytes = 4 << 10

// Further sizes in bytes.
const (
	listBytes  = 16 << 10 // of a part that may end within a list
	fenceBytes = 12 << 10 // of a part that is a single code block
	tableBytes = 12 << 10 // of a part that is a single table
	maxPart    = 32 << 10 // of a part whose block does not end
	maxFence   = 200      // of the opening fence line, which is repeated
	maxHead    = 2 << 10  // of the head of a table, which is repeated
	maxLinks   = 4 << 10  // of the link definitions, which every part repeats
)

// Part is a part of a long text that is drawn on its own.
type Part struct {
	Text string // may repeat the fence, table head or links of other parts
	Edges
}

// Edges describes how a part of a long text joins the others.
type Edges struct {
	head  int  // bytes at the start that repeat earlier text
	tail  int  // bytes at the end that the model did not write
	Joins bool // continues the block of the previous part, without a blank line
	Plain bool // a piece of a line that is too long to be drawn as Markdown
}

// Own returns the bytes of the text that the model wrote.
func (e Edges) Own(text string) string { return text[e.head : len(text)-e.tail] }

// Own returns the text that the model wrote.
func (p Part) Own() string { return p.Edges.Own(p.Text) }

// Parts splits a long text at blank lines between blocks. It splits a block
// that is too long between lines and repeats the opening fence of code and the head
// of tables. Every part gets the definitions of all links.
func Parts(text string) []Part {
	var parts []Part
	var c Cutter
	head, at := "", 0
	for {
		window := head + text[at:min(at+2*maxPart, len(text))] // the part ends within it
		p, rest, ok := c.Next(window)
		if !ok {
			return withLinks(append(parts, c.Last(window)))
		}
		parts = append(parts, p)
		head, at = rest[:c.head], at+len(p.Own())
	}
}

// Cutter splits a growing text. The result does not depend on the pieces in which the
// text arrives. The zero value is ready for a new text.
type Cutter struct {
	Edges         // of the open part, the last one
	at     int    // the offset of the first unread line
	opened int    // the offset of the open code block or table
	fence  string // the opening line of the open code block; empty outside code
	table  string // the first two lines of the open table; empty outside tables
	before string // the previous line, which may be the first of a table
	blank  bool   // the previous line is blank
}

// Next returns the open part and the text from the next part on. text starts with the
// open part. ok is false if the open part has not ended.
func (c *Cutter) Next(text string) (p Part, rest string, ok bool) {
	if len(text) <= PartBytes && !c.Plain {
		return Part{}, "", false
	}
	for {
		n := strings.IndexByte(text[c.at:], '\n')
		if n < 0 {
			if len(text) <= maxPart {
				return Part{}, "", false
			}
			return c.hard(text)
		}
		end := c.at + n + 1
		if end > maxPart {
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
		case c.blank && c.begins(line):
			return c.cut(text, c.at, "", "")
		}
		c.readLine(line, bare)
		if c.at = end; c.Plain { // the long line is over
			return c.cut(text, end, "", "")
		}
	}
}

// begins reports whether a line after a blank one may be the first of a part: it belongs
// to no block before it. The items of a list stay together, as far as the part is not too
// long.
func (c *Cutter) begins(line string) bool {
	switch {
	case c.at < PartBytes || strings.TrimLeft(line, " \t\r") == "" || line[0] == ' ' || line[0] == '\t':
		return false
	case c.at >= listBytes:
		return true
	}
	return !strings.ContainsRune("-*+0123456789", rune(line[0]))
}

// readLine reads a line, which may start or end code or a table.
func (c *Cutter) readLine(line, bare string) {
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
	case c.fence == "" && c.table == "" && strings.Contains(c.before, "|") && delimits(bare) && len(c.before)+len(line) < maxHead:
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
func (c *Cutter) hard(text string) (Part, string, bool) {
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
	p.Plain = p.Plain || within
	c.Plain, c.Joins = within, !table
	return p, rest, ok
}

// cut ends the open part at an offset and appends tail to it. The next part starts
// with head.
func (c *Cutter) cut(text string, at int, tail, head string) (Part, string, bool) {
	p := Part{text[:at] + tail, c.Edges}
	p.tail = len(tail)
	*c = Cutter{Edges: Edges{head: len(head)}, at: len(head)}
	if head != "" {
		if _, fenced := fenceMark(head); fenced {
			c.fence = strings.TrimSuffix(head, "\n")
		} else {
			c.table = head
		}
	}
	return p, head + text[at:], true
}

// Last returns text as the last part.
func (c *Cutter) Last(text string) Part { return Part{text, c.Edges} }

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
func withLinks(parts []Part) []Part {
	if len(parts) == 1 {
		return parts
	}
	links := ""
	for _, p := range parts {
		for line := range strings.Lines(p.Own()) {
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
		if p.Plain {
			continue
		}
		text := strings.TrimRight(p.Text, "\n")
		parts[i].Text = p.Text + "\n\n"[:2-min(2, len(p.Text)-len(text))] + links
		parts[i].tail += len(parts[i].Text) - len(p.Text)
	}
	return parts
}
