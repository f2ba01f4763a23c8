package session

import (
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// ShellMessage returns the message that shows the model a typed command and its
// output.
func ShellMessage(e *event.ShellEnd) llm.Message {
	return llm.Message{Kind: llm.User, Text: "[The user ran this command:]\n$ " + e.Line + "\n" + strings.TrimRight(e.Text, "\n"), Note: true}
}

// lostShell returns the end of a typed command that was running when the program exited.
func lostShell(s *event.ShellStart, meta event.Meta) *event.ShellEnd {
	return &event.ShellEnd{Meta: meta, ID: s.ID, Line: s.Line, Join: s.Join, Outcome: event.Uncertain,
		Text: "[The program exited while this command was running. It may or may not have taken effect.]"}
}

// Typed holds the typed commands whose output the model has not received, in the
// order in which they ended. The zero value is ready to use.
type Typed struct {
	UnsentOutputs []*event.ShellEnd
	Open          []*event.ShellStart // still running
}

// Take updates r with an event. It returns the command that e adds to the
// conversation, if any.
func (r *Typed) Take(e event.Durable) *event.ShellEnd {
	switch e := e.(type) {
	case *event.ShellStart:
		r.Open = append(r.Open, e)
	case *event.ShellEnd:
		r.Open = slices.DeleteFunc(r.Open, func(s *event.ShellStart) bool { return s.ID == e.ID })
		if e.Join {
			r.UnsentOutputs = append(r.UnsentOutputs, e)
		}
	case *event.ShellOutputSent:
		if i := slices.IndexFunc(r.UnsentOutputs, func(end *event.ShellEnd) bool { return end.ID == e.ID }); i >= 0 {
			end := r.UnsentOutputs[i]
			r.UnsentOutputs = slices.Delete(slices.Clone(r.UnsentOutputs), i, i+1)
			return end
		}
		if i := slices.IndexFunc(r.Open, func(s *event.ShellStart) bool { return s.ID == e.ID }); i >= 0 { // a rewind removed its end
			start := *r.Open[i]
			end := lostShell(&start, e.Meta)
			start.Join = false // add it only once
			r.Open = slices.Clone(r.Open)
			r.Open[i] = &start
			return end
		}
	}
	return nil
}
