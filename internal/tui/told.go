package tui

import (
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/transcript"
)

// tell draws the end of a session from its events.
func (s *session) tell(events []event.Event) {
	s.feed = transcript.NewFeed(s.list, s.now)
	for _, ev := range events {
		s.feed.Apply(ev)
	}
	s.continueWith(s.o)
	s.feed.FinishReplay()
	s.list.Settled = s.o.Session.Page == nil || len(events) == 0
	s.entitle(s.feed.Title)
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
	if m.pager.find.open {
		m.recalls = m.pager.find.searchFor(m.pager.find.Text)
	}
	for _, p := range s.Problems {
		m.list.Add(&transcript.Problem{Text: p})
	}
}

// unsurveyed makes the best of a session that cannot be read: there is no more
// of it than was told, and no way back in it.
func (s *session) unsurveyed(ev event.Unreadable) {
	s.broken, s.o.Session.Page, s.list.Settled = ink.SanitizeLine(ev.Why), nil, true
	s.list.ReachTarget()
	s.list.Add(&transcript.Problem{Text: "the session cannot be read: " + s.broken,
		Hint: "What is shown is what was read of it before. Its beginning is missing, and nothing can be taken back or copied. /new begins another session."})
}

// entitle says what the session is called.
func (s *session) entitle(title string) {
	s.feed.Title = title
	s.list.SetHeader(s.o.heading(title))
}

// rewound cuts the session back to its first events. What it has cost, what
// runs beside it, how it is called and who answers stay as they are.
func (m *model) rewound(keep int) {
	if keep < 0 || keep > m.list.Events() || !m.list.Settled {
		return
	}
	if m.o.Session.Page != nil {
		m.recalls = m.feed.ReadLast(m.o.Session.Page, keep)
	}
	m.feed.Rewind(keep)
	m.list.Rewind(keep)
	m.dialog.Clear()
	m.pager.find.close()
	m.say("what followed is taken back. The log of the session keeps it; files stay as they are")
}

// continueWith sets what answers from here on, and in which mode: it may be another
// than the session had.
func (s *session) continueWith(o Options) {
	f := s.feed
	if o.Models.Name != "" {
		f.Model, f.Why, f.Context, f.Effort = o.Models.Name, o.Models.Why, o.Models.Context, o.Models.Effort
		f.Host, f.BaseURL = o.Models.Host, o.Models.BaseURL
	}
	if o.Session.Mode != "" {
		f.Mode = o.Session.Mode
	}
}
