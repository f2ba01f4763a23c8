package delegate

import (
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// streaming has the text and the reasoning of the reply that is being streamed, for a
// front end that begins to watch in the middle of it.
type streaming []*streamed

// streamed is the beginning of a message.
type streamed struct {
	reply string
	kind  llm.Kind // Assistant or Thinking
	index int      // as in llm.Delta
	text  strings.Builder
}

// handleEvent handles an event of the delegate.
func (s *streaming) handleEvent(e event.Event) {
	switch e := e.(type) {
	case event.Streamed:
		switch d := e.Delta.(type) {
		case llm.TextDelta:
			s.add(e.Reply, llm.Assistant, d.Index, d.Text)
		case llm.ThinkingDelta:
			s.add(e.Reply, llm.Thinking, d.Index, d.Text)
		}
	case *event.MessageDone:
		i := slices.IndexFunc(*s, func(m *streamed) bool { return m.reply == e.Message.Reply && m.kind == e.Message.Kind })
		if i >= 0 {
			*s = slices.Delete(*s, i, i+1)
		}
	case *event.StepEnd, *event.TurnEnd, event.Retrying:
		*s = nil
	}
}

// add adds a piece of a message.
func (s *streaming) add(reply string, kind llm.Kind, index int, text string) {
	if n := len(*s); n == 0 || (*s)[n-1].reply != reply || (*s)[n-1].kind != kind || (*s)[n-1].index != index {
		*s = append(*s, &streamed{reply: reply, kind: kind, index: index})
	}
	(*s)[len(*s)-1].text.WriteString(text)
}

// events returns the messages so far, one piece each.
func (s streaming) events() (all []event.Event) {
	for _, m := range s {
		var d llm.Delta = llm.TextDelta{Index: m.index, Text: m.text.String()}
		if m.kind == llm.Thinking {
			d = llm.ThinkingDelta{Index: m.index, Text: m.text.String()}
		}
		all = append(all, event.Streamed{Reply: m.reply, Delta: d})
	}
	return all
}
