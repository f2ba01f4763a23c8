// Package standing holds the standing permissions that users give in a dialog ("always allow"): what
// each covers, the files on which it depends, and the seal that proves who gave it. It judges no call:
// package policy decides with them. Start reading at Grant and Set.
package standing

import (
	"path/filepath"
	"slices"
)

// Set holds the standing permissions that apply, oldest first. It also knows the hosts and servers
// whose content is in the conversation: the content may try to make the model send data elsewhere, so
// it ends the permissions for the network that were given before it arrived. The zero value is empty.
// It is not safe for concurrent use.
type Set struct {
	grants []Grant
	seen   []string // sources of content, each once
	ended  []string // those that ended permissions since the user last granted one for the network
}

// Allow adds a standing permission and returns it. It replaces one of the same scope, but
// keeps the files of that one in other directories.
func (s *Set) Allow(g Grant) Grant {
	if g.Scope == (Scope{}) {
		return g
	}
	for _, more := range g.With {
		s.Allow(more)
	}
	g.With = nil
	for _, old := range s.grants {
		if old.Scope == g.Scope && g.Prefix {
			g.Files = slices.Clone(g.Files)
			for _, f := range old.Files {
				if !g.knows(filepath.Dir(f.Path)) {
					g.Files = append(g.Files, f)
				}
			}
		}
	}
	s.Forget(g.Scope)
	s.grants = append(s.grants, g)
	if g.Sends() {
		s.ended = nil
	}
	return g
}

// Forget removes the standing permission of a scope. It reports whether there was one.
func (s *Set) Forget(scope Scope) bool {
	before := len(s.grants)
	s.grants = slices.DeleteFunc(s.grants, func(g Grant) bool { return g.Scope == scope })
	return len(s.grants) < before
}

// Grants returns the standing permissions, oldest first. Some of them may have ended: see Grant.Ended.
func (s *Set) Grants() []Grant { return slices.Clone(s.grants) }

// NoteSource records that content of a host or server is in the conversation. The first
// content of a source ends the standing permissions for the network, except for requests
// to that source. Rules do not end. The source is named like a Host in a Target.
func (s *Set) NoteSource(source string) {
	if slices.Contains(s.seen, source) {
		return
	}
	s.seen = append(s.seen, source)
	before := len(s.grants)
	s.grants = slices.DeleteFunc(s.grants, func(g Grant) bool {
		return g.Sends() && !g.reaches(source)
	})
	if len(s.grants) < before {
		s.ended = append(s.ended, source)
	}
}

// EndedBy returns the sources whose content ended permissions since the user last granted one for the
// network.
func (s *Set) EndedBy() []string { return s.ended }

// Find returns the oldest permission for which covers returns true; nil if there is none.
func (s *Set) Find(covers func(Grant) bool) *Grant {
	if i := slices.IndexFunc(s.grants, covers); i >= 0 {
		return &s.grants[i]
	}
	return nil
}

// Clone returns a copy of s, which can be changed.
func (s *Set) Clone() Set {
	return Set{grants: slices.Clone(s.grants), seen: slices.Clone(s.seen), ended: slices.Clone(s.ended)}
}
