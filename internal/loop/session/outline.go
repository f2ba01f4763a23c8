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

// Outline is what a list of sessions tells of one.
type Outline struct {
	Title    string // that the person gave it, or the first words of the first prompt, on one line
	Messages int    // said by the person and by the model
}

// OutlineOf reads a session as far as it can be read.
func OutlineOf(records iter.Seq2[history.Record, error]) Outline {
	return SummaryOf(Summarize(nil, records)).Outline()
}

// SummaryVersion names what Summarize makes: a later program may make
// something else.
const SummaryVersion = "outline-1"

// Summary is an outline that can be continued when a session grows.
type Summary struct {
	Title    string `json:"title,omitempty"` // that the person gave it
	First    string `json:"first,omitempty"` // the first words of the first prompt
	FirstAt  int    `json:"first_at"`        // which event that is, from 0; -1 as long as there is none
	Events   int    `json:"events"`          // as State.Events counts them
	Messages int    `json:"messages"`
}

// Outline is what a list tells of it.
func (s Summary) Outline() Outline {
	o := Outline{Title: s.Title, Messages: s.Messages}
	if o.Title == "" {
		o.Title = s.First
	}
	return o
}

// SummaryOf reads what Summarize made; what it did not make is an empty
// session.
func SummaryOf(summary json.RawMessage) Summary {
	s := Summary{FirstAt: -1}
	if json.Unmarshal(summary, &s) != nil {
		return Summary{FirstAt: -1}
	}
	return s
}

// Summarize continues a Summary, nil at first, with the records that a session
// got since. Records that cannot be read are passed over. After a rewind to
// before them, the number of messages is about right, no more.
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
	then, had int   // the events and messages from before
	messages  []int // which events since then are messages
}

func (s *summing) add(record []byte) {
	var e struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Title   string `json:"title"`
		Keep    int    `json:"keep"`
		Line    string `json:"line"`
		Message struct {
			Kind llm.Kind `json:"kind"`
		} `json:"message"`
	}
	if rest, ok := bytes.CutPrefix(record, []byte(`{"type":"tool_`)); ok { // the long ones need no reading
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
		s.message()
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
	case *event.Renamed:
		s.Title = e.Title
	}
	s.Events++
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

// FirstWords returns text on one line, cut where no list shows more.
func FirstWords(text string) string {
	const limit = 200
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return strings.Join(strings.Fields(text), " ")
}
