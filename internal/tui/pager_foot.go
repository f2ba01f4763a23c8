package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
)

// panel is the line below what is shown whole: what keys do, or what is
// searched for, and at its right what goes on and where one is.
func (m *pager) panel() panel {
	const least, few = 24, 15 // columns that are worth more than all facts but the first, and than that one
	p := panel{rule: -1}
	facts := m.facts()
	right, room := "", m.Width
	for ; len(facts) > 0; facts = facts[:len(facts)-1] {
		right = strings.Join(facts, " · ")
		if room = m.Width - lipgloss.Width(right) - 2; room >= least || len(facts) == 1 && room >= few {
			break
		}
		right, room = "", m.Width
	}
	p.add(m.left(room))
	if right != "" {
		p.lines[0] += strings.Repeat(" ", max(m.Width-lipgloss.Width(p.lines[0]+right), 0)) + m.Styles.Dim.Render(right)
	}
	return p
}

// left is the line's left, in so many columns.
func (p *pager) left(width int) ([]string, *tea.Cursor) {
	k := p.Keys.Name
	switch {
	case p.find.open:
		return p.find.view(width)
	case p.dialog.Waits():
		return []string{p.Styles.Yellow.Render(ink.Truncate("? a question waits · "+k(keys.ViewClose)+" goes back to it", width))}, nil
	}
	if p.Flash != "" {
		return []string{p.Styles.Dim.Render("  " + ink.Truncate(p.Flash, max(width-ink.Gutter, 1)))}, nil
	}
	hint := k(keys.ViewUp) + " and " + k(keys.ViewDown) + " scroll · " + k(keys.ViewTop) + " " + k(keys.ViewBottom) + " beginning and end · " +
		k(keys.ViewFind) + " finds · " + k(keys.ViewClose) + " closes this"
	return []string{p.Styles.Dim.Render(ink.Truncate("  "+list.FitHints(hint, width-ink.Gutter), width))}, nil
}

// facts are what goes on behind what is shown whole, and where one is in it,
// what matters most first.
func (p *pager) facts() []string {
	var facts []string
	if p.Busy() || p.hints.chord != "" {
		facts = append(facts, p.hints.doing())
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
