// Package export writes sessions for people and other programs, as Markdown, as
// a page of HTML and as JSON, and reads them back: its own JSON, session logs,
// and the sessions of Claude Code and Codex as conversations.
//
// All that a session holds, whoever said it, is data: a document never gets
// markup, a script or an address to fetch from it, and what is hidden in text
// is made visible. What is written streams, and depends on nothing but the
// session.
//
// The JSON is one object, whose events are written one a line:
//
//	{"format":"agent-session/1","header":{...},"title":"...","events":[
//	{"type":"user","time":"...","text":"..."},
//	...
//	]}
//
// The header is that of the log (history.Header), the events are the records of
// the log and the lines of stream-json (loop.Encode). A reader passes over
// fields and types of events that it does not know. A format after the slash
// that is not 1 means that the same fields say something else.
package export

import (
	"errors"
	"iter"
	"strings"

	"agent/internal/history"
	"agent/internal/loop"
)

// Session is what is exported.
type Session struct {
	Header history.Header
	Title  string // empty makes one of the first prompt's words
	// Events yields the durable events in order: State.Events of a fold, or
	// what Events makes of a log. It may be ranged over more than once. An error
	// ends the export.
	Events iter.Seq2[loop.Durable, error]
}

// Events yields the durable events of a log one by one, so that no more than
// one of them is held. Damaged places, and events of types that this program
// does not know, are passed over.
func Events(records iter.Seq2[history.Record, error]) iter.Seq2[loop.Durable, error] {
	return func(yield func(loop.Durable, error) bool) {
		for r, err := range records {
			if errors.As(err, new(history.Problem)) {
				continue
			}
			var e loop.Durable
			if err == nil {
				e, err = loop.Decode(r.Body)
			}
			if e == nil && err == nil {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// All yields events that are held already.
func All(events []loop.Durable) iter.Seq2[loop.Durable, error] {
	return func(yield func(loop.Durable, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// title returns the session's title, on one line.
func (s Session) title() string {
	if t := oneLine(s.Title, maxTitle); t != "" {
		return t
	}
	for e, err := range s.Events {
		if err != nil {
			break
		}
		if said, ok := e.(*loop.UserSaid); ok && !said.Auto && strings.TrimSpace(said.Text) != "" {
			return oneLine(said.Text, maxTitle)
		}
	}
	return "A session without a prompt"
}
