package list

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

// Overlay is a full-screen list that is shown until something is chosen or it is
// closed.
type Overlay interface {
	// Update handles a message. over says that the overlay is closed.
	Update(msg tea.Msg) (cmd tea.Cmd, over bool)
	// Lines draws the window and returns the cursor position.
	Lines() ([]string, *tea.Cursor)
	// Restyle sets the styles.
	Restyle(st *ink.Styles)
}

// Chooser is the common part of all lists: a marked entry, scrolling, and a filter.
type Chooser struct {
	Keys   keys.Map
	St     *ink.Styles
	Filter string
	count  int // number of entries
	At     int // index of the marked entry
	top    int // index of the first visible entry

	Width, Height int
	// Intro is a text between the heading and the filter. Its lines are sanitized.
	Intro string
	Under int // maximum lines of details of the marked entry; 0 for a third of the window, negative for none
}

// Outcome is the effect of a message on a Chooser.
type Outcome int

// The outcomes of a message.
const (
	Moved    Outcome = iota // the marker moved, or nothing happened
	Narrowed                // the filter changed
	Chosen                  // the marked entry was chosen
	Closed                  // the list was closed without a choice
)

// Msg is a message for the list on the screen.
type Msg interface{ isMsg() }

// SetFilter is a message that sets the filter.
type SetFilter string

func (SetFilter) isMsg() {}

// Close is a message that closes the list without a choice.
type Close struct{}

func (Close) isMsg() {}

// Size returns the number of entries.
func (c *Chooser) Size() int { return c.count }

// MarkRow marks the entry with index i.
func (c *Chooser) MarkRow(i int) { c.At = i }

// Restyle sets the styles of the list.
func (c *Chooser) Restyle(st *ink.Styles) { c.St = st }

// Update handles the messages that have the same meaning in every list.
func (c *Chooser) Update(msg tea.Msg) Outcome {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		c.Width, c.Height = msg.Width, msg.Height
	case tea.PasteMsg:
		return c.narrow(c.Filter + ink.SanitizeLine(msg.Content))
	case SetFilter:
		return c.narrow(string(msg))
	case Close:
		return Closed
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			c.At--
		case tea.MouseWheelDown:
			c.At++
		}
	case tea.MouseClickMsg:
		if i, ok := c.entryAt(msg.Y); ok && msg.Button == tea.MouseLeft {
			c.At = i
			return Chosen
		}
	case tea.KeyPressMsg:
		return c.press(msg)
	}
	return Moved
}

func (c *Chooser) press(msg tea.KeyPressMsg) Outcome {
	k := msg.String()
	switch {
	case c.Keys.Is(k, keys.Send) && c.count > 0:
		return Chosen
	case c.Keys.Is(k, keys.Interrupt), c.Keys.Is(k, keys.Quit):
		return Closed
	case c.Keys.Is(k, keys.ListUp):
		c.At--
	case c.Keys.Is(k, keys.ListDown):
		c.At++
	case c.Keys.Is(k, keys.PageUp):
		c.At -= c.room()
	case c.Keys.Is(k, keys.PageDown):
		c.At += c.room()
	case c.Keys.Is(k, keys.DeleteLeft):
		if r := []rune(c.Filter); len(r) > 0 {
			return c.narrow(string(r[:len(r)-1]))
		}
	case c.Keys.Is(k, keys.DeleteToStart), c.Keys.Is(k, keys.DeleteWord):
		return c.narrow("")
	case msg.Text != "":
		return c.narrow(c.Filter + msg.Text)
	}
	return Moved
}

func (c *Chooser) narrow(filter string) Outcome {
	c.Filter, c.At = filter, 0
	return Narrowed
}

// fits reports whether every word of the filter occurs in text.
func (c *Chooser) fits(text string) bool {
	text = strings.ToLower(text)
	for _, w := range strings.Fields(strings.ToLower(c.Filter)) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// nearly is like fits, but compares word stems: "copy" matches "copies".
func (c *Chooser) nearly(text string) bool {
	there := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, w := range strings.Fields(strings.ToLower(c.Filter)) {
		root := stem(w)
		if !slices.ContainsFunc(there, func(t string) bool { return strings.HasPrefix(t, root) }) {
			return false
		}
	}
	return true
}

// stem returns a word without an inflectional ending, if enough of it is left.
func stem(word string) string {
	const least = 3
	for _, ending := range []string{"ying", "ing", "ies", "ied", "es", "ed", "s", "e", "y"} {
		if root, ok := strings.CutSuffix(word, ending); ok && len(root) >= least {
			return root
		}
	}
	return word
}

// below returns the number of lines for details of the marked entry.
func (c *Chooser) below() int {
	const low = 12
	if c.Height < low || c.Under < 0 {
		return 0
	}
	under := c.Height/3 - 2
	if c.Under > 0 {
		under = min(under, c.Under)
	}
	return under
}

// head returns the number of lines above the entries.
func (c *Chooser) head() int { return 3 + len(c.intro()) }

// intro draws Intro, and a blank line below it. Some entries stay visible.
func (c *Chooser) intro() []string {
	const frame, least = 6, 3
	lines := introLines(c.Intro, c.Width, c.Height-frame-min(c.count, least))
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}

// room returns the number of entries that fit in the window.
func (c *Chooser) room() int {
	const foot = 2 // the hint and a blank line
	room := c.Height - c.head() - foot
	if n := c.below(); n > 0 {
		room -= n + 1
	}
	return max(room, 1)
}

// entryAt returns the entry in line y of the window.
func (c *Chooser) entryAt(y int) (i int, ok bool) {
	i = c.top + y - c.head()
	return i, y >= c.head() && y < c.Height-1 && i < min(c.count, c.top+c.room())
}

// Clamp keeps the marker within the list and scrolls it into view.
func (c *Chooser) Clamp() {
	c.At = max(0, min(c.At, c.count-1))
	c.top = max(0, min(c.top, c.At, c.count-c.room()))
	if c.At >= c.top+c.room() {
		c.top = c.At - c.room() + 1
	}
}

// Page is the content of a list.
type Page struct {
	Head, Right string                    // the first line
	Row         func(i int) string        // draws an entry, no wider than the window
	None        string                    // shown if there are no entries
	Marked      func(height int) []string // draws details of the marked entry
	Hint        string
}

// Draw draws p in the window.
func (c *Chooser) Draw(p Page) ([]string, *tea.Cursor) {
	dim := func(s string) string { return c.St.Dim.Render(ink.Truncate(s, c.Width)) }
	filter := ink.Truncate(ink.SanitizeLine(c.Filter), max(c.Width-ink.Gutter-1, 0))
	lines := append([]string{c.St.Dim.Render(ink.Spread(briefly(p.Head, c.Width), p.Right, c.Width))}, c.intro()...)
	filterAt := len(lines)
	lines = append(lines, ink.Truncate(c.St.Cyan.Render(ink.MarkUser)+" "+filter, c.Width), "")
	for i, end := c.top, min(c.count, c.top+c.room()); i < end; i++ {
		lines = append(lines, p.Row(i))
	}
	if c.count == 0 {
		lines = append(lines, dim("  "+p.None))
	}
	under := c.below()
	for len(lines) < c.Height-under-2 {
		lines = append(lines, "")
	}
	if under > 0 {
		lines = append(lines, c.St.Dim.Render(strings.Repeat("─", c.Width)))
		lines = append(lines, p.Marked(under)...)
	}
	for len(lines) < c.Height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(min(len(lines), c.Height-1), 0)], c.foot(p.Hint))
	if c.Height <= filterAt+1 {
		return lines, nil
	}
	cursor := tea.NewCursor(min(ink.Gutter+lipgloss.Width(filter), c.Width-1), filterAt)
	cursor.Shape, cursor.Blink = tea.CursorBar, false
	return lines, cursor
}

// foot draws the last line: key hints, and the position in a list that does not fit.
func (c *Chooser) foot(hint string) string {
	at, room := "", c.Width-ink.Gutter
	if c.count > c.room() {
		at = fmt.Sprintf("%d of %d", c.At+1, c.count)
		room -= lipgloss.Width(at) + 2
	}
	hint = FitHints(hint, room)
	return c.St.Dim.Render(ink.Spread(strings.Repeat(" ", ink.Gutter)+hint, at, c.Width))
}

// briefly drops comma-separated parts from the end of a heading until it fits.
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

// FitHints drops hints from the start until the rest fits.
func FitHints(hint string, width int) string {
	for lipgloss.Width(hint) > width {
		_, rest, ok := strings.Cut(hint, " · ")
		if !ok {
			break
		}
		hint = rest
	}
	return hint
}

// widestRow is the maximum width of an entry, so that text at its right edge stays
// close to it in a wide window.
const widestRow = 140

// Entry draws one line of a list: when, what, and facts at the right edge.
func (c *Chooser) Entry(i int, when, what, facts string) string {
	const column = 12
	mark := "  "
	if i == c.At {
		mark = c.St.Cyan.Render(ink.MarkUser) + " "
		what = c.St.Bold.Render(what)
	}
	when += strings.Repeat(" ", max(column-lipgloss.Width(when), 2))
	room := max(min(c.Width, widestRow)-ink.Gutter-lipgloss.Width(when), 1)
	return ink.Truncate(mark+c.St.Dim.Render(when)+ink.Spread(what, c.St.Dim.Render(facts), room), c.Width)
}
