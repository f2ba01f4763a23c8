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

// models.json holds the known data of models by the prefix of their names: NAME
// for a model at any provider, PROVIDER/NAME for data of that provider only.
// Prices are those of the vendor ("by") unless the name has a provider.
// Unverified data is left out.
//
//go:embed models.json
var embedded []byte

// table is the parsed models.json.
var table = sync.OnceValue(func() map[string]Info {
	raw := map[string]Info{}
	if err := json.Unmarshal(embedded, &raw); err != nil {
		panic("models.json: " + err.Error())
	}
	return normalized(raw)
})

// Changes are the changes of a configuration to the tables. The zero value
// changes nothing.
type Changes struct {
	Rows   []Row           // additional providers, and replacements by name
	Models map[string]Info // overrides of model data, with names as in models.json
}

// Lookup returns the data of a model. The longest matching prefix wins. Data of
// the model is overridden by data of the provider, then by the configuration.
func (c Changes) Lookup(provider, model string) Info {
	row, found := c.Find(provider)
	if !found {
		row.Name = provider
	}
	return c.lookup(row, model, false)
}

// lookup is Lookup for a row that may be at another address than its own, where
// the prices of the table do not apply.
func (c Changes) lookup(row Row, model string, moved bool) Info {
	at := normalize(row.Name) + "/"
	var info Info
	for _, name := range []string{baseName(model), at + normalize(model)} {
		if found, rest, ok := lookupPrefix(table(), name); ok {
			if found.Price != nil && (!endsExactly(rest) || !strings.HasPrefix(name, at) && !row.hasPricesOf(found.Maker, model)) {
				found.Price = nil
			}
			info = info.overriddenBy(found)
			info.Exact = info.Exact || endsExactly(rest)
		}
	}
	if moved {
		info.Price = nil
	}
	if row.Local { // the server sets its own window, and is free
		info.Context, info.Price = 0, &Price{}
	}
	return c.override(info, row, model)
}

// override returns info overridden by the configuration.
func (c Changes) override(info Info, row Row, model string) Info {
	fixes := normalized(c.Models)
	for _, name := range []string{baseName(model), normalize(row.Name) + "/" + normalize(model)} {
		if found, _, ok := lookupPrefix(fixes, name); ok {
			info = info.overriddenBy(found)
			info.Exact = true
			info.Assumed = info.Assumed && found.Context == 0
		}
	}
	return info
}

// served returns the data of a model with what its server says about it, which
// only the configuration overrides.
func (c Changes) served(row Row, m Served, moved bool) Info {
	return c.override(c.lookup(row, m.Name, moved).withServed(m), row, m.Name)
}

// ModelsOf returns the models of a provider that are known without a query,
// sorted: its own models, models with data for this provider, models that the user
// named, and its default.
func (c Changes) ModelsOf(s ProviderStatus) []string {
	names := slices.Clone(s.Named)
	at := s.Row.Name + "/"
	for name := range c.Models {
		if name, own := strings.CutPrefix(name, at); own {
			names = append(names, name)
		}
	}
	if s.Row.Models.Default != "" && (!s.Moved || s.Row.Configured) {
		names = append(names, s.Row.Models.Default)
	}
	raw := map[string]Info{}
	if !s.Moved {
		_ = json.Unmarshal(embedded, &raw) // table has checked it
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

// hasPricesOf reports whether the prices of maker apply at the provider: as its
// own, or resold.
func (r Row) hasPricesOf(maker, model string) bool {
	if maker == "" || maker == r.Name {
		return maker != ""
	}
	vendor, _, _ := strings.Cut(model, "/")
	return r.Models.Vendors[vendor] == maker
}

// lookupPrefix returns the row whose name is the longest prefix of name, and
// the remainder of name.
func lookupPrefix(of map[string]Info, name string) (info Info, rest string, ok bool) {
	for cut := len(name); cut > 0; cut-- {
		info, found := of[name[:cut]]
		if found && (cut == len(name) || strings.ContainsRune("-:@", rune(name[cut])) || isDigit(name[cut]) && !isDigit(name[cut-1])) {
			return info, name[cut:], true
		}
	}
	return Info{}, "", false
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// dateSuffix matches suffixes of a model's name that do not make it another
// model.
var dateSuffix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([-@:](latest|preview|\d{3,8}|\d{4}-\d\d-\d\d))*(-\d\d-\d\d)?$`)
})

func endsExactly(rest string) bool { return dateSuffix().MatchString(rest) }

// baseName returns a model's name without provider or vendor, which routers put
// first.
func baseName(model string) string {
	name := normalize(model)
	return strings.TrimPrefix(name[strings.LastIndex(name, "/")+1:], "databricks-")
}

// normalize returns the form of a name used for comparison: some providers
// write 4.5 as 4-5.
func normalize(name string) string { return strings.ReplaceAll(strings.ToLower(name), ".", "-") }

func normalized(of map[string]Info) map[string]Info {
	return maps.Collect(func(yield func(string, Info) bool) {
		for name, info := range of {
			if !yield(normalize(name), info) {
				return
			}
		}
	})
}
