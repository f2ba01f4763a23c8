package session

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Outline describes a session in a list.
type Outline struct {
	Title    string // set by the user, or the first words of the first prompt; one line
	Messages int    // of the user and of the model
	// Delegate and Ended describe the session of a delegate: its number in the session
	// that delegated, and how its last turn ended; empty if it did not end.
	Delegate string
	Ended    event.Reason
}

// OutlineOf returns the outline of a session. It skips damaged records.
func OutlineOf(records iter.Seq2[history.Record, error]) Outline {
	return SummaryOf(Summarize(nil, records)).Outline()
}

// SummaryVersion identifies the format of Summarize.
const SummaryVersion = "outline-1"

// IsUnused reports whether a session contains only settings, which an editor may save
// before the first prompt. Such a session is not listed, but can be resumed by its ID.
func IsUnused(store *history.Store, id string) bool {
	v, err := store.View(id)
	if err != nil {
		return false
	}
	defer v.Close()
	records := 0
	for r, err := range v.Pass(0) {
		if err != nil {
			return false
		}
		switch e, _ := event.Decode(r.Body); e.(type) {
		case *event.ModeSet, *event.ModelSet:
			records++
		default: // also of an unknown type
			return false
		}
	}
	return records > 0
}

// Summary is an outline that can be updated when a session grows.
type Summary struct {
	Title    string `json:"title,omitempty"` // set by the user
	First    string `json:"first,omitempty"` // the first words of the first prompt
	FirstAt  int    `json:"first_at"`        // number of its event, from 0; -1 if there is none
	Events   int    `json:"events"`          // as State.Events counts them
	Messages int    `json:"messages"`
	// Delegate and Ended are set in the session of a delegate: see Outline.
	Delegate string       `json:"delegate,omitempty"`
	Ended    event.Reason `json:"ended,omitempty"`
}

// Outline returns the outline of the session.
func (s Summary) Outline() Outline {
	o := Outline{Title: s.Title, Messages: s.Messages, Delegate: s.Delegate, Ended: s.Ended}
	if o.Title == "" {
		o.Title = s.First
	}
	return o
}

// SummaryOf decodes a result of Summarize. Anything else decodes as that of an empty
// session.
func SummaryOf(summary json.RawMessage) Summary {
	s := Summary{FirstAt: -1}
	if json.Unmarshal(summary, &s) != nil {
		return Summary{FirstAt: -1}
	}
	return s
}

// Summarize updates a summary, nil at first, with the records that were added to a
// session since. It skips damaged records. After a rewind to before these records,
// the number of messages is an estimate.
func Summarize(before json.RawMessage, records iter.Seq2[history.Record, error]) json.RawMessage {
	s := summing{Summary: SummaryOf(before)}
	s.then, s.had = s.Events, s.Messages
	for r, err := range records {
		if err == nil {
			s.add(r.Body)
		}
	}
	out, err := json.Marshal(s.Summary)
	if err != nil {
		return nil
	}
	return out
}

// summing is a Summarize in progress.
type summing struct {
	Summary
	then, had int   // numbers of events and messages in the old summary
	messages  []int // numbers of the new events that are messages
}

func (s *summing) add(record []byte) {
	var e struct {
		Type    string       `json:"type"`
		Text    string       `json:"text"`
		Title   string       `json:"title"`
		Keep    int          `json:"keep"`
		Line    string       `json:"line"`
		Auto    bool         `json:"auto"`
		Agent   string       `json:"agent"`
		Reason  event.Reason `json:"reason"`
		Message struct {
			Kind llm.Kind `json:"kind"`
		} `json:"message"`
	}
	if rest, ok := bytes.CutPrefix(record, []byte(`{"type":"tool_`)); ok { // these records can be long and need no decoding
		typ, _, _ := bytes.Cut(rest, []byte(`"`))
		e.Type = "tool_" + string(typ)
	} else if json.Unmarshal(record, &e) != nil {
		return
	}
	switch event.Blank(e.Type).(type) {
	case nil, *event.Partial:
		return
	case *event.Rewound:
		s.rewind(e.Keep)
		return
	case *event.UserSaid:
		if e.Auto { // a note of the program
			break
		}
		s.message()
		s.delegate(e.Agent, "")
		if s.FirstAt < 0 {
			s.First, s.FirstAt = FirstWords(e.Text), s.Events
		}
	case *event.ShellStart:
		if s.FirstAt < 0 && s.First == "" { // until there is a prompt
			s.First = FirstWords("!" + e.Line)
		}
	case *event.MessageDone:
		if e.Message.Kind == llm.Assistant {
			s.message()
		}
	case *event.TurnEnd:
		s.delegate(e.Agent, e.Reason)
	case *event.Renamed:
		s.Title = e.Title
	}
	s.Events++
}

// delegate notes the beginning or end of a turn of a delegate. agent is its number; empty
// in other sessions.
func (s *summing) delegate(agent string, ended event.Reason) {
	if agent != "" {
		s.Delegate, s.Ended = agent, ended
	}
}

func (s *summing) message() {
	s.messages = append(s.messages, s.Events)
	s.Messages++
}

func (s *summing) rewind(keep int) {
	keep = min(max(keep, 0), s.Events)
	for len(s.messages) > 0 && s.messages[len(s.messages)-1] >= keep {
		s.messages = s.messages[:len(s.messages)-1]
	}
	if keep < s.then {
		s.had = s.had * keep / s.then
		s.then = keep
	}
	s.Events, s.Messages = keep, s.had+len(s.messages)
	if s.FirstAt >= keep {
		s.First, s.FirstAt = "", -1
	}
}

// FirstWords returns text on one line, truncated to 200 bytes.
func FirstWords(text string) string {
	const limit = 200
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return strings.Join(strings.Fields(text), " ")
}
