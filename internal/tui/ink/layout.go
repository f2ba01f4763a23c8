package ink

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Gutter is the width of the margin that carries all structure: "›" a person,
// "·" a finished tool, nothing for an answer.
const Gutter = 2

// The marks of the gutter.
const (
	MarkUser    = "›"
	MarkDone    = "·"
	MarkRunning = "◦"
	MarkFailed  = "✗"
	MarkAsked   = "?"
	MarkRow     = "❯" // the marked row of a question
	MarkAbove   = "↑" // more of it is above
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

// TrimLines drops the space at the end of lines.
func TrimLines(lines []string) []string {
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// RenderLines renders each line by itself, so that no line depends on another.
func RenderLines(s lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l != "" {
			out[i] = s.Render(l)
		}
	}
	return out
}

// Spread puts right at the right edge and cuts left to what remains. Where that
// would leave left too little, right is given up.
func Spread(left, right string, width int) string {
	w := lipgloss.Width(right)
	if right == "" || width-w-2 < min(lipgloss.Width(left), 12) {
		return Truncate(left, width)
	}
	left = Truncate(left, width-w-2)
	return left + strings.Repeat(" ", width-w-lipgloss.Width(left)) + right
}

// LastLine is what follows the last newline of s, or all of s.
func LastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// Head is the beginning of a text that has about n bytes, and how many lines
// follow it.
func Head(text string, n int) (string, int) {
	if len(text) <= n {
		return text, 0
	}
	if i := strings.LastIndexByte(text[:n], '\n'); i > n/2 {
		n = i
	}
	return strings.ToValidUTF8(text[:n], ""), 1 + strings.Count(text[n:], "\n")
}

// Tail is the end of a text, of about n bytes.
func Tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-n:], "")
}

// ClipLines cuts lines in a window too narrow for the margins that they have.
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

// Quoted writes a title on one line, so that it is seen where it ends.
func Quoted(title string) string { return "“" + SanitizeLine(title) + "”" }
