package policy

import (
	"strings"

	"agent/internal/tools"
)

// AfterReading returns the verdict v on c. If c uses the network and needs approval, and
// NoteSource has ended earlier permissions for the network, the warning names the source.
func (p *Policy) AfterReading(c tools.Call, v Verdict) Verdict {
	network := c.Effect == tools.Network || callsMCP(c) || v.Access.Network
	for _, g := range v.Offer.Each() {
		network = network || g.Sends()
	}
	if !v.Ask || !network || len(p.EndedBy()) == 0 {
		return v
	}
	text := "after reading " + strings.Join(p.EndedBy(), ", ") + ": the permissions for the network that you gave earlier have ended, because untrusted text can make the model send data"
	if v.Warning != "" {
		text += "; " + v.Warning
	}
	v.Warning = text
	return v
}
