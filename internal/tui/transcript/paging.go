package transcript

import (
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// PageRead brings the events of a page.
type PageRead struct {
	page    *Page
	events  []event.Event
	changed tally // by the turn that goes on in it, until it begins
	err     error
}

// ReadPage returns the command that reads a page.
func ReadPage(read func(from, to int) ([]event.Event, error), p *Page, size int) tea.Cmd {
	from, to, turn := p.from, p.to, p.turn
	return func() tea.Msg {
		r := PageRead{page: p, changed: tally{}}
		r.events, r.err = read(from, to)
		if !endsTurn(r.events) {
			return r
		}
		for at := turn; at < from && r.err == nil; at += size {
			var before []event.Event
			before, r.err = read(at, min(at+size, from))
			for _, ev := range before {
				r.changed.take(ev)
			}
		}
		return r
	}
}

// endsTurn reports whether events end a turn that they do not begin.
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

// around are the pages that the window shows, and n more on either side.
func (t *Transcript) around(n int) (from, to int) {
	return max(t.Top.Page-n, 1), min(max(t.Top.Page, t.Bottom.Page)+n, len(t.Pages)-1)
}

// Wanted are the pages to read: a page ahead of the window, and where it is to
// go.
func (t *Transcript) Wanted() []*Page {
	var out []*Page
	want := func(p *Page) {
		if !p.Read && !p.Asked && p.fault == nil {
			out = append(out, p)
		}
	}
	if t.aim != nil {
		want(t.Pages[t.pageOf(t.aim.At)])
	}
	from, to := t.around(1)
	for _, p := range t.Pages[from : to+1] {
		if !slices.Contains(out, p) {
			want(p)
		}
	}
	return out
}

// DropFar forgets the pages that are far from the window. The last ones stay, to
// have a window full of them at once.
func (t *Transcript) DropFar() {
	from, to := t.around(2)
	for i, p := range t.Pages {
		switch {
		case i == 0 || from <= i && i <= to:
		case p.fault != nil: // the next time it may be read
			p.fault = nil
			p.Rows[0].Touch()
		case p.Read && i < len(t.Pages)-2:
			p.forget(t.openAll)
		}
	}
}

// TakePage takes a page that was read.
func (t *Transcript) TakePage(r PageRead, now func() time.Time) {
	i := slices.Index(t.Pages, r.page)
	if i < 0 || r.page.Read {
		return
	}
	p := r.page
	p.Asked = false
	if p.fault = r.err; r.err != nil {
		p.Rows[0].Touch()
		if t.aim != nil && t.pageOf(t.aim.At) == i {
			t.aim = nil
		}
		return
	}
	fromAbove := t.Pages[i-1].Read && !t.Pages[i+1].Read
	next := t.near(Position{Page: i + 1})
	_, gap := t.lines(next)
	t.draw(p, r, now)
	_, left := t.lines(next)
	switch {
	case t.Top.Page == i && fromAbove:
		t.Top, t.skip = t.near(Position{Page: i}), 0
	case t.Top.Page == i: // what is below the line that stood for the page stays where it is
		t.Top, t.skip = next, left-1-gap
	case t.Top == next:
		t.skip -= gap - left
	}
	t.skip, t.Owed = t.skip+t.Owed, 0
	t.scrollUp()
	t.scrollDown()
	t.ReachTarget()
}

// draw makes the rows of a page from its events.
func (t *Transcript) draw(p *Page, r PageRead, now func() time.Time) {
	alone := New(t.Styles)
	alone.openAll, alone.PageLimit = t.openAll, PageSize{math.MaxInt, math.MaxInt}
	alone.Pages[1] = p
	to := p.to
	p.Rows, p.Read, p.to, p.bytes = nil, true, p.from, 0
	f := NewFeed(alone, now)
	f.files = r.changed
	for _, ev := range r.events {
		f.Apply(ev)
	}
	if f.Shell != nil { // how it ended is told on another page, with all of it
		p.remove(f.Shell)
		f.Shell = nil
	}
	f.FinishReplay()
	for _, r := range p.own {
		p.Rows = append(p.Rows, r.Row)
	}
	p.own, p.to = nil, to
	for _, i := range p.other {
		if i < len(p.Rows) {
			if o, ok := p.Rows[i].Item.(Expander); ok {
				o.setOpen(!t.openAll)
			}
		}
	}
	p.other = nil
}

// LastFacts brings what a session that was rewound told last.
type LastFacts struct {
	keep   int // events that it was rewound to
	used   int
	answer string
	todo   []event.TodoItem
}

// ReadLast returns the command that looks for what the session told last, a plan
// too if it has one.
func ReadLast(read func(from, to int) ([]event.Event, error), keep, size int, todo bool) tea.Cmd {
	return func() tea.Msg {
		r := LastFacts{keep: keep}
		stepped := false
		for to := keep; to > 0 && !(stepped && r.answer != "" && (r.todo != nil || !todo)); to -= size {
			events, err := read(max(to-size, 0), to)
			if err != nil {
				return nil
			}
			for _, ev := range slices.Backward(events) {
				switch ev := ev.(type) {
				case *event.StepEnd:
					if r.used == 0 { // one that was stopped tells none
						stepped, r.used = true, ev.Usage.Input+ev.Usage.Output
					}
				case *event.MessageDone:
					if r.answer == "" && ev.Message.Kind == llm.Assistant && strings.TrimSpace(ev.Message.Text) != "" {
						r.answer = ev.Message.Text
					}
				case *event.TodoSet:
					if r.todo == nil {
						r.todo = ev.Items
					}
				}
			}
		}
		return r
	}
}
