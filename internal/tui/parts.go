package tui

import (
	"strings"

	"agent/internal/tui/ink"
)

// How much of a text is drawn at once. What is longer would take more than a
// frame's time.
const (
	partBytes   = 16 << 10  // of an answer: a longer one is a row for each part
	fenceBytes  = 64 << 10  // of an answer that is code all through
	closedBytes = 8 << 10   // of a prompt that is closed
	openBytes   = 128 << 10 // of anything that is open
	wholeBytes  = 1 << 20   // of anything that is to be shown whole
)

// limit is how many bytes of a text are drawn that is open.
func (c canvas) limit() int {
	if c.whole {
		return wholeBytes
	}
	return openBytes
}

// left says how many lines are left out, if any are.
func (c canvas) left(lines int) []string {
	if lines == 0 {
		return nil
	}
	return []string{c.st.Dim.Render(ink.Truncate("… "+count(lines, "more line"), c.inner()))}
}

// markdownParts cuts a long text where a blank line ends a paragraph, a list or
// a table. Every part has the definitions of all links.
func markdownParts(text string) []string {
	if len(text) <= partBytes+partBytes/2 {
		return []string{text}
	}
	var parts []string
	from, at, fence, blank := 0, 0, "", false
	cut := func(tail, head string) {
		parts = append(parts, text[from:at]+tail)
		text = head + text[at:]
		from, at = 0, len(head)
	}
	for at < len(text) {
		line, _, _ := strings.Cut(text[at:], "\n")
		bare := strings.TrimSpace(line)
		switch {
		case fence == "" && blank && at-from >= partBytes && bare != "" && line[0] != ' ' && line[0] != '\t':
			cut("", "")
		case fence != "" && at-from >= fenceBytes:
			mark, _ := fenceMark(fence)
			cut(mark+"\n", fence+"\n")
		}
		switch mark, ok := fenceMark(bare); {
		case fence == "" && ok:
			fence = bare
		case fence != "" && ok && bare == mark:
			if open, _ := fenceMark(fence); strings.HasPrefix(mark, open) {
				fence = ""
			}
		}
		blank = bare == ""
		at = min(at+len(line)+1, len(text))
	}
	parts = append(parts, text[from:])
	return withLinks(parts)
}

// fenceMark returns the marks that begin or end a block of code.
func fenceMark(line string) (string, bool) {
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)], true
		}
	}
	return "", false
}

// withLinks gives every part the definitions of links that others have.
func withLinks(parts []string) []string {
	links := ""
	for _, p := range parts {
		for line := range strings.Lines(p) {
			if name, url, ok := strings.Cut(line, "]: "); ok && strings.HasPrefix(name, "[") && url != "" {
				links += strings.TrimSpace(line) + "\n"
			}
		}
	}
	if links == "" || len(links) > partBytes {
		return parts
	}
	for i, p := range parts {
		parts[i] = strings.TrimRight(p, "\n") + "\n\n" + links
	}
	return parts
}

// head is the beginning of a text that has about n bytes, and how many lines
// follow it.
func head(text string, n int) (string, int) {
	if len(text) <= n {
		return text, 0
	}
	if i := strings.LastIndexByte(text[:n], '\n'); i > n/2 {
		n = i
	}
	return strings.ToValidUTF8(text[:n], ""), 1 + strings.Count(text[n:], "\n")
}

// tail is the end of a text, of about n bytes.
func tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-n:], "")
}
