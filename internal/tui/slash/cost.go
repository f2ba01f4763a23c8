package slash

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// spentRead is the usage of the session according to its log.
type spentRead struct {
	all     []screen.Spent // by model
	rewound screen.Spent   // the part of all in rewound turns
	err     error
}

// costCommand shows tokens and cost.
func costCommand(s *Session, _ string) (tea.Cmd, error) {
	if s.Options.Session.Spent == nil {
		return showCost(s.Conversation, spentRead{all: s.Spending.All}), nil
	}
	read := s.Options.Session.Spent
	return func() tea.Msg {
		all, rewound, err := read()
		return spentRead{all, rewound, err}
	}, nil
}

// showCost adds the answer of /cost to the transcript.
func showCost(s *screen.Conversation, r spentRead) tea.Cmd {
	if r.err != nil {
		s.Transcript.Add(&transcript.Problem{Text: r.err.Error()})
		s.Transcript.ShowEnd()
		return nil
	}
	s.Transcript.Add(&costs{turn: s.Spending.Turn, all: r.all, rewound: r.rewound, used: s.Feed.Used, context: s.Feed.Context})
	s.Transcript.ShowEnd()
	return nil
}

// costs is the item of /cost.
type costs struct {
	turn, all     []screen.Spent // by model
	rewound       screen.Spent   // the part of all in rewound turns, which still costs
	used, context int            // tokens of the context window
}

func (b *costs) Draw(c transcript.Canvas) []string {
	if len(b.all) == 0 {
		return ink.Hang(" ", ink.RenderLines(c.Styles.Dim, ink.Wrap("No tokens used yet.", c.Inner())))
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
	add("This turn", b.turn)
	add("This session", b.all)
	if b.rewound.Steps > 0 {
		lines = append(lines, ink.Wrap("Rewound turns: "+b.rewound.Words(), c.Inner())...)
	}
	if window := (screen.Status{Used: b.used, Context: b.context}).Tokens(); window.Text != "" {
		lines = append(lines, c.Styles.Bold.Render("Context window"))
		lines = append(lines, ink.Wrap(strings.TrimPrefix(window.Text, "context "), c.Inner())...)
	}
	return ink.Hang(" ", lines)
}
