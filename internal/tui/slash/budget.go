package slash

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// budgetCommand sets limits of each turn or of the session, and shows all.
func budgetCommand(s *Session, arg string) (tea.Cmd, error) {
	text, session := strings.CutPrefix(arg+" ", "session ")
	limits := event.Budget{}
	if text = strings.TrimSpace(text); text == "off" {
		for _, l := range event.Limits() {
			limits[l] = event.NoLimit
		}
	} else {
		var err error
		if limits, err = event.ParseBudget(text); err != nil {
			return nil, fmt.Errorf("%w. Example: /budget tokens=200k cost=0.50", err)
		}
	}
	if steps, ok := limits[event.LimitSteps]; ok && steps == 0 && session {
		return nil, errors.New("the steps of a session cannot be 0")
	}
	s.agent.SendCommand(event.SetBudget{Ref: screen.Await(&s.agent.Answers, s.showBudget), Session: session, Limits: limits})
	return nil, nil
}

// showBudget shows the answer to /budget: the limits and what was used.
func (s *Session) showBudget(b event.BudgetNow) {
	a := &Properties{Rows: [][2]string{{"turn", screen.BudgetWords(b.Turn)}, {"session", screen.BudgetWords(b.Session)}}}
	if b.Unpriced > 0 {
		a.Rows = append(a.Rows, [2]string{"", "without the cost of " + phrase.Count(b.Unpriced, "step") + ", whose price is unknown"})
	}
	a.Rows = append(a.Rows, [2]string{"change", "/budget steps=20 tokens=200k cost=0.50 time=10m, /budget session cost=5, or /budget off"})
	s.Show(a)
}
