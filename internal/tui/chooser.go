package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
)

// overlay is a screen that takes the place of all others until something was
// chosen on it.
type overlay interface {
	// take takes a message, and tells whether the overlay is done with.
	take(msg tea.Msg) (cmd tea.Cmd, over bool)
	lines() ([]string, *tea.Cursor)
	restyle(st *ink.Styles)
}

// chooser is a list with a mark in it, which typing narrows.
type chooser struct {
	keys   keys.Map
	st     *ink.Styles
	filter string
	count  int // entries of the list
	at     int // the marked one
	top    int // the first in the window

	width, height int
	under         int // lines for what is marked, at most; 0 for a third of the window
}

// outcome is what a key did to a chooser.
type outcome int

const (
	moved    outcome = iota // or did nothing
	narrowed                // the filter changed
	chosen
	closed
)

// narrowTo narrows a list to what fits.
type narrowTo string

func (narrowTo) toOverlay() {}

// size is how many entries there are.
func (c *chooser) size() int { return c.count }

// mark marks entry i.
func (c *chooser) mark(i int) { c.at = i }

func (c *chooser) restyle(st *ink.Styles) { c.st = st }

// take takes a message that means the same in every list.
func (c *chooser) take(msg tea.Msg) outcome {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		c.width, c.height = msg.Width, msg.Height
	case tea.PasteMsg:
		return c.narrow(c.filter + ink.SanitizeLine(msg.Content))
	case narrowTo:
		return c.narrow(string(msg))
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			c.at--
		case tea.MouseWheelDown:
			c.at++
		}
	case tea.MouseClickMsg:
		if i, ok := c.entryAt(msg.Y); ok && msg.Button == tea.MouseLeft {
			c.at = i
			return chosen
		}
	case tea.KeyPressMsg:
		return c.press(msg)
	}
	return moved
}

func (c *chooser) press(msg tea.KeyPressMsg) outcome {
	k := msg.String()
	switch {
	case c.keys.Is(k, keys.Send) && c.count > 0:
		return chosen
	case c.keys.Is(k, keys.Interrupt), c.keys.Is(k, keys.Leave):
		return closed
	case c.keys.Is(k, keys.ListUp):
		c.at--
	case c.keys.Is(k, keys.ListDown):
		c.at++
	case c.keys.Is(k, keys.PageUp):
		c.at -= c.room()
	case c.keys.Is(k, keys.PageDown):
		c.at += c.room()
	case c.keys.Is(k, keys.EraseLeft):
		if r := []rune(c.filter); len(r) > 0 {
			return c.narrow(string(r[:len(r)-1]))
		}
	case c.keys.Is(k, keys.EraseToHead), c.keys.Is(k, keys.EraseWord):
		return c.narrow("")
	case msg.Text != "":
		return c.narrow(c.filter + msg.Text)
	}
	return moved
}

func (c *chooser) narrow(filter string) outcome {
	c.filter, c.at = filter, 0
	return narrowed
}

// fits reports whether every word of the filter occurs in text.
func (c *chooser) fits(text string) bool {
	text = strings.ToLower(text)
	for _, w := range strings.Fields(strings.ToLower(c.filter)) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// nearly is fits for words that may end otherwise in text: copy finds copies.
func (c *chooser) nearly(text string) bool {
	there := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range strings.Fields(strings.ToLower(c.filter)) {
		root := stem(w)
		if !slices.ContainsFunc(there, func(t string) bool { return strings.HasPrefix(t, root) }) {
			return false
		}
	}
	return true
}

// stem is a word without the ending that its other forms have not, if enough of
// it is left.
func stem(word string) string {
	const least = 3
	for _, ending := range []string{"ying", "ing", "ies", "ied", "es", "ed", "s", "e", "y"} {
		if root, ok := strings.CutSuffix(word, ending); ok && len(root) >= least {
			return root
		}
	}
	return word
}

// matching returns those of all that the filter fits by their text: the entries
// from now on.
func matching[T any](c *chooser, all []T, text func(T) string) []T {
	var found []T
	for _, e := range all {
		if c.fits(text(e)) {
			found = append(found, e)
		}
	}
	c.count = len(found)
	c.clamp()
	return found
}

// below is how many lines under the rule are left for what is marked.
func (c *chooser) below() int {
	const low = 12
	if c.height < low {
		return 0
	}
	under := c.height/3 - 2
	if c.under > 0 {
		under = min(under, c.under)
	}
	return under
}

// listHead is how many lines stand above the entries.
const listHead = 3

// room is how many entries fit in the window.
func (c *chooser) room() int {
	const around = 5 // the heading, the filter, the hint, and space
	room := c.height - around
	if n := c.below(); n > 0 {
		room -= n + 1
	}
	return max(room, 1)
}

// entryAt returns the entry that stands in a line of the window.
func (c *chooser) entryAt(y int) (i int, ok bool) {
	i = c.top + y - listHead
	return i, y >= listHead && y < c.height-1 && i < min(c.count, c.top+c.room())
}

// clamp keeps the mark in the list, and the window around the mark.
func (c *chooser) clamp() {
	c.at = max(0, min(c.at, c.count-1))
	c.top = max(0, min(c.top, c.at, c.count-c.room()))
	if c.at >= c.top+c.room() {
		c.top = c.at - c.room() + 1
	}
}

// page is what a list shows.
type page struct {
	head, right string                    // of the first line
	row         func(i int) string        // an entry, no wider than the window
	none        string                    // said where there is no entry
	marked      func(height int) []string // what stands under the rule
	hint        string
}

// draw fills the window with p.
func (c *chooser) draw(p page) ([]string, *tea.Cursor) {
	dim := func(s string) string { return c.st.Dim.Render(ink.Truncate(s, c.width)) }
	filter := ink.Truncate(ink.SanitizeLine(c.filter), max(c.width-ink.Gutter-1, 0))
	lines := []string{
		c.st.Dim.Render(ink.Spread(briefly(p.head, c.width), p.right, c.width)),
		ink.Truncate(c.st.Cyan.Render(ink.MarkUser)+" "+filter, c.width),
		"",
	}
	for i := c.top; i < c.count && i < c.top+c.room(); i++ {
		lines = append(lines, p.row(i))
	}
	if c.count == 0 {
		lines = append(lines, dim("  "+p.none))
	}
	under := c.below()
	for len(lines) < c.height-under-2 {
		lines = append(lines, "")
	}
	if under > 0 {
		lines = append(lines, c.st.Dim.Render(strings.Repeat("─", c.width)))
		lines = append(lines, p.marked(under)...)
	}
	for len(lines) < c.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(min(len(lines), c.height-1), 0)], c.foot(p.hint))
	if c.height <= 2 {
		return lines, nil
	}
	cursor := tea.NewCursor(min(ink.Gutter+lipgloss.Width(filter), c.width-1), 1)
	cursor.Shape, cursor.Blink = tea.CursorBar, false
	return lines, cursor
}

// foot is the last line: what keys do, and where in a list one is that has more
// entries than room.
func (c *chooser) foot(hint string) string {
	at, room := "", c.width-ink.Gutter
	if c.count > c.room() {
		at = fmt.Sprintf("%d of %d", c.at+1, c.count)
		room -= lipgloss.Width(at) + 2
	}
	hint = fitting(hint, room)
	return c.st.Dim.Render(ink.Spread(strings.Repeat(" ", ink.Gutter)+hint, at, c.width))
}

// briefly leaves out what a heading ends with, after commas, until the rest has
// room.
func briefly(head string, width int) string {
	for lipgloss.Width(head) > width {
		i := strings.LastIndex(head, ", ")
		if i < 0 {
			break
		}
		head = head[:i]
	}
	return head
}

// fitting leaves out what a hint begins with until the rest has room.
func fitting(hint string, width int) string {
	for lipgloss.Width(hint) > width {
		_, rest, ok := strings.Cut(hint, " · ")
		if !ok {
			break
		}
		hint = rest
	}
	return hint
}

// widestRow is how wide an entry becomes: in a wide window, what stands at its
// right edge would be too far away to be seen with it.
const widestRow = 140

// entry draws one line of a list: when, what, and facts at the right edge.
func (c *chooser) entry(i int, when, what, facts string) string {
	const column = 12
	mark := "  "
	if i == c.at {
		mark = c.st.Cyan.Render(ink.MarkUser) + " "
		what = c.st.Bold.Render(what)
	}
	when += strings.Repeat(" ", max(column-lipgloss.Width(when), 2))
	room := max(min(c.width, widestRow)-ink.Gutter-lipgloss.Width(when), 1)
	return ink.Truncate(mark+c.st.Dim.Render(when)+ink.Spread(what, c.st.Dim.Render(facts), room), c.width)
}
