package plain

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
	"agent/internal/tui/list"
)

// listRows is how much of a list is told at once.
const listRows = 20

// openList is the list that waits for a choice.
type openList struct {
	over   list.Overlay // nil unless a list is open
	listed int          // how many of its rows are printed
	sought string       // the part of a name that it was just narrowed to
}

// Show opens a list.
func (l *openList) Show(o list.Overlay) tea.Cmd {
	cmd, _ := o.Update(tea.WindowSizeMsg{Width: width, Height: height})
	*l = openList{over: o}
	return cmd
}

// Close closes the list.
func (l *openList) Close() { *l = openList{} }

// update hands a message to the list, and closes it when a row was chosen.
func (l *openList) update(msg tea.Msg) tea.Cmd {
	over := l.over
	if over == nil {
		return nil
	}
	cmd, closed := over.Update(msg)
	if closed && l.over == over {
		l.Close()
	}
	return cmd
}

// numbered is a list of which one row is wanted.
type numbered interface {
	list.Overlay
	Size() int
	Row(i int) string
	MarkRow(i int)
}

// list tells of the list that waits for a choice, when its rows are there. What
// alone fits a part of a name is chosen.
func (p *front) list() tea.Cmd {
	if p.lists.over == nil {
		p.lists.listed, p.lists.sought = 0, ""
		return nil
	}
	rows, ok := p.lists.over.(numbered)
	if !ok {
		p.lists.Close()
		p.print("note: that needs a screen")
		return nil
	}
	if p.lists.listed > 0 {
		return nil
	}
	sought := p.lists.sought
	p.lists.sought = ""
	switch n := rows.Size(); {
	case n == 0 && sought == "":
		p.lists.Close()
		p.print("note: there is nothing to choose from")
		return nil
	case n == 0:
		p.print("note: nothing here is called " + ink.SanitizeLine(sought))
		p.lists.update(list.SetFilter("")) // and all of it is told again
	case n == 1 && sought != "":
		p.tellRows(rows)
		return p.take(rows, 0)
	}
	p.tellRows(rows)
	if p.in.Typed {
		p.print("  a number or a part of a name takes one, nothing leaves the list")
	} else {
		p.print("  a number takes one, nothing leaves the list")
	}
	return nil
}

// tellRows tells the next rows of a list.
func (p *front) tellRows(rows numbered) {
	for end := min(rows.Size(), p.lists.listed+listRows); p.lists.listed < end; {
		p.lists.listed++
		p.print("  " + strconv.Itoa(p.lists.listed) + " " + strings.TrimLeft(ansi.Strip(rows.Row(p.lists.listed-1)), ink.MarkUser+" "))
	}
	if more := rows.Size() - p.lists.listed; more > 0 {
		p.print("  and " + strconv.Itoa(more) + " more: type more to see them")
	}
}

// chooses reports whether a line is about the list that waits, rather than about
// something else: a typed command, or what a file goes on with.
func (p *front) chooses(line string) bool {
	return p.lists.over != nil && p.lists.listed > 0 &&
		(line == "" || isNumber(line) || p.wantsMore(line) || p.in.Typed && !strings.HasPrefix(line, "/"))
}

// wantsMore reports whether a line asks for more of the list.
func (p *front) wantsMore(line string) bool {
	rows, ok := p.lists.over.(numbered)
	return ok && line == "more" && p.lists.listed < rows.Size()
}

// choose takes a line as the number of a row, or as a part of the name of one.
func (p *front) choose(line string) tea.Cmd {
	n, err := strconv.Atoi(line)
	rows := p.lists.over.(numbered)
	switch {
	case line == "":
		p.lists.Close()
		return nil
	case p.wantsMore(line):
		p.tellRows(rows)
		return nil
	case err != nil:
		p.lists.sought, p.lists.listed = line, 0
		return tea.Batch(p.lists.update(list.SetFilter(line)), p.lists.update(list.SearchDue{Query: line}))
	case n < 1 || n > p.lists.listed:
		p.print("note: there is no row " + ink.SanitizeLine(line))
		p.lists.listed = 0
		return p.list()
	}
	return p.take(rows, n-1)
}

// take takes a row.
func (p *front) take(rows numbered, i int) tea.Cmd {
	rows.MarkRow(i)
	return p.lists.update(tea.KeyPressMsg{Code: tea.KeyEnter})
}
