package plain

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
	"agent/internal/tui/list"
)

// listRows is the number of rows of a list that are printed at once.
const listRows = 20

// openList is the list that waits for a choice.
type openList struct {
	list.Current
	listed int    // number of printed rows
	filter string // typed by the user, whose result is not printed yet
}

// Show opens a list. It implements slash.Lists.
func (l *openList) Show(o list.Overlay) tea.Cmd {
	*l = openList{}
	return l.Current.Show(o, width, height)
}

// Close closes the list.
func (l *openList) Close() { *l = openList{} }

// update passes a message to the list, and closes it after a choice.
func (l *openList) update(msg tea.Msg) tea.Cmd {
	cmd, closed := l.Current.Update(msg)
	if closed {
		l.Close()
	}
	return cmd
}

// numbered is a list whose rows can be chosen by number.
type numbered interface {
	list.Overlay
	Size() int
	Row(i int) string
	MarkRow(i int)
}

// printList prints the first rows of an open list. If a filter matches only one row,
// it chooses that.
func (p *front) printList() tea.Cmd {
	if p.lists.Open == nil {
		p.lists.listed, p.lists.filter = 0, ""
		return nil
	}
	if f, ok := p.lists.Open.(*list.Field); ok {
		p.printField(f)
		return nil
	}
	rows, ok := p.lists.Open.(numbered)
	if !ok {
		p.lists.Close()
		p.print("note: not available in plain mode")
		return nil
	}
	if p.lists.listed > 0 {
		return nil
	}
	filter := p.lists.filter
	p.lists.filter = ""
	if m, ok := rows.(*list.Menu); ok && m.Introduction() != "" {
		p.paragraph("ask", m.Introduction())
	}
	switch n := rows.Size(); {
	case n == 0 && filter == "":
		p.lists.Close()
		p.print("note: the list is empty")
		return nil
	case n == 0:
		p.print("note: no match for " + ink.SanitizeLine(filter))
		p.lists.update(list.SetFilter(""))
	case n == 1 && filter != "":
		p.printRows(rows)
		cmd := p.chooseRow(rows, 0)
		if cmd == nil { // the rows of the next list are complete
			return p.printList()
		}
		return cmd
	}
	p.printRows(rows)
	if p.in.Typed {
		p.print("  type a number or part of a name to select, or an empty line to cancel")
	} else {
		p.print("  type a number to select, or an empty line to cancel")
	}
	return nil
}

// printField prints what to type in a field.
func (p *front) printField(f *list.Field) {
	if p.lists.listed > 0 {
		return
	}
	p.lists.listed = 1
	p.paragraph("ask", strings.TrimSuffix(f.Head+"\n"+f.Intro, "\n"))
	if text := f.Text(); text != "" {
		p.print("  now: " + text)
	}
	p.print("  an empty line cancels")
}

// giveField takes a line as the text of a field.
func (p *front) giveField(f *list.Field, line string) tea.Cmd {
	if line == "" {
		return p.lists.update(list.Close{})
	}
	before := p.lists.Open
	cmd := f.Give(line)
	if p.lists.Open == before { // no other list was opened
		p.lists.Close()
	}
	return cmd
}

// hide stops the terminal from showing what the user types into a masked field.
func (p *front) hide() {
	f, ok := p.lists.Open.(*list.Field)
	switch masked := ok && f.Masked; {
	case !masked:
		p.unhide()
	case p.show == nil && p.in.Hide != nil:
		p.show = p.in.Hide()
	}
}

// unhide lets the terminal show what the user types again.
func (p *front) unhide() {
	if p.show != nil {
		p.show()
		p.show = nil
	}
}

// printRows prints the next rows of a list.
func (p *front) printRows(rows numbered) {
	for end := min(rows.Size(), p.lists.listed+listRows); p.lists.listed < end; {
		p.lists.listed++
		p.print("  " + strconv.Itoa(p.lists.listed) + " " + strings.TrimLeft(ansi.Strip(rows.Row(p.lists.listed-1)), ink.MarkUser+" "))
	}
	if more := rows.Size() - p.lists.listed; more > 0 {
		p.print("  and " + strconv.Itoa(more) + " more (type more to list them)")
	}
}

// chooses reports whether a line is input for the open list: not a slash command, and
// in a file only a number, an empty line or "more".
func (p *front) chooses(line string) bool {
	return p.lists.Open != nil && p.lists.listed > 0 &&
		(line == "" || isNumber(line) || p.wantsMore(line) || p.in.Typed && !strings.HasPrefix(line, "/"))
}

// wantsMore reports whether a line asks for more of the list.
func (p *front) wantsMore(line string) bool {
	rows, ok := p.lists.Open.(numbered)
	return ok && line == "more" && p.lists.listed < rows.Size()
}

// choose takes a line as the number of a row or as a filter.
func (p *front) choose(line string) tea.Cmd {
	rows := p.lists.Open.(numbered)
	a, row := answerOf(line, p.lists.listed, rows.Size())
	switch a {
	case cancels:
		return p.lists.update(list.Close{})
	case wantsMore:
		p.printRows(rows)
		return nil
	case filters:
		p.lists.filter, p.lists.listed = line, 0
		return tea.Batch(p.lists.update(list.SetFilter(line)), p.lists.update(list.SearchDue{Query: line}))
	case misses:
		p.print("note: there is no row " + ink.SanitizeLine(line))
		p.lists.listed = 0
		return p.printList()
	}
	return p.chooseRow(rows, row)
}

// chooseRow chooses a row.
func (p *front) chooseRow(rows numbered, i int) tea.Cmd {
	rows.MarkRow(i)
	before := p.dialog.First().ID
	defer func() { p.askNext(before) }()
	return p.lists.update(tea.KeyPressMsg{Code: tea.KeyEnter})
}
