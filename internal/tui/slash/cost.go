package slash

import (
	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// spentRead brings what the log says was used.
type spentRead struct {
	all  []screen.Spent
	back screen.Spent // the part of it that was taken back
	err  error
}

func costCommand(s *Session, _ string) (tea.Cmd, error) {
	if s.Options.Session.Spent == nil {
		return showCost(s.Conversation, spentRead{all: s.Spending.All}), nil
	}
	read := s.Options.Session.Spent
	return func() tea.Msg {
		all, back, err := read()
		return spentRead{all, back, err}
	}, nil
}

// showCost answers /cost.
func showCost(s *screen.Conversation, r spentRead) tea.Cmd {
	if r.err != nil {
		s.Transcript.Add(&transcript.Problem{Text: r.err.Error()})
		s.Transcript.ShowEnd()
		return nil
	}
	s.Transcript.Add(&bill{turn: s.Spending.Turn, all: r.all, back: r.back, used: s.Feed.Used, context: s.Feed.Context})
	s.Transcript.ShowEnd()
	return nil
}

// bill is an item that tells what was used.
type bill struct {
	turn, all     []screen.Spent
	back          screen.Spent // of all, what was taken back and is paid for all the same
	used, context int
}

func (b *bill) Draw(c transcript.Canvas) []string {
	if len(b.all) == 0 {
		return ink.Hang(" ", ink.RenderLines(c.Styles.Dim, ink.Wrap("nothing was used yet", c.Inner())))
	}
	var lines []string
	add := func(head string, spent []screen.Spent) {
		if len(spent) == 0 {
			return
		}
		lines = append(lines, c.Styles.Bold.Render(ink.Truncate(head, c.Inner())))
		for _, s := range spent {
			lines = append(lines, ink.Wrap(ink.SanitizeLine(s.Model)+": "+s.Words(), c.Inner())...)
		}
	}
	add("this turn", b.turn)
	add("this session", b.all)
	if b.back.Steps > 0 {
		lines = append(lines, ink.Wrap("of it taken back: "+b.back.Words(), c.Inner())...)
	}
	if window := (screen.Status{Used: b.used, Context: b.context}).Tokens(); window.Text != "" {
		lines = append(lines, c.Styles.Bold.Render("the model's window"))
		lines = append(lines, ink.Wrap(window.Text, c.Inner())...)
	}
	return ink.Hang(" ", lines)
}
