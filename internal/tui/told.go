package tui

import "agent/internal/loop"

// tell draws the session from its events, in the place of what is drawn of it.
func (m *model) tell(events []loop.Event) {
	m.list.rows = m.list.rows[:m.opening]
	m.feed = newFeed(m.list, m.now)
	m.feed.model, m.feed.why, m.feed.context, m.feed.mode = m.o.Model, m.o.ModelWhy, m.o.Context, m.o.Mode
	for _, ev := range events {
		m.feed.apply(ev)
	}
	m.feed.resumed()
	m.entitle(m.feed.title)
}

// entitle says what the session is called.
func (m *model) entitle(title string) {
	m.feed.title = title
	m.list.rows[0].item = &header{m.o.heading(title)}
	m.list.rows[0].touch()
}

// rewound cuts the session back to its first events. What it has cost, what
// runs beside it, how it is called and who answers stay as they are.
func (m *model) rewound(keep int) {
	was := m.feed
	if keep < 0 || keep > len(was.events) {
		return
	}
	m.tell(was.events[:keep:keep])
	f := m.feed
	f.cost, f.jobs, f.prompts = was.cost, was.jobs, was.prompts
	f.model, f.why, f.context, f.mode = was.model, was.why, was.context, was.mode
	if f.pending = was.pending; len(f.pending) > 0 {
		f.begin()
	}
	m.entitle(was.title)
	m.dialog.clear()
	m.say("what followed is taken back. The log of the session keeps it; files stay as they are")
}
