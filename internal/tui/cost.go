package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/transcript"
)

// Spent is what a model has used.
type Spent struct {
	Model string // PROVIDER/NAME
	Steps int
	Usage llm.Usage
	Cost  float64 // US dollars
	Free  int     // steps whose price is not known
}

// Add counts a step.
func (s *Spent) Add(step *event.StepEnd) {
	s.Steps++
	s.Usage = s.Usage.Add(step.Usage)
	if step.Cost == nil {
		s.Free++
		return
	}
	s.Cost += *step.Cost
}

// SpentBy counts steps by the model that took them, the first first.
func SpentBy(all []Spent, step *event.StepEnd) []Spent {
	i := slices.IndexFunc(all, func(s Spent) bool { return s.Model == step.Model })
	if i < 0 {
		i, all = len(all), append(all, Spent{Model: step.Model})
	}
	all[i].Add(step)
	return all
}

// spending counts what the turn that runs, or ran last, has used, and all that
// was used since the screen was opened.
type spending struct{ turn, all []Spent }

func (s *spending) take(ev event.Event) {
	switch ev := ev.(type) {
	case *event.UserSaid:
		if !ev.Steered && !ev.Auto {
			s.turn = nil
		}
	case *event.StepEnd:
		s.turn, s.all = SpentBy(s.turn, ev), SpentBy(s.all, ev)
	}
}

// spentRead brings what the log says was used.
type spentRead struct {
	all  []Spent
	back Spent // the part of it that was taken back
	err  error
}

func costCommand(m *model, _ string) (tea.Cmd, error) {
	if m.o.Session.Spent == nil {
		return showCost(m.session, spentRead{all: m.spending.all}), nil
	}
	read := m.o.Session.Spent
	return func() tea.Msg {
		all, back, err := read()
		return spentRead{all, back, err}
	}, nil
}

// showCost answers /cost.
func showCost(s *session, r spentRead) tea.Cmd {
	if r.err != nil {
		s.list.Add(&transcript.Problem{Text: r.err.Error()})
		s.list.ShowEnd()
		return nil
	}
	s.list.Add(&bill{turn: s.spending.turn, all: r.all, back: r.back, used: s.feed.Used, context: s.feed.Context})
	s.list.ShowEnd()
	return nil
}

// bill is an item that tells what was used.
type bill struct {
	turn, all     []Spent
	back          Spent // of all, what was taken back and is paid for all the same
	used, context int
}

func (b *bill) Draw(c transcript.Canvas) []string {
	if len(b.all) == 0 {
		return ink.Hang(" ", ink.RenderLines(c.Styles.Dim, ink.Wrap("nothing was used yet", c.Inner())))
	}
	var lines []string
	add := func(head string, spent []Spent) {
		if len(spent) == 0 {
			return
		}
		lines = append(lines, c.Styles.Bold.Render(ink.Truncate(head, c.Inner())))
		for _, s := range spent {
			lines = append(lines, ink.Wrap(ink.SanitizeLine(s.Model)+": "+s.words(), c.Inner())...)
		}
	}
	add("this turn", b.turn)
	add("this session", b.all)
	if b.back.Steps > 0 {
		lines = append(lines, ink.Wrap("of it taken back: "+b.back.words(), c.Inner())...)
	}
	if window := (status{used: b.used, context: b.context}).tokens(); window.text != "" {
		lines = append(lines, c.Styles.Bold.Render("the model's window"))
		lines = append(lines, ink.Wrap(window.text, c.Inner())...)
	}
	return ink.Hang(" ", lines)
}

// words tells what was used in a line.
func (s Spent) words() string {
	in := phrase.Thousands(s.Usage.Input) + " tokens in"
	if s.Usage.Cached > 0 {
		in += " (" + phrase.Thousands(s.Usage.Cached) + " of them from a cache)"
	}
	words := []string{in, phrase.Thousands(s.Usage.Output) + " out", phrase.Count(s.Steps, "step")}
	switch {
	case s.Free == s.Steps:
		words = append(words, "price not known")
	case s.Free > 0:
		words = append(words, "at least "+phrase.Dollars(s.Cost))
	default:
		words = append(words, phrase.Dollars(s.Cost))
	}
	return strings.Join(words, ", ")
}
