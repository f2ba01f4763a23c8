package catalog

import "strings"

// ProviderStatus describes whether a provider can be used, as far as known without a
// network request.
type ProviderStatus struct {
	Row     Row
	BaseURL string
	Here    bool   // the base URL is on this machine
	Moved   bool   // the base URL is not the provider's own
	Usable  bool   // can be used; for a local server, its base URL is known
	Why     string // why it can be used, otherwise what to set
}

// ProviderStatuses returns the status of every provider except the guide.
func (in Input) ProviderStatuses() []ProviderStatus {
	var all []ProviderStatus
	for _, r := range in.Changes.Providers() {
		if r.Dialect != Builtin {
			all = append(all, in.providerStatus(r))
		}
	}
	return all
}

func (in Input) providerStatus(r Row) ProviderStatus {
	base, from, err := in.address(r)
	s := ProviderStatus{Row: r, BaseURL: base, Here: loopback(base), Moved: from != "" && r.moved(from)}
	where, held := in.keySource(r)
	switch {
	case err != nil:
		s.Why = err.Error()
	case base == "" && r.Keyless:
		s.Why = r.urlHint()
	case base == "":
		s.Why = "set " + r.URLName + " and " + strings.TrimPrefix(r.keyHint(in.NoKeyring), "set ")
	case r.Local:
		s.Usable = true
	case held:
		s.Usable, s.Why = true, "API key: "+where
	case s.Moved || r.Keyless:
		s.Usable, s.Why = true, "base URL: "+from
	default:
		s.Why = r.keyHint(in.NoKeyring)
	}
	return s
}

// Known returns the data of a model that a provider serves.
func (in Input) Known(s ProviderStatus, m Served) Info {
	return in.Changes.lookup(s.Row, m.Name, s.Moved).withServed(m)
}
