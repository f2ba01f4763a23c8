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

// line draws the last line of the pager: key hints or the search, and on the right
// the activity and the position.
func (p *Pager) line(width int) (string, *tea.Cursor) {
	// Facts are dropped until left has minLeft columns, but the first one stays if left
	// has minLeftFirst.
	const minLeft, minLeftFirst = 24, 11
	facts := p.facts()
	right, room := "", width
	for ; len(facts) > 0; facts = facts[:len(facts)-1] {
		right = strings.Join(facts, " · ")
		if room = width - lipgloss.Width(right) - 2; room >= minLeft || len(facts) == 1 && room >= minLeftFirst {
			break
		}
		right, room = "", width
	}
	left, cursor := p.left(room)
	if right != "" {
		left += strings.Repeat(" ", max(width-lipgloss.Width(left+right), 0)) + p.Styles.Dim.Render(right)
	}
	return left, cursor
}

// left draws the left part of the line in at most width columns.
func (p *Pager) left(width int) (string, *tea.Cursor) {
	k := p.Keys.Name
	switch {
	case p.Find.Open():
		return p.Find.line(width)
	case p.Waits():
		return p.Styles.Yellow.Render(ink.Truncate("? a question waits · "+k(keys.ViewClose)+" to answer", width)), nil
	}
	if p.Flash != "" {
		return p.Styles.Dim.Render("  " + ink.Truncate(p.Flash, max(width-ink.Gutter, 1))), nil
	}
	hint := k(keys.ViewUp) + "/" + k(keys.ViewDown) + " scroll · " + k(keys.ViewTop) + "/" + k(keys.ViewBottom) + " beginning/end · " +
		k(keys.ViewFind) + " search · " + k(keys.ViewClose) + " close"
	return p.Styles.Dim.Render(ink.Truncate("  "+list.FitHints(hint, width-ink.Gutter), width)), nil
}

// facts returns the activity behind the pager and its position, the most important
// first.
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
	case p.Feed.Busy():
		facts = append(facts, "following")
	default:
		facts = append(facts, "end")
	}
	if n := p.Feed.Log.Shown(p.Transcript); n > 0 && len(p.Feed.Log.Prompts) > 1 {
		facts = append(facts, fmt.Sprintf("prompt %d of %d", n, len(p.Feed.Log.Prompts)))
	}
	return facts
}
