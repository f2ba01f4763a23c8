package pager

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
)

// Line is the last line of the pager: what keys do, or what is searched for, and
// at its right what goes on and where the window is.
func (p *Pager) Line() (string, *tea.Cursor) {
	const least, few = 24, 11 // columns that are worth more than all facts but the first, and than that one
	facts := p.facts()
	right, room := "", p.Width
	for ; len(facts) > 0; facts = facts[:len(facts)-1] {
		right = strings.Join(facts, " · ")
		if room = p.Width - lipgloss.Width(right) - 2; room >= least || len(facts) == 1 && room >= few {
			break
		}
		right, room = "", p.Width
	}
	left, cursor := p.left(room)
	if right != "" {
		left += strings.Repeat(" ", max(p.Width-lipgloss.Width(left+right), 0)) + p.Styles.Dim.Render(right)
	}
	return left, cursor
}

// left is the line's left, in so many columns.
func (p *Pager) left(width int) (string, *tea.Cursor) {
	k := p.Keys.Name
	switch {
	case p.Find.Open():
		return p.Find.Line(width)
	case p.Waits():
		return p.Styles.Yellow.Render(ink.Truncate("? a question waits · "+k(keys.ViewClose)+" goes back to it", width)), nil
	}
	if p.Flash != "" {
		return p.Styles.Dim.Render("  " + ink.Truncate(p.Flash, max(width-ink.Gutter, 1))), nil
	}
	hint := k(keys.ViewUp) + " and " + k(keys.ViewDown) + " scroll · " + k(keys.ViewTop) + " " + k(keys.ViewBottom) + " beginning and end · " +
		k(keys.ViewFind) + " finds · " + k(keys.ViewClose) + " closes this"
	return p.Styles.Dim.Render(ink.Truncate("  "+list.FitHints(hint, width-ink.Gutter), width)), nil
}

// facts are what goes on behind what is shown whole, and where one is in it,
// what matters most first.
func (p *Pager) facts() []string {
	var facts []string
	if doing := p.Doing(); doing != "" {
		facts = append(facts, doing)
	}
	at := p.Transcript.Percent()
	switch {
	case at < 0:
	case at < 100:
		facts = append(facts, fmt.Sprintf("%d%%", at))
	case p.Busy():
		facts = append(facts, "follows the end")
	default:
		facts = append(facts, "end")
	}
	if n := p.PromptsShown(); n > 0 && len(p.Feed.Prompts) > 1 {
		facts = append(facts, fmt.Sprintf("prompt %d of %d", n, len(p.Feed.Prompts)))
	}
	return facts
}
