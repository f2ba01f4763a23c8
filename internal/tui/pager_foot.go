package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// wholePanel is the line below what is shown whole: what keys do, or what is
// searched for, and at its right what goes on and where one is.
func (m *model) wholePanel() panel {
	const least, few = 24, 15 // columns that are worth more than all facts but the first, and than that one
	p := panel{rule: -1}
	facts := m.viewFacts()
	right, room := "", m.width
	for ; len(facts) > 0; facts = facts[:len(facts)-1] {
		right = strings.Join(facts, " · ")
		if room = m.width - lipgloss.Width(right) - 2; room >= least || len(facts) == 1 && room >= few {
			break
		}
		right, room = "", m.width
	}
	p.add(m.viewLeft(room))
	if right != "" {
		p.lines[0] += strings.Repeat(" ", max(m.width-lipgloss.Width(p.lines[0]+right), 0)) + m.st.Dim.Render(right)
	}
	return p
}

// viewLeft is the line's left, in so many columns.
func (m *model) viewLeft(width int) ([]string, *tea.Cursor) {
	k := m.keys.Name
	switch {
	case m.find.open:
		return m.findLine(width)
	case m.dialog.waits():
		return []string{m.st.Yellow.Render(ink.Truncate("? a question waits · "+k(keys.ViewClose)+" goes back to it", width))}, nil
	}
	if m.flash != "" {
		return []string{m.st.Dim.Render("  " + ink.Truncate(m.flash, max(width-ink.Gutter, 1)))}, nil
	}
	hint := k(keys.ViewUp) + " and " + k(keys.ViewDown) + " scroll · " + k(keys.ViewTop) + " " + k(keys.ViewBottom) + " beginning and end · " +
		k(keys.ViewFind) + " finds · " + k(keys.ViewClose) + " closes this"
	return []string{m.st.Dim.Render(ink.Truncate("  "+fitting(hint, width-ink.Gutter), width))}, nil
}

// viewFacts are what goes on behind what is shown whole, and where one is in it,
// what matters most first.
func (m *model) viewFacts() []string {
	var facts []string
	if m.busy() || m.chord != "" {
		facts = append(facts, m.doing())
	}
	at := m.list.passed()
	switch {
	case at < 0:
	case at < 100:
		facts = append(facts, fmt.Sprintf("%d%%", at))
	case m.busy():
		facts = append(facts, "follows the end")
	default:
		facts = append(facts, "end")
	}
	if n := m.promptShown(); n > 0 && len(m.feed.said) > 1 {
		facts = append(facts, fmt.Sprintf("prompt %d of %d", n, len(m.feed.said)))
	}
	return facts
}

// promptShown counts the prompts up to the last line of the window.
func (m *model) promptShown() int {
	at, _ := m.list.lowest()
	n, found := slices.BinarySearchFunc(m.feed.said, at, func(s event.PastPrompt, at int) int { return s.At - at })
	if found {
		n++
	}
	return n
}

// passed says how much of the session is above the end of the window, in
// hundredths, 100 only at its very end; less than 0 if nobody knows. Lines are
// not counted: those of pages that are not read are not known.
func (t *transcript) passed() int {
	switch {
	case t.follow:
		return 100
	case !t.settled || t.events() == 0 || len(t.cells) == 0:
		return -1
	}
	at, part := t.lowest()
	return max(0, min(int((float64(at)+part)*100/float64(t.events())), 99))
}

// lowest is the event that the last line of the window tells of, and how many
// events more are told with it as far as that line.
func (t *transcript) lowest() (at int, part float64) {
	if len(t.cells) == 0 {
		return -1, 0
	}
	c := t.cells[len(t.cells)-1]
	at = t.pages[c.at.page].rows[c.at.row].at
	end := t.events()
	if next, ok := t.next(c.at); ok {
		end = t.pages[next.page].rows[next.row].at
	}
	lines, _ := t.lines(c.at)
	return at, float64(max(end-at, 0)) * float64(c.line+1) / float64(max(len(lines), 1))
}
