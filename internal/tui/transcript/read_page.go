package transcript

import (
	"math"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
)

// Reader returns the events of the session's log with numbers in [from, to).
type Reader func(from, to int) ([]event.Event, error)

// PageRead is the message with the events of a page.
type PageRead struct {
	page    *Page
	events  []event.Event
	changed turnChanges // of the turn that the page continues, before the page
	err     error
}

// command returns the command that reads the page, in pieces of at most size events.
func (p *Page) command(read Reader, size int) tea.Cmd {
	from, to, turn := p.from, p.to, p.turn
	p.asked = true
	return func() tea.Msg {
		r := PageRead{page: p}
		r.events, r.err = read(from, to)
		if !endsTurn(r.events) {
			return r
		}
		for at := turn; at < from && r.err == nil; at += size {
			var before []event.Event
			before, r.err = read(at, min(at+size, from))
			for _, ev := range before {
				r.changed.add(ev)
			}
		}
		return r
	}
}

// endsTurn reports whether events end a turn that started before them.
func endsTurn(events []event.Event) bool {
	for _, ev := range events {
		switch ev := ev.(type) {
		case *event.UserSaid:
			if !ev.Steered {
				return false
			}
		case *event.TurnEnd:
			return true
		}
	}
	return false
}

// TurnPages drops pages far from the window and returns the command that reads the
// pages near the window and the page of its target. The last pages always stay in
// memory, so that the end can be shown at once.
func (t *Transcript) TurnPages(read Reader) tea.Cmd {
	var cmds []tea.Cmd
	want := func(p *Page) {
		if !p.Read && !p.asked && p.fault == nil {
			cmds = append(cmds, p.command(read, t.Pages.Limit.Events))
		}
	}
	if t.target != nil {
		want(t.Pages.All[t.Pages.pageOf(t.target.At)])
	}
	from, to := t.pagesNear(1)
	for _, p := range t.Pages.All[from : to+1] {
		want(p)
	}
	from, to = t.pagesNear(2)
	for i, p := range t.Pages.All {
		switch {
		case i == 0 || from <= i && i <= to:
		case p.fault != nil: // it is retried when the window is near again
			p.fault = nil
			p.Rows[0].Touch()
		case p.Read && i < len(t.Pages.All)-2:
			p.drop(t.openAll)
		}
	}
	return tea.Batch(cmds...)
}

// TakePage applies a page that was read. The rows of other pages keep their place in
// the window.
func (t *Transcript) TakePage(r PageRead, now func() time.Time) {
	i, p := slices.Index(t.Pages.All, r.page), r.page
	if i < 0 || p.Read {
		return
	}
	p.asked = false
	if p.fault = r.err; r.err != nil {
		p.Rows[0].Touch()
		if t.target != nil && t.Pages.pageOf(t.target.At) == i {
			t.target = nil
		}
		return
	}
	fromAbove := t.Pages.All[i-1].Read && !t.Pages.All[i+1].Read
	next := t.Pages.nearest(Position{Page: i + 1})
	_, gap := t.lines(next)
	t.fillPage(r, now)
	_, left := t.lines(next)
	switch {
	case t.Top.Page == i && fromAbove:
		t.Top, t.skip = t.Pages.nearest(Position{Page: i}), 0
	case t.Top.Page == i: // the rows below the line that stood for the page stay in place
		t.Top, t.skip = next, left-1-gap
	case t.Top == next:
		t.skip -= gap - left
	}
	owed := t.owed
	t.owed = 0
	t.moveTo(t.Top, t.skip+owed)
	t.ReachTarget()
}

// fillPage makes the rows of a page from its events.
func (t *Transcript) fillPage(r PageRead, now func() time.Time) {
	p, to := r.page, r.page.to
	alone := New(t.styles)
	alone.openAll, alone.Pages.Limit = t.openAll, PageSize{math.MaxInt, math.MaxInt}
	alone.Pages.All[1] = p
	p.Rows, p.Read, p.to, p.bytes = nil, true, p.from, 0
	f := NewFeed(alone, now)
	f.changed = r.changed
	for _, ev := range r.events {
		f.Apply(ev)
	}
	f.shell.drop() // the page with the end of the command shows all of it
	f.FinishReplay()
	for _, r := range p.own {
		p.Rows = append(p.Rows, r.Row)
	}
	p.own, p.to = nil, to
	for _, i := range p.toggled {
		if i < len(p.Rows) {
			if o, ok := p.Rows[i].Item.(Expander); ok {
				*o.open() = !t.openAll
			}
		}
	}
	p.toggled = nil
}

// LastState is the message with the last state of a rewound session.
type LastState struct {
	keep int // number of events kept by the rewind
	SessionState
}

// ReadLast returns the command that reads the last state of the session before event
// number keep. It searches for tasks and a plan only if the session has some.
func (f *Feed) ReadLast(read Reader, keep int) tea.Cmd {
	size, todo, plan := f.list.Pages.Limit.Events, len(f.State.Todo) > 0, f.State.Plan != nil
	return func() tea.Msg {
		last := LastState{keep: keep}
		stepped := false // an interrupted step reports no usage
		for to := keep; to > 0 && !(stepped && last.Answer != "" && (last.Todo != nil || !todo) && (last.Plan != nil || !plan)); to -= size {
			events, err := read(max(to-size, 0), to)
			if err != nil {
				return nil
			}
			var earlier SessionState
			for _, ev := range events {
				earlier.update(ev)
				_, ends := ev.(*event.StepEnd)
				stepped = stepped || ends
			}
			last.addEarlier(earlier)
		}
		return last
	}
}

// ApplyLastState applies the last state of a rewound session, unless it was rewound
// again since.
func (f *Feed) ApplyLastState(last LastState) {
	if last.keep == f.kept {
		f.State.addEarlier(last.SessionState)
	}
}
