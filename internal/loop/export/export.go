// Package export writes sessions as Markdown, HTML and JSON. Its subpackage importer
// imports them, and sessions of other programs. Start reading at Markdown and items.
//
// Everything in a session is untrusted data: a document never gets markup, a script
// or an address to fetch from it, and invisible characters are escaped. The output
// depends only on the session.
//
// The JSON is one object with one event per line:
//
//	{"format":"agent-session/1","header":{...},"title":"...","events":[
//	{"type":"user","time":"...","text":"..."},
//	...
//	]}
//
// The header is that of the log (history.Header). The events are those of the log
// and of stream-json (event.Encode). A reader must skip unknown fields and event
// types. A version after the slash other than 1 is incompatible.
package export

import (
	"strings"

	"agent/internal/history"
	"agent/internal/loop/event"
)

// Session is a session to export.
type Session struct {
	Header history.Header
	Title  string // empty for the first words of the first prompt
	Events []event.Durable
}

// title returns the title of the session on one line.
func (s Session) title() string {
	if t := OneLine(s.Title, MaxTitle); t != "" {
		return t
	}
	for _, e := range s.Events {
		if said, ok := e.(*event.UserSaid); ok && !said.Auto && strings.TrimSpace(said.Text) != "" {
			return OneLine(said.Text, MaxTitle)
		}
	}
	return "Session without a prompt"
}
