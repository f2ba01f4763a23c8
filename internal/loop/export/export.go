// Package export writes sessions as Markdown, as a page of HTML and as JSON. Its
// subpackage adopt reads them back, and the sessions of other programs.
//
// All that a session holds, whoever said it, is data: a document never gets
// markup, a script or an address to fetch from it, and what is hidden in text
// is made visible. What is written depends on nothing but the session.
//
// The JSON is one object, whose events are written one a line:
//
//	{"format":"agent-session/1","header":{...},"title":"...","events":[
//	{"type":"user","time":"...","text":"..."},
//	...
//	]}
//
// The header is that of the log (history.Header), the events are the records of
// the log and the lines of stream-json (event.Encode). A reader passes over
// fields and types of events that it does not know. A format after the slash
// that is not 1 means that the same fields say something else.
package export

import (
	"strings"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Session is what is exported.
type Session struct {
	Header history.Header
	Title  string // empty makes one of the first prompt's words
	Events []event.Durable
}

// title returns the session's title, on one line.
func (s Session) title() string {
	if t := OneLine(s.Title, MaxTitle); t != "" {
		return t
	}
	for _, e := range s.Events {
		if said, ok := e.(*event.UserSaid); ok && !said.Auto && strings.TrimSpace(said.Text) != "" {
			return OneLine(said.Text, MaxTitle)
		}
	}
	return "A session without a prompt"
}
