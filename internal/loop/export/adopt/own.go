package adopt

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// standing returns the events that a session goes on from: all but those that
// were taken back. Its title stays.
func standing(events []event.Durable) []event.Durable {
	var stands []event.Durable
	var title *event.Renamed
	for _, e := range events {
		switch e := e.(type) {
		case *event.Rewound:
			stands = stands[:first(stands, e.Keep)]
			continue
		case *event.Renamed:
			title = e
		}
		stands = append(stands, e)
	}
	if title != nil && !slices.Contains(stands, event.Durable(title)) {
		stands = append(stands, title)
	}
	return stands
}

// first returns how many events those are up to the one of that number,
// partials not counted.
func first(events []event.Durable, keep int) int {
	for i, e := range events {
		if _, ok := e.(*event.Partial); ok {
			continue
		}
		if keep--; keep < 0 {
			return i
		}
	}
	return len(events)
}

// sieve lets through what a log may hold that a stranger wrote.
type sieve struct {
	events []event.Durable
	seen   map[string]bool // ids of calls
	open   []llm.Message   // calls without a result, in order
	left   *tally
}

func (s *sieve) take(e event.Durable) {
	switch e := e.(type) {
	case *event.ModelSet, *event.ModeSet: // for the person to choose
		return
	case *event.Decided:
		d := *e
		if d.Decision == event.Always {
			d.Decision, d.Scope = event.Allow, ""
		}
		d.Grant = nil
		s.events = append(s.events, &d)
	case *event.UserSaid:
		for _, c := range s.open {
			s.events = append(s.events, noResult(e.Meta, c, c.Name))
		}
		s.open = nil
		s.events = append(s.events, e)
	case *event.MessageDone:
		s.message(*e)
	case *event.ToolEnd:
		s.result(*e)
	default:
		s.events = append(s.events, e)
	}
}

func (s *sieve) message(e event.MessageDone) {
	m := &e.Message
	switch {
	case m.Kind == llm.Assistant, m.Kind == llm.Thinking:
	case m.Kind == llm.ToolCall && m.ID != "" && !s.seen[m.ID]:
		s.seen[m.ID] = true
		s.open = append(s.open, *m)
		if raw := m.Raw; raw == "" {
			m.Input, m.Raw = object(m.Input)
		}
	default:
		s.left.add("messages that make no sense where they stand")
		return
	}
	s.events = append(s.events, &e)
}

func (s *sieve) result(e event.ToolEnd) {
	i := slices.IndexFunc(s.open, func(m llm.Message) bool { return m.ID == e.Result.ID })
	if i < 0 {
		s.left.add(noCall)
		return
	}
	e.Result.Kind, e.Result.Reply = llm.ToolResult, s.open[i].Reply
	e.Reads = nil // what was read there is not what lies here
	s.open = slices.Delete(s.open, i, i+1)
	s.events = append(s.events, &e)
}

// noCall is what a tally calls results that belong to nothing.
const noCall = "results without a call"

// noResult is the end of a call whose result the file does not have.
func noResult(at event.Meta, c llm.Message, title string) *event.ToolEnd {
	return &event.ToolEnd{Meta: at, Title: title, Outcome: event.Uncertain, Result: llm.Message{
		Kind: llm.ToolResult, Reply: c.Reply, ID: c.ID, IsError: true,
		Text: "no result was recorded: whether this ran is unknown",
	}}
}

// object returns arguments as an object, and what was written when it is none.
func object(raw json.RawMessage) (input json.RawMessage, written string) {
	var b bytes.Buffer
	switch text := bytes.TrimSpace(raw); {
	case len(text) == 0 || string(text) == "null":
		return json.RawMessage("{}"), ""
	case text[0] == '{' && json.Compact(&b, text) == nil:
		return b.Bytes(), ""
	}
	return json.RawMessage("{}"), string(raw)
}

// limited is a reader that stops after so many bytes: a decoder holds all of a
// value that does not end.
type limited struct {
	r    io.Reader
	left int
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("an event is too long")
	}
	n, err := l.r.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}
