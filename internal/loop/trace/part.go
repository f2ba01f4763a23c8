package trace

import parts "agent/internal/loop/part"

// For makes the trace listen to an agent. It implements part.Part.
func (t *Trace) For(a parts.Agent) (parts.Added, error) {
	switch {
	case t == nil:
		return parts.Added{}, nil
	case a.Number > 0:
		return parts.Added{Listen: t.Delegate(a.Number)}, nil
	}
	return parts.Added{Listen: t.Listen, Notices: t.out.problems}, nil
}
