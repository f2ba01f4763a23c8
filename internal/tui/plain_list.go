package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
	"agent/internal/tui/list"
)

// plainRows is how much of a list is told at once.
const plainRows = 20

// numbered is a list of which one row is wanted.
type numbered interface {
	list.Overlay
	Size() int
	Row(i int) string
	MarkRow(i int)
}

// list tells of the list that waits for a choice, when its rows are there. What
// alone fits a part of a name is chosen.
func (p *teller) list() tea.Cmd {
	if p.m.lists.over == nil {
		p.listed, p.sought = 0, ""
		return nil
	}
	rows, ok := p.m.lists.over.(numbered)
	if !ok {
		p.m.lists.Close()
		p.print("note: that needs a screen")
		return nil
	}
	if p.listed > 0 {
		return nil
	}
	sought := p.sought
	p.sought = ""
	switch n := rows.Size(); {
	case n == 0 && sought == "":
		p.m.lists.Close()
		p.print("note: there is nothing to choose from")
		return nil
	case n == 0:
		p.print("note: nothing here is called " + ink.SanitizeLine(sought))
		p.update(list.SetFilter("")) // and all of it is told again
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
func (p *teller) tellRows(rows numbered) {
	for end := min(rows.Size(), p.listed+plainRows); p.listed < end; {
		p.listed++
		p.print("  " + strconv.Itoa(p.listed) + " " + strings.TrimLeft(ansi.Strip(rows.Row(p.listed-1)), ink.MarkUser+" "))
	}
	if more := rows.Size() - p.listed; more > 0 {
		p.print("  and " + strconv.Itoa(more) + " more: type more to see them")
	}
}

// chooses reports whether a line is about the list that waits, rather than about
// something else: a typed command, or what a file goes on with.
func (p *teller) chooses(line string) bool {
	return p.m.lists.over != nil && p.listed > 0 &&
		(line == "" || isNumber(line) || p.wantsMore(line) || p.in.Typed && !strings.HasPrefix(line, "/"))
}

// wantsMore reports whether a line asks for more of the list.
func (p *teller) wantsMore(line string) bool {
	rows, ok := p.m.lists.over.(numbered)
	return ok && line == "more" && p.listed < rows.Size()
}

// choose takes a line as the number of a row, or as a part of the name of one.
func (p *teller) choose(line string) tea.Cmd {
	n, err := strconv.Atoi(line)
	rows := p.m.lists.over.(numbered)
	switch {
	case line == "":
		p.m.lists.Close()
		return nil
	case p.wantsMore(line):
		p.tellRows(rows)
		return nil
	case err != nil:
		p.sought, p.listed = line, 0
		return tea.Batch(p.update(list.SetFilter(line)), p.update(list.SearchDue{Query: line}))
	case n < 1 || n > p.listed:
		p.print("note: there is no row " + ink.SanitizeLine(line))
		p.listed = 0
		return p.list()
	}
	return p.take(rows, n-1)
}

// take takes a row.
func (p *teller) take(rows numbered, i int) tea.Cmd {
	rows.MarkRow(i)
	return p.update(tea.KeyPressMsg{Code: tea.KeyEnter})
}
