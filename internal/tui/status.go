package tui

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"agent/internal/loop/policy"
)

// status is what the last line tells: what answers, where, how full its window
// is, what is asked about, and on the right what goes on.
type status struct {
	model, dir, branch string
	used, context      int
	cost               float64 // US dollars
	mode               string
	jobs               int // that run
	right              string
}

// line draws it. Where room is short, what can be found elsewhere goes first.
func (s status) line(st *Styles, width int) string {
	model := SanitizeLine(s.model)
	if model == "" {
		model = "no model"
	}
	facts := []struct {
		text string
		keep int // the lowest goes first
	}{
		{model, 9},
		{s.offline(), 4},
		{SanitizeLine(s.dir), 2},
		{SanitizeLine(s.branch), 1},
		{s.tokens(), 5},
		{s.spent(), 3},
		{modeWords(s.mode), 6},
		{s.running(), 7},
	}
	room := width - lipgloss.Width(s.right) - 2
	for {
		var texts []string
		least := -1
		for i, f := range facts {
			if f.text == "" {
				continue
			}
			texts = append(texts, f.text)
			if least < 0 || f.keep < facts[least].keep {
				least = i
			}
		}
		left := strings.Join(texts, " · ")
		if lipgloss.Width(left) <= room || len(texts) <= 1 {
			return st.Dim.Render(spread(left, s.right, width))
		}
		facts[least].text = ""
	}
}

// offline says what the built-in stand-in is not.
func (s status) offline() string {
	if strings.HasPrefix(s.model, "offline/") {
		return "no language model"
	}
	return ""
}

// tokens tells how much of the model's window the conversation takes.
func (s status) tokens() string {
	switch {
	case s.used == 0:
		return ""
	case s.context == 0:
		return thousands(s.used) + " tokens"
	}
	return thousands(s.used) + " of " + thousands(s.context)
}

// spent tells what the session has cost, where that is known.
func (s status) spent() string {
	if s.cost == 0 {
		return ""
	}
	return dollars(s.cost)
}

// running tells what runs in the background.
func (s status) running() string {
	if s.jobs == 0 {
		return ""
	}
	return count(s.jobs, "job")
}

// modeWords says in words what is asked about.
func modeWords(mode string) string {
	switch policy.Mode(mode) {
	case policy.Ask:
		return "asks before changes"
	case policy.Edits:
		return "edits unasked"
	case policy.All:
		return "asks nothing"
	}
	return mode
}

// nextMode is the mode that follows in the cycle.
func nextMode(mode string) policy.Mode {
	for i, m := range policy.Modes {
		if string(m) == mode {
			return policy.Modes[(i+1)%len(policy.Modes)]
		}
	}
	return policy.Ask
}

// doing says what goes on, and what ends it.
func (m *model) doing() string {
	stops := m.keys.name(actInterrupt) + " stops"
	words := stops + " · " + clock(m.now().Sub(m.feed.since).Truncate(time.Second))
	switch {
	case m.chord != "":
		return m.chord + " …"
	case m.leaving(m.now()):
		return m.keys.name(actClear) + " again leaves" + m.lost()
	case m.rewinding(m.now()):
		return m.keys.name(actRewind) + " again goes back"
	case m.dialog.waits():
		return "waits for you · " + stops
	case !m.feed.running && m.feed.cut:
		return m.keys.name(actSend) + " goes on · " + m.keys.name(actHelp) + " keys"
	case !m.feed.running:
		return m.keys.name(actHelp) + " keys"
	case m.feed.killing:
		words = "killing"
	case m.feed.stopping:
		words = "stopping · " + m.keys.name(actInterrupt) + " again kills"
	}
	if !m.feed.working() {
		words = spinner(m.list.frame) + " " + words
	}
	return words
}

// lost says what ends with the program.
func (m *model) lost() string {
	if n := alive(m.feed.jobs); n > 0 {
		return " and ends " + count(n, "job")
	}
	return ""
}
