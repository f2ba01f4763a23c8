package policy

import (
	"slices"
	"strings"

	"agent/internal/tools"
)

// reads are the hosts and servers whose content is in the conversation. The content may
// try to make the model send data elsewhere, so it ends the permissions that were given
// before it arrived. The zero value is empty.
type reads struct {
	seen []string // each once, oldest first
	// ended are the entries of seen that ended permissions for the network since the
	// user last granted one.
	ended []string
}

// granted notes a new standing permission.
func (r *reads) granted(s Scope) {
	if s.network() {
		r.ended = nil
	}
}

// network reports whether the scope allows sending data over the network.
func (s Scope) network() bool { return s.Kind == tools.Host || s.Kind == tools.MCP || s.Network }

// NoteSource records that content of a host or server is in the conversation. The first
// content of a source ends the standing permissions for the network, except for requests
// to that source. Rules do not end. The source is named like a Host in a Target.
func (p *Policy) NoteSource(source string) {
	if slices.Contains(p.reads.seen, source) {
		return
	}
	p.reads.seen = append(p.reads.seen, source)
	before := len(p.grants)
	p.grants = slices.DeleteFunc(p.grants, func(g Grant) bool {
		return g.network() && !g.reaches(source)
	})
	if len(p.grants) < before {
		p.reads.ended = append(p.reads.ended, source)
	}
}

// reaches reports whether the scope only allows to send data to a source.
func (s Scope) reaches(source string) bool {
	server, _, _ := strings.Cut(s.Value, "/")
	return s.Kind == tools.Host && s.Value == source || s.Kind == tools.MCP && server == source
}

// AfterReading returns the verdict v on c. If c uses the network and needs approval, and
// NoteSource has ended earlier permissions for the network, the warning names the source.
func (p *Policy) AfterReading(c tools.Call, v Verdict) Verdict {
	network := c.Effect == tools.Network || callsMCP(c) || v.Access.Network
	for _, g := range v.Offer.Each() {
		network = network || g.network()
	}
	if !v.Ask || !network || len(p.reads.ended) == 0 {
		return v
	}
	text := "after reading " + strings.Join(p.reads.ended, ", ") + ": the permissions for the network that you gave earlier have ended, because untrusted text can make the model send data"
	if v.Warning != "" {
		text += "; " + v.Warning
	}
	v.Warning = text
	return v
}
