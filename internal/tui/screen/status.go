package screen

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Status is what the last line tells: what answers, where, how full its window
// is, what is asked about, and on the right what goes on.
type Status struct {
	Model, Dir, Branch string
	Effort             string // of the model, where it is not its own
	Host               string // of the model, if that is not its provider's own
	Used, Context      int
	Cost               float64 // US dollars
	Mode               string
	Jobs               int // that run
	Right              string
}

// usualLayout is what the last line tells, and in which order.
func usualLayout() []string {
	return []string{"model", "directory", "branch", "tokens", "cost", "mode", "jobs"}
}

// Fact is a part of the last line.
type Fact struct {
	Text  string
	short string // what stands for it before it goes; may be empty
	keep  int    // where room is short, the lowest goes first
	warn  bool   // it is to be seen
}

// leastFact is how many columns the last fact needs to tell anything.
const leastFact = 12

// Line draws it: what the names in layout stand for, in their order; nil is the
// usual. Where room is short, what can be found elsewhere goes first.
func (s Status) Line(st *ink.Styles, width int, layout []string) string {
	room := width - lipgloss.Width(s.Right) - 2
	for facts := s.facts(layout); ; {
		var texts []string
		wide, least := 0, -1
		for i, f := range facts {
			style := st.Dim
			if f.warn {
				style = st.Yellow
			}
			texts = append(texts, style.Render(f.Text))
			wide += lipgloss.Width(f.Text) + 3
			if least < 0 || f.keep < facts[least].keep {
				least = i
			}
		}
		if wide-3 > room && room < leastFact && s.Right != "" && len(facts) <= 1 {
			return st.Dim.Render(ink.Truncate(s.Right, width)) // what a key does now matters more
		}
		if wide-3 <= room || len(facts) <= 1 {
			return ink.Spread(strings.Join(texts, st.Dim.Render(" · ")), st.Dim.Render(s.Right), width)
		}
		if f := &facts[least]; f.short != "" {
			f.Text, f.short = f.short, ""
			if f.warn {
				f.keep = 8
			}
			continue
		}
		facts = slices.Delete(facts, least, least+1)
	}
}

// facts are what there is to tell, in the order of the layout.
func (s Status) facts(layout []string) []Fact {
	model := ink.SanitizeLine(s.Model)
	if model == "" {
		model = "no model"
	}
	if s.Effort != "" {
		model += " " + ink.SanitizeLine(s.Effort)
	}
	if layout == nil {
		layout = usualLayout()
	}
	var facts []Fact
	for _, name := range layout {
		switch name {
		case "model":
			facts = append(facts, Fact{Text: model, keep: 9}, Fact{Text: ink.SanitizeLine(s.Host), keep: 8}, Fact{Text: s.Offline(), keep: 4})
		case "directory":
			facts = append(facts, Fact{Text: ink.SanitizeLine(s.Dir), keep: 2})
		case "branch":
			facts = append(facts, Fact{Text: ink.SanitizeLine(s.Branch), keep: 1})
		case "tokens":
			facts = append(facts, s.Tokens())
		case "cost":
			facts = append(facts, Fact{Text: s.Spent(), keep: 3})
		case "mode":
			facts = append(facts, Fact{Text: ModeWords(s.Mode), keep: 6})
		case "jobs":
			facts = append(facts, Fact{Text: s.Running(), keep: 7})
		}
	}
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Text == "" })
}

// Offline says what the built-in stand-in is not.
func (s Status) Offline() string {
	if strings.HasPrefix(s.Model, "offline/") {
		return "no language model"
	}
	return ""
}

// nearlyFull is how many hundredths of a window are taken when that is worth a
// warning: what is cut by itself is cut soon.
const nearlyFull = 80

// Tokens tells how much of the model's window the conversation takes.
func (s Status) Tokens() Fact {
	switch {
	case s.Used == 0:
		return Fact{}
	case s.Context == 0:
		return Fact{Text: phrase.Thousands(s.Used) + " tokens", keep: 5}
	}
	text, full := phrase.Thousands(s.Used)+" of "+phrase.Thousands(s.Context), 100*s.Used/s.Context
	switch {
	case full == 0:
		return Fact{Text: text, keep: 5}
	case full >= nearlyFull:
		return Fact{Text: fmt.Sprintf("%s (%d%%, nearly full)", text, full), short: fmt.Sprintf("%d%% full", full), keep: 7, warn: true}
	}
	return Fact{Text: fmt.Sprintf("%s (%d%%)", text, full), short: fmt.Sprintf("%d%% full", full), keep: 5}
}

// Spent tells what the session has cost, where that is known.
func (s Status) Spent() string {
	if s.Cost == 0 {
		return ""
	}
	return phrase.Dollars(s.Cost)
}

// Running tells what runs in the background.
func (s Status) Running() string {
	if s.Jobs == 0 {
		return ""
	}
	return phrase.Count(s.Jobs, "job")
}

// ModeWords says in words what is asked about.
func ModeWords(mode string) string {
	switch event.Mode(mode) {
	case event.ModeAsk:
		return "asks before changes"
	case event.ModeEdits:
		return "edits unasked"
	case event.ModePlan:
		return "plans, edits nothing"
	case event.ModeAll:
		return "asks nothing"
	}
	return mode
}
