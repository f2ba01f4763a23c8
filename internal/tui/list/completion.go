package list

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
)

// popupRows is how many suggestions are shown at most.
const popupRows = 8

// Suggestion is something that can take the place of a word that is typed.
type Suggestion struct {
	Text      string // what takes its place
	Label     string // how it is shown, where that is another; sanitised
	At        []int  // the bytes of label to look at
	What      string // what it means; sanitised
	Complete  bool   // it is whole: enter carries the line out
	Continues bool   // more follows it at once, so no blank does
}

// Completion is the list of suggestions above the editor.
type Completion struct {
	Rows        []Suggestion
	Marked, Top int // the marked one, negative for none; the first that is shown
	visible     int // how many of them are
}

// Lines draws the suggestions, at most so many.
func (p *Completion) Lines(st *ink.Styles, width, limit int) []string {
	shown := min(len(p.Rows), popupRows, limit)
	p.visible = shown
	if shown <= 0 {
		return nil
	}
	p.Top = max(0, min(p.Top, p.Marked, len(p.Rows)-shown), p.Marked-shown+1)
	column := 0
	for _, s := range p.Rows[p.Top : p.Top+shown] {
		if s.What != "" {
			column = max(column, lipgloss.Width(s.ShownAs()))
		}
	}
	column = min(column, width/2)
	var out []string
	for i, s := range p.Rows[p.Top : p.Top+shown] {
		out = append(out, p.row(st, s, i+p.Top == p.Marked, column, width))
	}
	return out
}

// Place says which of the suggestions is marked, where there are more than are
// shown.
func (p *Completion) Place() string {
	if len(p.Rows) <= p.visible || p.Marked < 0 {
		return ""
	}
	return strconv.Itoa(p.Marked+1) + " of " + strconv.Itoa(len(p.Rows)) + " · "
}

// row draws a suggestion.
func (p *Completion) row(st *ink.Styles, s Suggestion, marked bool, column, width int) string {
	mark, base := "  ", st.Plain
	if marked {
		mark, base = st.Cyan.Render(ink.MarkUser)+" ", st.Bold
	}
	label := s.ShownAs()
	if over := lipgloss.Width(label) - (width - ink.Gutter); over > 0 && s.What == "" {
		return mark + st.Dim.Render("…") + base.Render(ansi.TruncateLeft(label, over+1, "")) // a path's end tells most
	}
	line := mark + ink.RenderMatches(label, s.At, base, st.Cyan)
	if s.What != "" {
		line += strings.Repeat(" ", max(column-lipgloss.Width(label), 0)+2) + st.Dim.Render(s.What)
	}
	return ink.Truncate(line, width)
}

// ShownAs is how the suggestion is shown.
func (s Suggestion) ShownAs() string {
	if s.Label != "" {
		return s.Label
	}
	return ink.SanitizeLine(s.Text)
}
