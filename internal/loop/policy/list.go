package policy

import "slices"

// Grants returns the standing permissions, oldest first. Some of them may have
// ended: see Grant.Ended.
func (p *Policy) Grants() []Grant { return slices.Clone(p.grants) }
