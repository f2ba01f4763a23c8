package ink

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Gutter is the width of the left margin with the marks: "›" the user, "·" a
// finished tool, nothing for an answer.
const Gutter = 2

// The marks of the gutter.
const (
	MarkUser    = "›"
	MarkDone    = "·"
	MarkRunning = "◦"
	MarkFailed  = "✗"
	MarkAsked   = "?"
	MarkRow     = "❯" // the marked row of a question
	MarkAbove   = "↑" // more lines are above
	MarkBelow   = "↓"
)

// Hang puts mark before the first line and a margin before the others.
func Hang(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if i == 0 {
			out[i] = mark + " " + l
		} else {
			out[i] = "  " + l
		}
	}
	return TrimLines(out)
}

// TrimLines removes trailing spaces from lines, in place.
func TrimLines(lines []string) []string {
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// RenderLines renders each line separately, so that no style spans lines.
func RenderLines(s lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			out[i] = s.Render(l)
		}
	}
	return out
}

// Spread puts right at the right edge and truncates left to the remaining width. It
// omits right if too little of left would remain.
func Spread(left, right string, width int) string {
	w := lipgloss.Width(right)
	if right == "" || width-w-2 < min(lipgloss.Width(left), 12) {
		return Truncate(left, width)
	}
	left = Truncate(left, width-w-2)
	return left + strings.Repeat(" ", width-w-lipgloss.Width(left)) + right
}

// LastLine returns the text after the last newline of s.
func LastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// Head returns the first n bytes of text, cut at a line end if possible, and the
// number of lines that follow.
func Head(text string, n int) (string, int) {
	if len(text) <= n {
		return text, 0
	}
	if i := strings.LastIndexByte(text[:n], '\n'); i > n/2 {
		n = i
	}
	return strings.ToValidUTF8(text[:n], ""), 1 + strings.Count(text[n:], "\n")
}

// Tail returns the last n bytes of text.
func Tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-n:], "")
}

// ClipLines truncates lines if the window is too narrow for their margins.
func ClipLines(lines []string, width int) []string {
	const narrow = 12
	if width >= narrow {
		return lines
	}
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, width, "")
	}
	return lines
}

// Quoted returns a title in quotation marks, on one line.
func Quoted(title string) string { return "“" + SanitizeLine(title) + "”" }
