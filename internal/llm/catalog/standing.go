package catalog

import "strings"

// Standing is whether a provider can be used now, as far as can be told
// without reaching for anything.
type Standing struct {
	Row     Row
	BaseURL string
	Here    bool   // that is on this machine
	Moved   bool   // somebody says that it is elsewhere than usual
	Usable  bool   // of a server on this machine: where it would be is known
	Why     string // why it can be used, else what to set
}

// Standings returns the standing of every provider but the guide.
func (in Input) Standings() []Standing {
	var all []Standing
	for _, r := range in.Changes.Providers() {
		if r.Dialect != Builtin {
			all = append(all, in.standing(r))
		}
	}
	return all
}

func (in Input) standing(r Row) Standing {
	base, from, err := in.address(r)
	s := Standing{Row: r, BaseURL: base, Here: loopback(base), Moved: from != "" && r.elsewhere(from)}
	where, held := in.holds(r)
	switch {
	case err != nil:
		s.Why = err.Error()
	case base == "" && r.Keyless:
		s.Why = r.whereabouts()
	case base == "":
		s.Why = "set " + r.URLName + " and " + strings.TrimPrefix(r.remedy(in.NoKeyring), "set ")
	case r.Local:
		s.Usable = true
	case held:
		s.Usable, s.Why = true, "key: "+where
	case s.Moved || r.Keyless:
		s.Usable, s.Why = true, "address: "+from
	default:
		s.Why = r.remedy(in.NoKeyring)
	}
	return s
}

// Known returns what is known of a model that a provider serves.
func (in Input) Known(s Standing, m Served) Info {
	return in.Changes.lookup(s.Row, m.Name, s.Moved).served(m)
}
