package loop

import (
	"bytes"
	"encoding/json"

	"agent/internal/llm"
)

// swift is Decode without the garbage, for messages, prompts and results, which
// are nearly all of a log. It is for one reader.
type swift struct {
	fields
	// whole has decode return all of a ToolEnd. Without, it has what a fold
	// makes something of: the Result and the Reads.
	whole bool
}

// decode returns the event of a record, as Decode does.
func (s *swift) decode(record []byte) (Durable, error) {
	typ, err := typeIn(record)
	if err != nil {
		return Decode(record)
	}
	s.strange = false
	var e Durable
	switch typ {
	case "user":
		e = s.userSaid(record)
	case "message":
		e = s.messageDone(record)
	case "tool_end":
		e = s.toolEnd(record)
	default:
		return Decode(record) // it is short
	}
	if s.strange {
		return Decode(record) // it is not as Encode writes it
	}
	return e, nil
}

func (s *swift) userSaid(record []byte) *UserSaid {
	e := &UserSaid{}
	s.walk(record, func(name, value []byte) {
		switch string(name) {
		case "text":
			e.Text = s.text(value)
		case "images":
			s.json(value, &e.Images)
		case "steered":
			e.Steered = s.bool(value)
		case "auto":
			e.Auto = s.bool(value)
		default:
			s.meta(&e.Meta, name, value)
		}
	})
	return e
}

func (s *swift) messageDone(record []byte) *MessageDone {
	e := &MessageDone{}
	s.walk(record, func(name, value []byte) {
		if string(name) == "message" {
			s.message(&e.Message, value)
			return
		}
		s.meta(&e.Meta, name, value)
	})
	return e
}

func (s *swift) toolEnd(record []byte) *ToolEnd {
	e := &ToolEnd{}
	s.walk(record, func(name, value []byte) {
		switch string(name) {
		case "result":
			s.message(&e.Result, value)
		case "reads":
			s.json(value, &e.Reads)
		default:
			if s.whole {
				s.shown(e, name, value)
			}
			s.meta(&e.Meta, name, value)
		}
	})
	return e
}

// shown reads what is told of a result to people alone.
func (s *swift) shown(e *ToolEnd, name, value []byte) {
	switch string(name) {
	case "title":
		e.Title = s.text(value)
	case "effect":
		e.Effect = s.text(value)
	case "outcome":
		e.Outcome = Outcome(s.text(value))
	case "summary":
		e.Summary = s.text(value)
	case "diffs":
		s.json(value, &e.Diffs)
	case "duration_ns":
		s.json(value, &e.Duration)
	}
}

func (s *swift) message(m *llm.Message, object []byte) {
	s.walk(object, func(name, value []byte) {
		switch string(name) {
		case "kind":
			m.Kind = llm.Kind(s.text(value))
		case "reply":
			m.Reply = s.text(value)
		case "text":
			m.Text = s.text(value)
		case "id":
			m.ID = s.text(value)
		case "name":
			m.Name = s.text(value)
		case "input":
			m.Input = bytes.Clone(value)
		case "raw":
			m.Raw = s.text(value)
		case "cut":
			m.Cut = s.bool(value)
		case "is_error":
			m.IsError = s.bool(value)
		case "images":
			s.json(value, &m.Images)
		case "opaque":
			s.json(value, &m.Opaque)
		default:
			s.strange = true
		}
	})
}

func (f *fields) bool(value []byte) bool {
	yes := string(value) == "true"
	f.strange = f.strange || !yes && string(value) != "false"
	return yes
}

// json reads a value that is rare.
func (f *fields) json(value []byte, to any) {
	f.strange = f.strange || json.Unmarshal(value, to) != nil
}
