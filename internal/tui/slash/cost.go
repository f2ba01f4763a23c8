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
		s.showCost(spentRead{all: s.spending.All})
		return nil, nil
	}
	read := s.Options.Session.Spent
	return func() tea.Msg {
		all, rewound, err := read()
		return spentRead{all, rewound, err}
	}, nil
}

// showCost adds the answer of /cost to the transcript.
func (s *Session) showCost(r spentRead) {
	if r.err != nil {
		s.Show(&transcript.Problem{Text: r.err.Error()})
		return
	}
	s.Show(&Costs{turn: s.spending.Turn, all: r.all, rewound: r.rewound, used: s.feed.State.Used, context: s.feed.State.Context})
}

// Costs is the item of /cost.
type Costs struct {
	turn, all     []screen.Spent // by model
	rewound       screen.Spent   // the part of all in rewound turns, which still costs
	used, context int            // tokens of the context window
}

// CostLine is a line of Costs. Its text is sanitized.
type CostLine struct {
	Head bool
	Text string
}

// Lines returns what /cost shows; nothing if no tokens were used.
func (b *Costs) Lines() (lines []CostLine) {
	if len(b.all) == 0 {
		return nil
	}
	add := func(head string, spent []screen.Spent) {
		if len(spent) == 0 {
			return
		}
		lines = append(lines, CostLine{Head: true, Text: head})
		for _, s := range spent {
			lines = append(lines, CostLine{Text: ink.SanitizeLine(s.Model) + ": " + s.Words()})
		}
	}
	add("This turn", b.turn)
	add("This session", b.all)
	if b.rewound.Steps > 0 {
		lines = append(lines, CostLine{Text: "Rewound turns: " + b.rewound.Words()})
	}
	if window := (screen.Status{Used: b.used, Context: b.context}).Tokens(); window.Text != "" {
		lines = append(lines, CostLine{Head: true, Text: "Context window"}, CostLine{Text: strings.TrimPrefix(window.Text, "context ")})
	}
	return lines
}

// NoTokens is shown in place of Costs without lines.
const NoTokens = "No tokens used yet."

// Draw implements transcript.Item.
func (b *Costs) Draw(c transcript.Canvas) []string {
	var lines []string
	for _, l := range b.Lines() {
		if l.Head {
			lines = append(lines, c.Styles.Bold.Render(ink.Truncate(l.Text, c.Inner())))
			continue
		}
		lines = append(lines, ink.Wrap(l.Text, c.Inner())...)
	}
	if lines == nil {
		lines = ink.RenderLines(c.Styles.Dim, ink.Wrap(NoTokens, c.Inner()))
	}
	return ink.Hang(" ", lines)
}
