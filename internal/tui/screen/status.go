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

// Status is what the last line shows: on the left facts about the session, on the
// right a hint and the permission mode.
type Status struct {
	Model, Dir, Branch string
	Effort             string  // of the model, if it is not the default
	Host               string  // of the model, if it is not the provider's own
	Used, Context      int     // tokens
	Cost               float64 // US dollars
	Mode               string
	NoSandbox          bool   // commands run without a sandbox, because the system has none
	Jobs               int    // that run
	Left               string // of the limits that are nearly reached
	Right              string
	Working            string // the line above the editor while a turn runs; not drawn here
}

// usualLayout lists the facts of the last line in their order.
func usualLayout() []string {
	return []string{"model", "branch", "tokens", "cost", "jobs"}
}

// Fact is one fact of the last line.
type Fact struct {
	Text  string
	short string // what replaces Text before the fact is left out; may be empty
	keep  int    // the lowest is left out first
	warn  bool   // it needs attention
}

// Line draws the last line. layout names the facts in their order; nil is the
// default. The permission mode is always shown. In a narrow window facts are left
// out, those that are shown elsewhere first, and then the hint.
func (s Status) Line(st *ink.Styles, width int, layout []string) string {
	mode, right := s.mode(st), ""
	if s.Right != "" {
		right = st.Dim.Render(ink.Truncate(s.Right, max(width-lipgloss.Width(mode)-3, 0))) + "   "
	}
	facts := s.facts(layout)
	for {
		left, wide := drawFacts(st, facts)
		switch room := width - lipgloss.Width(right+mode) - 2; {
		case wide <= room:
			return ink.Spread(left, right+mode, width)
		case len(facts) > 1:
			facts = shrink(facts)
		case room >= leastFact:
			return ink.Spread(ink.Truncate(left, room), right+mode, width)
		default: // the hint matters more than the model
			return ink.Spread("", right+mode, width)
		}
	}
}

// leastFact is how many columns the last fact needs to be readable.
const leastFact = 12

// drawFacts draws facts and returns their width.
func drawFacts(st *ink.Styles, facts []Fact) (string, int) {
	var texts []string
	for _, f := range facts {
		style := st.Dim
		if f.warn {
			style = st.Yellow
		}
		texts = append(texts, style.Render(f.Text))
	}
	line := strings.Join(texts, st.Dim.Render(" · "))
	return line, lipgloss.Width(line)
}

// shrink shortens the fact that matters least, or leaves it out.
func shrink(facts []Fact) []Fact {
	least := 0
	for i, f := range facts {
		if f.keep < facts[least].keep {
			least = i
		}
	}
	if f := &facts[least]; f.short != "" {
		f.Text, f.short = f.short, ""
		if f.warn {
			f.keep = 8
		}
		return facts
	}
	return slices.Delete(facts, least, least+1)
}

// mode draws the permission mode, after a missing sandbox. Its words say the same
// without color.
func (s Status) mode(st *ink.Styles) string {
	if s.NoSandbox {
		s.NoSandbox = false
		return st.Yellow.Render("no sandbox") + st.Dim.Render(" · ") + s.mode(st)
	}
	label := ink.SanitizeLine(event.Mode(s.Mode).Name())
	switch event.Mode(s.Mode) {
	case event.ModeAuto:
		return st.Yellow.Render(label)
	case event.ModePlan:
		return st.Blue.Render(label)
	case event.ModeAll:
		return st.Red.Render(label)
	}
	return st.Dim.Render(label)
}

// facts returns the facts of the last line, in the order of layout.
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
		case "jobs":
			facts = append(facts, Fact{Text: s.Running(), keep: 7})
		}
	}
	facts = append(facts, Fact{Text: s.Left, keep: 6})
	return slices.DeleteFunc(facts, func(f Fact) bool { return f.Text == "" })
}

// Offline says that the built-in guide is not a language model; empty for models.
func (s Status) Offline() string {
	if strings.HasPrefix(s.Model, "offline/") {
		return "no language model"
	}
	return ""
}

// nearlyFull is the percentage of the context window from which on the line warns
// that old content will be compacted.
const nearlyFull = 80

// Tokens says how much of the context window is used.
func (s Status) Tokens() Fact {
	switch {
	case s.Used == 0:
		return Fact{}
	case s.Context == 0:
		return Fact{Text: "context " + phrase.Thousands(s.Used) + " tokens", keep: 5}
	}
	text, full := "context "+phrase.Thousands(s.Used)+" of "+phrase.Thousands(s.Context), 100*s.Used/s.Context
	switch {
	case full == 0:
		return Fact{Text: text, keep: 5}
	case full >= nearlyFull:
		return Fact{Text: fmt.Sprintf("%s (%d%%, nearly full)", text, full), short: fmt.Sprintf("context %d%%", full), keep: 7, warn: true}
	}
	return Fact{Text: fmt.Sprintf("%s (%d%%)", text, full), short: fmt.Sprintf("context %d%%", full), keep: 5}
}

// Spent returns the cost of the session, empty if it is not known.
func (s Status) Spent() string {
	if s.Cost == 0 {
		return ""
	}
	return phrase.Dollars(s.Cost)
}

// Running counts the background jobs, empty if there are none.
func (s Status) Running() string {
	if s.Jobs == 0 {
		return ""
	}
	return phrase.Count(s.Jobs, "job")
}
