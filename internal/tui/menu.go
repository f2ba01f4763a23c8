package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"agent/internal/tui/ink"
)

// detailRows is how many lines tell more of the marked option.
const detailRows = 4

// option is an entry of a menu. All of it is sanitised.
type option struct {
	id    string // what tells it from others
	name  string // what it is found by first
	what  string
	right string // said at the right edge
	last  bool   // it comes after those that are not
	dim   bool   // it cannot be taken now
}

// menu is a list from which one option is taken. Typing narrows it to those
// that fit, the ones that fit by their name first.
type menu struct {
	chooser
	head, none, hint string
	right            string
	first            string // the id of what is marked at first
	all, found       []option
	chose            func(option) tea.Cmd
	// free makes an option of what was typed where nothing fits; may be nil.
	free func(typed string) (option, bool)
	// detail tells more of an option in a window of that width; may be nil.
	detail func(o option, width int) []string
}

// fill puts options in the menu. The marked one stays marked.
func (u *menu) fill(all []option) {
	was := u.first
	if u.at < len(u.found) {
		was = u.found[u.at].id
	}
	u.all = all
	u.refine()
	if i := slices.IndexFunc(u.found, func(o option) bool { return o.id == was }); i >= 0 {
		u.at = i
	}
	u.clamp()
}

// take implements overlay.
func (u *menu) take(msg tea.Msg) (cmd tea.Cmd, over bool) {
	switch u.chooser.take(msg) {
	case narrowed:
		u.refine()
	case chosen:
		return u.chose(u.found[u.at]), true
	case closed:
		return nil, true
	}
	u.clamp()
	return nil, false
}

// refine lists what the filter fits.
func (u *menu) refine() {
	ranks := map[string]int{}
	u.found = nil
	for _, o := range u.all {
		if rank, ok := u.rank(o); ok {
			ranks[o.id] = rank
			u.found = append(u.found, o)
		}
	}
	slices.SortStableFunc(u.found, func(a, b option) int { return ranks[a.id] - ranks[b.id] })
	if typed := strings.TrimSpace(u.filter); len(u.found) == 0 && typed != "" && u.free != nil {
		if o, ok := u.free(typed); ok {
			u.found = append(u.found, o)
		}
	}
	u.count = len(u.found)
}

// rank says how well the filter fits an option, the lower the better.
func (u *menu) rank(o option) (rank int, ok bool) {
	filter, name := strings.ToLower(strings.TrimSpace(u.filter)), strings.ToLower(o.name)
	switch {
	case filter == "":
	case strings.HasPrefix(strings.TrimPrefix(name, "/"), strings.TrimPrefix(filter, "/")):
	case u.fits(o.name):
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
	if o.last {
		rank += 5
	}
	return rank, true
}

// text is all that an option is found by.
func (o option) text() string { return strings.Join([]string{o.name, o.what, o.right, o.id}, " ") }

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

// lines implements overlay.
func (u *menu) lines() ([]string, *tea.Cursor) {
	return u.draw(page{head: u.head, right: u.right, none: u.none, row: u.row, marked: u.marked, hint: u.hint})
}

// row draws an option: its name in a column of its own.
func (u *menu) row(i int) string {
	o, mark := u.found[i], "  "
	name, what := o.name, u.st.Dim.Render(o.what)
	if i == u.at {
		mark, name = u.st.Cyan.Render(ink.MarkUser)+" ", u.st.Bold.Render(name)
	} else if o.dim {
		name = u.st.Dim.Render(name)
	}
	column := 0
	for _, o := range u.found {
		column = max(column, lipgloss.Width(o.name))
	}
	const narrow = 60
	if u.width < narrow {
		column = min(column, u.width*3/5)
	} else {
		column = min(column, u.width*2/5)
	}
	name = ink.Truncate(name, column)
	pad := strings.Repeat(" ", max(column-lipgloss.Width(name), 0)+2)
	room := max(min(u.width, widestRow)-ink.Gutter, 1)
	return ink.Truncate(mark+ink.Spread(name+pad+what, u.st.Dim.Render(o.right), room), u.width)
}

// marked tells more of the marked option.
func (u *menu) marked(height int) []string {
	if u.detail == nil || u.at >= len(u.found) {
		return nil
	}
	lines := u.detail(u.found[u.at], u.width)
	return lines[:min(len(lines), height)]
}
