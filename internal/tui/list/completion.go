package list

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
)

// popupRows is the maximum number of visible suggestions.
const popupRows = 8

// Suggestion is a replacement for a typed word.
type Suggestion struct {
	Text      string // the replacement
	Label     string // shown instead of Text if not empty; sanitized
	At        []int  // byte offsets of the matched characters of the label
	What      string // description; sanitized
	Complete  bool   // the line is complete: enter runs it
	Continues bool   // no space is inserted after it
}

// Completion is the list of suggestions above the editor.
type Completion struct {
	Rows        []Suggestion
	Marked, Top int // indexes of the marked row, negative for none, and of the first visible one
	visible     int // number of visible rows
}

// PopupRows returns how many suggestions are visible in a window of that height.
func PopupRows(height int) int { return min(popupRows, max(height/3, 3)) }

// Lines draws at most limit suggestions.
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

// Place returns the position of the marked suggestion if not all are visible.
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
		return mark + st.Dim.Render("…") + base.Render(ansi.TruncateLeft(label, over+1, "")) // the end of a path is the most useful part
	}
	line := mark + ink.RenderMatches(label, s.At, base, st.Cyan)
	if s.What != "" {
		line += strings.Repeat(" ", max(column-lipgloss.Width(label), 0)+2) + st.Dim.Render(s.What)
	}
	return ink.Truncate(line, width)
}

// ShownAs returns the text that is shown for the suggestion.
func (s Suggestion) ShownAs() string {
	if s.Label != "" {
		return s.Label
	}
	return ink.SanitizeLine(s.Text)
}
