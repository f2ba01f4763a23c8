package credentials

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
	"agent/internal/llm/wire"
)

// Variables returns the environment variables that the configuration names as
// sources of API keys.
func Variables(set settings.Settings) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(set.Providers)) {
		if p := set.Providers[name]; p.Key != nil && p.Key.Env != "" {
			names = append(names, p.Key.Env)
		}
	}
	return names
}

// SecretURLs returns the environment variables that hold a base URL with a
// secret: a user name, a password or a key in the query.
func SecretURLs(getenv func(string) string) []string {
	var names []string
	for _, r := range catalog.Providers() {
		base := getenv(r.URLName)
		u, err := url.Parse(base)
		if err != nil || u.Host == "" { // possibly a host without a scheme
			if strings.Contains(base, "@") {
				names = append(names, r.URLName)
			}
			continue
		}
		if wire.SecretURL(u) {
			names = append(names, r.URLName)
		}
	}
	return names
}

// Strip returns env without the API keys of providers. It is for the user's own
// programs, which may need the user's other secrets: the editor, the clipboard
// programs, and commands that print a key. Commands of the model or the
// repository get less: see shell.Scrub.
func Strip(env []string) []string {
	names := map[string]bool{}
	for _, r := range catalog.Providers() {
		for _, n := range r.KeyNames {
			names[n] = true
		}
		if r.Client != nil {
			names[r.Client.SecretName] = true
		}
	}
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return names[name]
	})
}
