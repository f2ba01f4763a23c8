package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// tell draws the end of a session from its events.
func (m *model) tell(events []event.Event) {
	m.feed = newFeed(m.list, m.now)
	for _, ev := range events {
		m.feed.apply(ev)
	}
	m.feed.goesOn(m.o)
	m.feed.resumed()
	m.list.settled = m.o.Page == nil || len(events) == 0
	m.entitle(m.feed.title)
}

// surveyed takes what lies before the events that were told.
func (m *model) surveyed(s event.Opened) {
	if m.list.settled && m.list.events() > 0 {
		return
	}
	m.list.survey(s)
	m.feed.surveyed(s)
	if s.Title != "" {
		m.entitle(s.Title)
	}
	if m.find.open {
		m.recalls = m.searchFor(m.find.Text)
	}
	for _, p := range s.Problems {
		m.list.add(&fault{text: p})
	}
}

// unsurveyed makes the best of a session that cannot be read: there is no more
// of it than was told, and no way back in it.
func (m *model) unsurveyed(ev event.Unreadable) {
	m.broken, m.o.Page, m.list.settled = ink.SanitizeLine(ev.Why), nil, true
	m.list.reach()
	m.list.add(&fault{text: "the session cannot be read: " + m.broken,
		hint: "What is shown is what was read of it before. Its beginning is missing, and nothing can be taken back or copied. /new begins another session."})
}

// entitle says what the session is called.
func (m *model) entitle(title string) {
	m.feed.title = title
	head := m.list.pages[0].rows[0]
	head.item = &header{m.o.heading(title)}
	head.touch()
}

// rewound cuts the session back to its first events. What it has cost, what
// runs beside it, how it is called and who answers stay as they are.
func (m *model) rewound(keep int) {
	if keep < 0 || keep > m.list.events() || !m.list.settled {
		return
	}
	if m.o.Page != nil {
		m.recalls = recall(m.o.Page, keep, m.list.full.events, len(m.feed.todo) > 0)
	}
	m.feed.rewind(keep)
	m.list.rewind(keep)
	m.dialog.clear()
	m.closeFind()
	m.say("what followed is taken back. The log of the session keeps it; files stay as they are")
}

// recalled brings what a session that was rewound told last.
type recalled struct {
	keep   int // events that it was rewound to
	used   int
	answer string
	todo   []event.TodoItem
}

// recall returns the command that looks for what the session told last, a plan
// too if it has one.
func recall(read func(from, to int) ([]event.Event, error), keep, size int, todo bool) tea.Cmd {
	return func() tea.Msg {
		r := recalled{keep: keep}
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
