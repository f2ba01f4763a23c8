package tui

import (
	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// surveyed takes what lies before the events that were told.
func (m *model) surveyed(s event.Opened) {
	if m.Transcript.Settled && m.Transcript.Events() > 0 {
		return
	}
	m.Transcript.Survey(s)
	m.Feed.TakeSurvey(s)
	if s.Title != "" {
		m.SetTitle(s.Title)
	}
	if cmd := m.pager.Find.Again(); cmd != nil {
		m.Pending = cmd
	}
	for _, p := range s.Problems {
		m.Transcript.Add(&transcript.Problem{Text: p})
	}
}

// rewound cuts the session back to its first events. What it has cost, what
// runs beside it, how it is called and who answers stay as they are.
func (m *model) rewound(keep int) {
	if keep < 0 || keep > m.Transcript.Events() || !m.Transcript.Settled {
		return
	}
	if m.Options.Session.Page != nil {
		m.Pending = m.Feed.ReadLast(m.Options.Session.Page, keep)
	}
	m.Feed.Rewind(keep)
	m.Transcript.Rewind(keep)
	m.dialog.Clear()
	m.pager.Find.Close()
	m.Say("what followed is taken back. The log of the session keeps it; files stay as they are")
}
