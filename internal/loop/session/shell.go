package session

import (
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// ShellMessage returns the message with which the model gets a typed command and
// its output.
func ShellMessage(e *event.ShellEnd) llm.Message {
	return llm.Message{Kind: llm.User, Text: "[the person ran this command themselves]\n$ " + e.Line + "\n" + strings.TrimRight(e.Text, "\n")}
}

// LostShell returns the end of a typed command that ran when the program exited.
func LostShell(s *event.ShellStart, meta event.Meta) *event.ShellEnd {
	return &event.ShellEnd{Meta: meta, ID: s.ID, Line: s.Line, Join: s.Join, Outcome: event.Uncertain,
		Text: "[the program ended while this ran: whether it took effect is unknown]"}
}

// Typed holds the typed commands whose output the model has yet to get, in the
// order in which they ended. The zero value is ready to use.
type Typed struct {
	Untold []*event.ShellEnd
	Open   []*event.ShellStart // still running
}

// Take follows the events of typed commands. It returns the command that becomes
// part of the conversation with e, if one does.
func (r *Typed) Take(e event.Durable) *event.ShellEnd {
	switch e := e.(type) {
	case *event.ShellStart:
		r.Open = append(r.Open, e)
	case *event.ShellEnd:
		r.Open = slices.DeleteFunc(r.Open, func(s *event.ShellStart) bool { return s.ID == e.ID })
		if e.Join {
			r.Untold = append(r.Untold, e)
		}
	case *event.ShellTold:
		if i := slices.IndexFunc(r.Untold, func(end *event.ShellEnd) bool { return end.ID == e.ID }); i >= 0 {
			end := r.Untold[i]
			r.Untold = slices.Delete(slices.Clone(r.Untold), i, i+1)
			return end
		}
		if i := slices.IndexFunc(r.Open, func(s *event.ShellStart) bool { return s.ID == e.ID }); i >= 0 { // its end was taken back
			start := *r.Open[i]
			end := LostShell(&start, e.Meta)
			start.Join = false // once is enough
			r.Open = slices.Clone(r.Open)
			r.Open[i] = &start
			return end
		}
	}
	return nil
}
