package settings

import (
	"maps"
	"slices"

	"agent/internal/llm/catalog"
)

// Changes returns the overrides of built-in providers and models in s.
func (s Settings) Changes() catalog.Changes {
	c := catalog.Changes{Models: map[string]catalog.Info{}}
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		p := s.Providers[name]
		c.Rows = append(c.Rows, rowOf(name, p))
		for model, m := range p.Models {
			c.Models[name+"/"+model] = infoOf(m)
		}
	}
	for name, m := range s.Catalog {
		c.Models[name] = infoOf(m)
	}
	return c
}

// rowOf returns the provider called name: the built-in one with the overrides of p,
// or a new one.
func rowOf(name string, p Provider) catalog.Row {
	r, found := catalog.Find(name)
	if !found {
		r = catalog.Row{Name: name, Dialect: catalog.OpenAI}
	}
	if p.BaseURL != "" {
		r.BaseURL, r.Configured = p.BaseURL, true
		r.Keyless = r.Keyless || p.Key == nil
	}
	if p.Dialect != "" {
		r.Dialect, r.Several, r.KeyHeader = catalog.Dialect(p.Dialect), false, ""
	}
	if r.Dialect == catalog.Anthropic {
		r.KeyHeader = "X-Api-Key"
	}
	if p.Default != "" {
		r.Models.Default = p.Default
	}
	if p.Key != nil && p.Key.Env != "" {
		r.KeyNames = append([]string{p.Key.Env}, r.KeyNames...)
	}
	if len(p.Headers) > 0 {
		headers := map[string]string{}
		maps.Copy(headers, r.Headers)
		maps.Copy(headers, p.Headers)
		r.Headers = headers
	}
	return r
}

func infoOf(m Model) catalog.Info {
	i := catalog.Info{
		Context: m.Context, Output: m.Output, Tools: m.Tools, Vision: m.Vision,
		Effort: m.Effort, Dialect: catalog.Dialect(m.Dialect), Form: m.Form, KeepThinking: m.Thinks,
	}
	if m.Price != nil {
		i.Price = &catalog.Price{Input: m.Price.Input, Cached: m.Price.Cached, CacheWrite: m.Price.CacheWrite, Output: m.Price.Output}
	}
	return i
}
