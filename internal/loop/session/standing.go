package session

import (
	"slices"

	"agent/internal/loop/event"
)

// Standing are the standing permissions of a session, and what can end them. The zero
// value is ready to use.
type Standing struct {
	Grants []event.Grant // valid or not
	Reads  []Read        // of the model and its delegates
}

// Read is content of a host or server that entered the conversation.
type Read struct {
	Source string // as in event.ToolEnd
	Grants int    // how many of the Grants were given before
}

// Add takes the next event of the session.
func (s *Standing) Add(e event.Durable) {
	var sources []string
	switch e := e.(type) {
	case *event.Decided:
		if e.Grant != nil {
			s.Grants = append(s.Grants, *e.Grant)
		}
		s.Grants = append(s.Grants, e.More...)
	case *event.PermissionRemoved:
		if e.Grant != nil {
			s.remove(*e.Grant)
		}
	case *event.ToolEnd:
		if e.Source != "" {
			sources = []string{e.Source}
		}
	case *event.UserSaid:
		if e.Source != "" {
			sources = []string{e.Source}
		}
	case *event.DelegateEnd:
		sources = e.Sources
	}
	for _, source := range sources {
		s.Reads = append(s.Reads, Read{source, len(s.Grants)})
	}
}

// remove removes the permissions that cover the same calls as g.
func (s *Standing) remove(g event.Grant) {
	for i := len(s.Grants) - 1; i >= 0; i-- {
		if !sameScope(s.Grants[i], g) {
			continue
		}
		s.Grants = slices.Delete(s.Grants, i, i+1)
		for j := range s.Reads {
			if s.Reads[j].Grants > i {
				s.Reads[j].Grants--
			}
		}
	}
}

// sameScope reports whether two standing permissions cover the same calls.
func sameScope(a, b event.Grant) bool {
	return a.Kind == b.Kind && a.Value == b.Value && a.Dir == b.Dir && a.Prefix == b.Prefix && a.Network == b.Network && a.Read == b.Read
}
