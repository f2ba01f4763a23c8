package list

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
)

// DetailRows is the number of lines for details of the marked option.
const DetailRows = 4

// Option is an entry of a menu. Its texts are sanitized.
type Option struct {
	ID    string // unique in the menu
	Name  string // ranks first in the filter
	What  string
	Right string // shown at the right edge
	Last  bool   // listed after the other options
	Dim   bool   // cannot be chosen now
}

// Menu is a list of options. Typing filters it; options that match by name come
// first.
type Menu struct {
	Chooser
	Head, None, Hint string
	Right            string
	First            string // ID of the option that is marked first
	all, found       []Option
	Chose            func(Option) tea.Cmd
	// Back is called when esc leaves the menu, which otherwise closes; may be nil. Its
	// command may be nil.
	Back func() tea.Cmd
	// Cancel is called when the menu closes without a choice and Back is not called; may be
	// nil.
	Cancel func()
	// Free returns an option for typed text that matches nothing; may be nil.
	Free func(typed string) (Option, bool)
	// Pasted takes a pasted text instead of the filter, and closes the menu; may be nil.
	Pasted func(text string) tea.Cmd
	// Narrowed is called after the user typed into the filter. It reports whether the menu
	// closes; may be nil.
	Narrowed func(filter string) (cmd tea.Cmd, over bool)
	// Detail draws details of an option at that width; may be nil.
	Detail func(o Option, width int) []string
}

// Fill sets the options. The marked one stays marked.
func (u *Menu) Fill(all []Option) {
	was := u.First
	if u.At < len(u.found) {
		was = u.found[u.At].ID
	}
	u.all = all
	u.refine()
	if i := slices.IndexFunc(u.found, func(o Option) bool { return o.ID == was }); i >= 0 {
		u.At = i
	}
	u.Clamp()
}

// Marked returns the marked option. It reports false if the menu is empty.
func (u *Menu) Marked() (Option, bool) {
	if u.At >= len(u.found) {
		return Option{}, false
	}
	return u.found[u.At], true
}

// Update implements Overlay.
func (u *Menu) Update(msg tea.Msg) (cmd tea.Cmd, over bool) {
	if p, pasted := msg.(tea.PasteMsg); pasted && u.Pasted != nil {
		return u.Pasted(p.Content), true
	}
	switch u.Chooser.Update(msg) {
	case Narrowed:
		u.refine()
		if u.Narrowed != nil {
			if cmd, over := u.Narrowed(u.Filter); over {
				return cmd, true
			}
		}
	case Chosen:
		return u.Chose(u.found[u.At]), true
	case Closed:
		if _, key := msg.(tea.KeyPressMsg); key && u.Back != nil {
			return u.Back(), true
		}
		if u.Cancel != nil {
			u.Cancel()
		}
		return nil, true
	}
	u.Clamp()
	return nil, false
}

// Introduction returns the heading and the text below it; empty if there is no text.
func (u *Menu) Introduction() string {
	if u.Intro == "" {
		return ""
	}
	return u.Head + "\n" + u.Intro
}

// refine lists the options that match the filter.
func (u *Menu) refine() {
	ranks := map[string]int{}
	u.found = nil
	for _, o := range u.all {
		if rank, ok := u.rank(o); ok {
			ranks[o.ID] = rank
			u.found = append(u.found, o)
		}
	}
	slices.SortStableFunc(u.found, func(a, b Option) int { return ranks[a.ID] - ranks[b.ID] })
	if typed := strings.TrimSpace(u.Filter); len(u.found) == 0 && typed != "" && u.Free != nil {
		if o, ok := u.Free(typed); ok {
			u.found = append(u.found, o)
		}
	}
	u.count = len(u.found)
}

// rank returns how well an option matches the filter; lower is better.
func (u *Menu) rank(o Option) (rank int, ok bool) {
	filter, name := strings.ToLower(strings.TrimSpace(u.Filter)), strings.ToLower(o.Name)
	switch {
	case filter == "":
	case hasPrefix(name, filter), hasPrefix(strings.ToLower(o.ID), filter):
	case u.fits(o.Name):
		rank = 1
	case inOrder(filter, name):
		rank = 2
	case u.fits(o.text()):
		rank = 3
	case u.nearly(o.text()):
		rank = 4
	default:
		return 0, false
	}
	if o.Last {
		rank += 5
	}
	return rank, true
}

// hasPrefix reports whether name begins with prefix, both with or without a slash.
func hasPrefix(name, prefix string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "/"), strings.TrimPrefix(prefix, "/"))
}

// text returns the text that the filter searches.
func (o Option) text() string { return strings.Join([]string{o.Name, o.What, o.Right, o.ID}, " ") }

// inOrder reports whether text contains the letters of part in that order.
func inOrder(part, text string) bool {
	for _, r := range part {
		_, rest, ok := strings.Cut(text, string(r))
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// Lines implements Overlay.
func (u *Menu) Lines() ([]string, *tea.Cursor) {
	return u.Draw(Page{Head: u.Head, Right: u.Right, None: u.None, Row: u.Row, Marked: u.marked, Hint: u.Hint})
}

// Row draws an option, with its name in a column of its own.
func (u *Menu) Row(i int) string {
	o, mark := u.found[i], "  "
	name, what := o.Name, u.St.Dim.Render(o.What)
	if i == u.At {
		mark, name = u.St.Cyan.Render(ink.MarkUser)+" ", u.St.Bold.Render(name)
	} else if o.Dim {
		name = u.St.Dim.Render(name)
	}
	column := 0
	for _, o := range u.found {
		column = max(column, lipgloss.Width(o.Name))
	}
	const narrow = 60
	if u.Width < narrow {
		column = min(column, u.Width*3/5)
	} else {
		column = min(column, u.Width*2/5)
	}
	name = ink.Truncate(name, column)
	pad := strings.Repeat(" ", max(column-lipgloss.Width(name), 0)+2)
	room := max(min(u.Width, widestRow)-ink.Gutter, 1)
	return ink.Truncate(mark+ink.Spread(name+pad+what, u.St.Dim.Render(o.Right), room), u.Width)
}

// marked draws details of the marked option.
func (u *Menu) marked(height int) []string {
	if u.Detail == nil || u.At >= len(u.found) {
		return nil
	}
	lines := u.Detail(u.found[u.At], u.Width)
	return lines[:min(len(lines), height)]
}
