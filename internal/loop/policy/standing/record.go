package standing

import (
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// Record returns g as a record of the log.
func (g Grant) Record() event.Grant {
	out := event.Grant{Kind: event.TargetKind(g.Kind), Value: g.Value, Dir: g.Dir, Prefix: g.Prefix, Network: g.Network, Read: g.Read, Seal: g.Seal}
	for _, f := range g.Files {
		out.Files = append(out.Files, event.FileSum{Path: f.Path, Sum: f.Sum})
	}
	return out
}

// Records returns g and the permissions given with it as records of the log.
func (g Grant) Records() (first *event.Grant, more []event.Grant) {
	for _, each := range g.With {
		more = append(more, each.Record())
	}
	record := g.Record()
	return &record, more
}

// Recorded returns the grant of a record, valid or not.
func Recorded(r event.Grant) Grant {
	g := Grant{Scope: Scope{Kind: tools.TargetKind(r.Kind), Value: r.Value, Dir: r.Dir, Prefix: r.Prefix, Network: r.Network, Read: r.Read}, Seal: r.Seal}
	for _, f := range r.Files {
		g.Files = append(g.Files, File{Path: f.Path, Sum: f.Sum})
	}
	return g
}
