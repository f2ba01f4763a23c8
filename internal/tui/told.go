package tui

import (
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/transcript"
)

// tell draws the end of a session from its events.
func (m *model) tell(events []event.Event) {
	m.feed = transcript.NewFeed(m.list, m.now)
	for _, ev := range events {
		m.feed.Apply(ev)
	}
	m.continueWith(m.o)
	m.feed.FinishReplay()
	m.list.Settled = m.o.Page == nil || len(events) == 0
	m.entitle(m.feed.Title)
}

// surveyed takes what lies before the events that were told.
func (m *model) surveyed(s event.Opened) {
	if m.list.Settled && m.list.Events() > 0 {
		return
	}
	m.list.Survey(s)
	m.feed.TakeSurvey(s)
	if s.Title != "" {
		m.entitle(s.Title)
	}
	if m.find.open {
		m.recalls = m.searchFor(m.find.Text)
	}
	for _, p := range s.Problems {
		m.list.Add(&transcript.Problem{Text: p})
	}
}

// unsurveyed makes the best of a session that cannot be read: there is no more
// of it than was told, and no way back in it.
func (m *model) unsurveyed(ev event.Unreadable) {
	m.broken, m.o.Page, m.list.Settled = ink.SanitizeLine(ev.Why), nil, true
	m.list.ReachTarget()
	m.list.Add(&transcript.Problem{Text: "the session cannot be read: " + m.broken,
		Hint: "What is shown is what was read of it before. Its beginning is missing, and nothing can be taken back or copied. /new begins another session."})
}

// entitle says what the session is called.
func (m *model) entitle(title string) {
	m.feed.Title = title
	m.list.SetHeader(m.o.heading(title))
}

// rewound cuts the session back to its first events. What it has cost, what
// runs beside it, how it is called and who answers stay as they are.
func (m *model) rewound(keep int) {
	if keep < 0 || keep > m.list.Events() || !m.list.Settled {
		return
	}
	if m.o.Page != nil {
		m.recalls = m.feed.ReadLast(m.o.Page, keep)
	}
	m.feed.Rewind(keep)
	m.list.Rewind(keep)
	m.dialog.Clear()
	m.closeFind()
	m.say("what followed is taken back. The log of the session keeps it; files stay as they are")
}

// continueWith sets what answers from here on, and in which mode: it may be another
// than the session had.
func (m *model) continueWith(o Options) {
	f := m.feed
	if o.Model != "" {
		f.Model, f.Why, f.Context, f.Effort = o.Model, o.ModelWhy, o.Context, o.Effort
		f.Host, f.BaseURL = o.Host, o.BaseURL
	}
	if o.Mode != "" {
		f.Mode = o.Mode
	}
}
