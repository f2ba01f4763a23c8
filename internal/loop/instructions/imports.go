package instructions

import (
	"path/filepath"
	"regexp"
	"strings"
)

// mention matches @PATH at the start of a line or after a blank.
var mention = regexp.MustCompile(`(?:^|\s)@([^\s@]+)`)

// imports returns the paths that a text imports with @PATH outside code spans
// and code blocks, in order and as written.
func imports(text string) []string {
	var out []string
	for _, paragraph := range prose(text) {
		for _, m := range mention.FindAllStringSubmatch(withoutSpans(paragraph), -1) {
			if path := strings.TrimRight(m[1], `.,;:!?)]}"'*_`); path != "" {
				out = append(out, path)
			}
		}
	}
	return out
}

// prose returns the paragraphs of a Markdown text that are not in fenced code.
func prose(text string) []string {
	var all []string
	var b strings.Builder
	end := func() {
		all = append(all, b.String())
		b.Reset()
	}
	open := "" // the fence of the current code block
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		inner := strings.TrimLeft(line, " \t>")
		fence := fenceOf(inner)
		switch {
		case open != "" && strings.HasPrefix(fence, open) && strings.TrimSpace(inner[len(fence):]) == "":
			open = ""
		case open != "":
		case fence != "" && !(fence[0] == '`' && strings.Contains(inner[len(fence):], "`")):
			open = fence
			end()
		case strings.TrimSpace(inner) == "":
			end()
		default:
			b.WriteString(line + "\n")
		}
	}
	end()
	return all
}

// fenceOf returns the backticks or tildes with which a line begins or ends fenced
// code; empty if it does neither.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// withoutSpans replaces the code spans of a paragraph with blanks.
func withoutSpans(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '`')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		rest := strings.TrimLeft(text[i:], "`")
		marks := text[i : len(text)-len(rest)]
		if end := spanEnd(rest, marks); end >= 0 {
			b.WriteString("x") // a path directly after a span is not an import
			text = rest[end+len(marks):]
			continue
		}
		b.WriteString(marks)
		text = rest
	}
}

// spanEnd returns the index in text of the run of backticks that is exactly marks;
// -1 if there is none.
func spanEnd(text, marks string) int {
	for i := 0; i < len(text); {
		j := strings.IndexByte(text[i:], '`')
		if j < 0 {
			return -1
		}
		i += j
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if n == len(marks) {
			return i
		}
		i += n
	}
	return -1
}

// target returns the absolute path of an import in a file of dir. Explicit is set
// if the import can only be meant as a file: then a missing one is reported.
func target(path, dir, home string) (abs string, explicit bool) {
	switch {
	case strings.HasPrefix(path, "~/") && home != "":
		return filepath.Join(home, filepath.FromSlash(path[2:])), true
	case filepath.IsAbs(path):
		return filepath.Clean(path), true
	}
	explicit = strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || strings.HasSuffix(path, ".md")
	return filepath.Join(dir, filepath.FromSlash(path)), explicit
}
