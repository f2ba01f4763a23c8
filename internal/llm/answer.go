package llm

import "strings"

// Answer collects the final answer of a turn: all text since the last tool
// result. The zero value is empty.
type Answer struct {
	parts     []string
	cut       bool // the last part ends in the middle
	over      bool // the next text begins a new answer
	continued bool
}

// Add adds the next message of the conversation. A user message and a tool result
// end the answer, but the next text after a truncated one continues it.
func (a *Answer) Add(m Message) {
	switch {
	case m.Kind == ToolResult, m.Kind == User && !a.cut:
		a.over = true
	case m.Kind != Assistant || strings.TrimSpace(m.Text) == "" && !a.cut:
	case a.over || len(a.parts) == 0:
		*a = Answer{parts: []string{m.Text}, cut: m.Cut}
	case a.cut:
		a.parts[len(a.parts)-1] += m.Text
		a.cut, a.continued = m.Cut, true
	default:
		a.parts, a.cut = append(a.parts, m.Text), m.Cut
	}
}

// End ends the answer, even a truncated one.
func (a *Answer) End() { a.over = true }

// Text returns the answer. A blank line separates its messages.
func (a *Answer) Text() string { return strings.Join(a.parts, "\n\n") }

// Last returns the last message of the answer.
func (a *Answer) Last() string {
	if len(a.parts) == 0 {
		return ""
	}
	return a.parts[len(a.parts)-1]
}

// Continued reports whether the answer was cut off and continued.
func (a *Answer) Continued() bool { return a.continued }

// Ended reports whether something after the text ended the answer.
func (a *Answer) Ended() bool { return a.over }
