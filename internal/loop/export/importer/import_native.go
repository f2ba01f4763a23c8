package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// withoutRewound returns events without those that a rewind removed. It keeps the
// last title.
func withoutRewound(events []event.Durable) []event.Durable {
	var kept []event.Durable
	var title *event.Renamed
	for _, e := range events {
		switch e := e.(type) {
		case *event.Rewound:
			kept = kept[:first(kept, e.Keep)]
			continue
		case *event.Renamed:
			title = e
		}
		kept = append(kept, e)
	}
	if title != nil && !slices.Contains(kept, event.Durable(title)) {
		kept = append(kept, title)
	}
	return kept
}

// first returns the index of event number keep, which does not count partials.
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

// filter makes the events of an untrusted file valid and harmless.
type filter struct {
	events []event.Durable
	seen   map[string]bool // IDs of calls
	open   []llm.Message   // calls without a result, in order
	left   *tally
}

func (s *filter) handleEvent(e event.Durable) {
	switch e := e.(type) {
	case *event.ModelSet, *event.ModeSet, *event.PermissionRemoved, *event.Prefix: // the user chooses these
		return
	case *event.Decided:
		d := *e
		if d.Decision == event.Always {
			d.Decision, d.Scope = event.Allow, ""
		}
		d.Grant, d.More = nil, nil
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

func (s *filter) message(e event.MessageDone) {
	m := &e.Message
	switch {
	case m.Kind == llm.Assistant, m.Kind == llm.Thinking, m.Kind == llm.WebSearch && m.Search != nil:
	case m.Kind == llm.ToolCall && m.ID != "" && !s.seen[m.ID]:
		s.seen[m.ID] = true
		s.open = append(s.open, *m)
		if raw := m.Raw; raw == "" {
			m.Input, m.Raw = object(m.Input)
		}
	default:
		s.left.add("messages that are not valid at their position")
		return
	}
	s.events = append(s.events, &e)
}

func (s *filter) result(e event.ToolEnd) {
	i := slices.IndexFunc(s.open, func(m llm.Message) bool { return m.ID == e.Result.ID })
	if i < 0 {
		s.left.add(noCall)
		return
	}
	e.Result.Kind, e.Result.Reply = llm.ToolResult, s.open[i].Reply
	e.Reads = nil // of files on another machine
	s.open = slices.Delete(s.open, i, i+1)
	s.events = append(s.events, &e)
}

// noCall is the tally of results without a call.
const noCall = "results without a call"

// noResult returns the end of a call without a result.
func noResult(at event.Meta, c llm.Message, title string) *event.ToolEnd {
	return &event.ToolEnd{Meta: at, Title: title, Outcome: event.Uncertain, Result: llm.Message{
		Kind: llm.ToolResult, Reply: c.Reply, ID: c.ID, IsError: true,
		Text: "no result was recorded: this call may or may not have run",
	}}
}

// object returns raw as compact JSON if it is an object; otherwise {} and raw as text.
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

// limited is a reader that fails after left bytes, because a decoder buffers a whole
// value.
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
