package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// needle is what is searched for. A capital letter in it makes capitals count.
type needle struct {
	text  string
	exact bool
}

func newNeedle(text string) needle {
	lower := strings.ToLower(text)
	return needle{text: text, exact: lower != text}
}

// next returns where the needle is first found in s from a byte on; from is
// negative if it is not.
func (n needle) next(s string, at int) (from, to int) {
	if n.text == "" {
		return -1, -1
	}
	if n.exact {
		if i := strings.Index(s[at:], n.text); i >= 0 {
			return at + i, at + i + len(n.text)
		}
		return -1, -1
	}
	for i := at; i < len(s); {
		if l := n.prefix(s[i:]); l > 0 {
			return i, i + l
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return -1, -1
}

// prefix is how many bytes of s the needle takes that s begins with, or 0.
func (n needle) prefix(s string) int {
	i := 0
	for _, want := range n.text {
		r, size := utf8.DecodeRuneInString(s[i:])
		if size == 0 || r != want && unicode.ToLower(r) != want {
			return 0
		}
		i += size
	}
	return i
}

// in reports whether the needle is found in any of texts.
func (n needle) in(texts ...string) bool {
	for _, s := range texts {
		if n.exact && strings.Contains(s, n.text) || !n.exact && strings.Contains(strings.ToLower(s), n.text) {
			return n.text != ""
		}
	}
	return false
}

// inEvent reports whether the needle is found in what the transcript shows of an
// event.
func (n needle) inEvent(ev event.Event) bool {
	switch ev := ev.(type) {
	case *event.UserSaid:
		return n.in(ev.Text)
	case *event.MessageDone:
		return n.in(ev.Message.Text)
	case *event.ToolEnd:
		if n.in(ev.Title, ev.Summary, ev.Result.Text) {
			return true
		}
		for _, d := range ev.Diffs {
			if n.in(d.Path, d.Unified) {
				return true
			}
		}
	case *event.ShellEnd:
		return n.in(ev.Line, ev.Text)
	case *event.Renamed:
		return n.in(ev.Title)
	}
	return false
}

// inLine reports whether the needle is found in a line that was drawn.
func (n needle) inLine(line string) bool {
	from, _ := n.next(ansi.Strip(line), 0)
	return from >= 0
}

// paint returns a drawn line with what is found in it set off; all the more on
// the line that one went to.
func (n needle) paint(st *ink.Styles, line string, here bool) string {
	plain := ansi.Strip(line)
	style := st.Plain.Reverse(true)
	if here {
		style = st.Bold.Reverse(true)
	}
	var ranges []lipgloss.Range
	for at := 0; ; {
		from, to := n.next(plain, at)
		if from < 0 {
			break
		}
		ranges = append(ranges, lipgloss.NewRange(ansi.StringWidth(plain[:from]), ansi.StringWidth(plain[:to]), style))
		at = to
	}
	if len(ranges) == 0 {
		return line
	}
	return lipgloss.StyleRanges(line, ranges...)
}
