package catalog

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// models.json holds what is known of models, by the beginning of their names: a
// bare name for a model wherever it is served, PROVIDER/NAME for what only that
// provider says of it. Prices are those of the maker ("by"), unless the name
// has a provider. What could not be made sure of is left out.
//
//go:embed models.json
var embedded []byte

// table is models.json, parsed when it is first asked.
var table = sync.OnceValue(func() map[string]Info {
	raw := map[string]Info{}
	if err := json.Unmarshal(embedded, &raw); err != nil {
		panic("models.json: " + err.Error())
	}
	return normalized(raw)
})

// Changes are what a configuration makes of the tables. The zero value changes
// nothing.
type Changes struct {
	Rows   []Row           // providers that are new, or in the place of those of their name
	Models map[string]Info // what is known better of models, named as in models.json
}

// Lookup returns what is known of a model. Of its names in the table the longest
// that it begins with counts, first of those of the model itself, then of those
// of the provider, then of the corrections.
func (c Changes) Lookup(provider, model string) Info {
	row, found := c.Find(provider)
	if !found {
		row.Name = provider
	}
	return c.lookup(row, model, false)
}

// lookup is Lookup for a provider that may be elsewhere than usual, where the
// prices of the table are not the ones that are paid.
func (c Changes) lookup(row Row, model string, moved bool) Info {
	at := normal(row.Name) + "/"
	var info Info
	for _, name := range []string{plain(model), at + normal(model)} {
		if found, rest, ok := longest(table(), name); ok {
			if found.Price != nil && (!endsExactly(rest) || !strings.HasPrefix(name, at) && !row.charges(found.Maker, model)) {
				found.Price = nil
			}
			info = info.with(found)
			info.Exact = info.Exact || endsExactly(rest)
		}
	}
	if moved {
		info.Price = nil
	}
	if row.Local { // it decides its window itself, and asks nothing for it
		info.Context, info.Price = 0, &Price{}
	}
	fixes := normalized(c.Models)
	for _, name := range []string{plain(model), at + normal(model)} {
		if found, _, ok := longest(fixes, name); ok {
			info = info.with(found)
			info.Exact = true
		}
	}
	return info
}

// ModelsOf returns the names of the models that the provider of the standing
// has, as far as they are known without asking it, sorted: those that it makes,
// that something is known of at this provider alone, that the configuration
// gives it, and its default.
func (c Changes) ModelsOf(s Standing) []string {
	var names []string
	at := s.Row.Name + "/"
	for name := range c.Models {
		if name, own := strings.CutPrefix(name, at); own {
			names = append(names, name)
		}
	}
	if s.Row.Default != "" && (!s.Moved || s.Row.Configured) {
		names = append(names, s.Row.Default)
	}
	raw := map[string]Info{}
	if !s.Moved {
		_ = json.Unmarshal(embedded, &raw) // table has seen to it
	}
	for name, info := range raw {
		name, own := strings.CutPrefix(name, at)
		if (own || info.Maker == s.Row.Name) && info.Listed != "-" {
			names = append(names, cmp.Or(info.Listed, name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// charges reports whether the prices of maker are those of the provider too:
// its own, or those that a router passes on.
func (r Row) charges(maker, model string) bool {
	if maker == "" || maker == r.Name {
		return maker != ""
	}
	vendor, _, _ := strings.Cut(model, "/")
	return r.Vendors[vendor] == maker
}

// longest returns the row of the table with the longest name that the model's
// begins with, and what follows.
func longest(of map[string]Info, name string) (info Info, rest string, ok bool) {
	for cut := len(name); cut > 0; cut-- {
		info, found := of[name[:cut]]
		if found && (cut == len(name) || strings.ContainsRune("-:@", rune(name[cut])) || isDigit(name[cut]) && !isDigit(name[cut-1])) {
			return info, name[cut:], true
		}
	}
	return Info{}, "", false
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// dated is what may follow a model's name without making it another model.
var dated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([-@:](latest|preview|\d{3,8}|\d{4}-\d\d-\d\d))*(-\d\d-\d\d)?$`)
})

func endsExactly(rest string) bool { return dated().MatchString(rest) }

// plain is a model's name without who serves or made it: routers name the maker
// first.
func plain(model string) string {
	name := normal(model)
	return strings.TrimPrefix(name[strings.LastIndex(name, "/")+1:], "databricks-")
}

// normal writes a name as all are compared: some write 4.5 as 4-5.
func normal(name string) string { return strings.ReplaceAll(strings.ToLower(name), ".", "-") }

func normalized(of map[string]Info) map[string]Info {
	return maps.Collect(func(yield func(string, Info) bool) {
		for name, info := range of {
			if !yield(normal(name), info) {
				return
			}
		}
	})
}
