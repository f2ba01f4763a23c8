package list

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
)

// DetailRows is how many lines tell more of the marked option.
const DetailRows = 4

// Option is an entry of a menu. All of it is sanitised.
type Option struct {
	ID    string // what tells it from others
	Name  string // what it is found by first
	What  string
	Right string // said at the right edge
	Last  bool   // it comes after those that are not
	Dim   bool   // it cannot be taken now
}

// Menu is a list from which one option is taken. Typing narrows it to those
// that fit, the ones that fit by their name first.
type Menu struct {
	Chooser
	Head, None, Hint string
	Right            string
	First            string // the id of what is marked at first
	all, found       []Option
	Chose            func(Option) tea.Cmd
	// Free makes an option of what was typed where nothing fits; may be nil.
	Free func(typed string) (Option, bool)
	// detail tells more of an option in a window of that width; may be nil.
	Detail func(o Option, width int) []string
}

// Fill puts options in the menu. The marked one stays marked.
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

// Update implements Overlay.
func (u *Menu) Update(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch u.Chooser.Update(msg) {
	case Narrowed:
		u.refine()
	case Chosen:
		return u.Chose(u.found[u.At]), true
	case Closed:
		return nil, true
	}
	u.Clamp()
	return nil, false
}

// refine lists what the filter fits.
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

// rank says how well the filter fits an option, the lower the better.
func (u *Menu) rank(o Option) (rank int, ok bool) {
	filter, name := strings.ToLower(strings.TrimSpace(u.Filter)), strings.ToLower(o.Name)
	switch {
	case filter == "":
	case strings.HasPrefix(strings.TrimPrefix(name, "/"), strings.TrimPrefix(filter, "/")):
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

// text is all that an option is found by.
func (o Option) text() string { return strings.Join([]string{o.Name, o.What, o.Right, o.ID}, " ") }

// inOrder reports whether the letters of part stand in text in that order.
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

// Row draws an option: its name in a column of its own.
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

// marked tells more of the marked option.
func (u *Menu) marked(height int) []string {
	if u.Detail == nil || u.At >= len(u.found) {
		return nil
	}
	lines := u.Detail(u.found[u.At], u.Width)
	return lines[:min(len(lines), height)]
}
