package offline

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
)

const maxWidth = 200 // maximum runes of a line in an answer

// page is the result of the read tool.
type page struct {
	first int      // number of the first line
	lines []string // of the file
	notes string   // the tool's remarks about them
}

// numbered separates the numbered lines of a page from the tool's notes.
func numbered(text string) page {
	var p page
	var notes []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		number, content, _ := strings.Cut(strings.TrimLeft(line, " "), "\t")
		n, _ := strconv.Atoi(number) // 0 for a note
		switch {
		case n > 0 && len(p.lines) == 0:
			p.first, p.lines = n, []string{content}
		case n > 0 && n == p.first+len(p.lines):
			p.lines = append(p.lines, content)
		case strings.TrimSpace(line) != "":
			notes = append(notes, strings.TrimSpace(line))
		}
	}
	p.notes = strings.Join(notes, "\n")
	return p
}

// code returns s as inline code on one line.
func code(s string) string {
	s = clip(strings.Join(strings.Split(s, "\n"), "⏎"), maxWidth)
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	return ticks + " " + s + " " + ticks
}

// block returns text as a fenced block with long lines truncated.
func block(language, text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = clip(l, maxWidth)
	}
	ticks := strings.Repeat("`", max(3, longestRun(text)+1))
	return ticks + language + "\n" + strings.Join(lines, "\n") + "\n" + ticks
}

// longestRun returns the length of the longest run of backquotes in s.
func longestRun(s string) int {
	n := 0
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return r != '`' }) {
		n = max(n, len(run))
	}
	return n
}

// listing formats a result of many lines, truncated to maxShown.
func listing(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - maxShown; more > 0 {
		return block("", strings.Join(lines[:maxShown], "\n")) + fmt.Sprintf("\n\n… and %s more.", phrase.Count(more, "line"))
	}
	return block("", text)
}

// aside returns the text of a tool after its first sentence, which the answer
// repeats in its own words.
func aside(text string) string {
	_, more, _ := strings.Cut(strings.TrimSpace(text), ". ")
	if more == "" || strings.Contains(more, "\n") || len(more) > maxWidth {
		return ""
	}
	return " " + more
}

// clip truncates s to n runes.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
