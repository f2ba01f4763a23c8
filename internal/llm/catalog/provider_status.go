package catalog

import (
	"cmp"
	"strings"
)

// ProviderStatus describes whether a provider can be used, as far as known without a
// network request.
type ProviderStatus struct {
	Row     Row
	BaseURL string
	Here    bool   // the base URL is on this machine
	Moved   bool   // the base URL is not the provider's own
	Usable  bool   // can be used; for a local server, its base URL is known
	Keyed   bool   // it seems to have an API key
	Why     string // why it can be used, otherwise what to set
	Default string // model if only the provider is named; "" for none
	// Named are the models of the provider that the user named: by a flag, a
	// variable or the configuration.
	Named []string
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
	s.Default, s.Named = cmp.Or(in.env(r.Models.DefaultName), r.Models.Default), in.namedAt(r)
	where, held := in.keys().source(r)
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
		s.Usable, s.Keyed, s.Why = true, true, "API key: "+where
	case s.Moved || r.Keyless:
		s.Usable, s.Why = true, "base URL: "+from
	default:
		s.Why = r.keyHint(in.NoKeyring)
	}
	return s
}

// namedAt returns the models of r that the user named.
func (in Input) namedAt(r Row) []string {
	names := []string{}
	if model := in.env(r.Models.DefaultName); model != "" {
		names = append(names, model)
	}
	for _, name := range append([]string{in.Flag, in.env("AGENT_MODEL")}, in.Config...) {
		if found, model, err := in.findProvider(strings.TrimSpace(name)); err == nil && found.Name == r.Name && model != "" && name != "" {
			names = append(names, model)
		}
	}
	return names
}

// Known returns the data of a model that a provider serves.
func (in Input) Known(s ProviderStatus, m Served) Info {
	return in.Changes.served(s.Row, m, s.Moved)
}
