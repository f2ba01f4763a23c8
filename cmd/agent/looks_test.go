package main

import (
	"strings"
	"testing"

	"agent/cmd/agent/settings"
	"agent/internal/tui/ink"
)

func TestAsciiOnly(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, c := range []struct {
		set  *bool
		env  string
		want bool
	}{
		{nil, "", false},
		{nil, "LANG=en_US.UTF-8", false},
		{nil, "LANG=C.utf8", false},
		{nil, "LC_CTYPE=UTF-8", false},
		{nil, "LANG=C", true},
		{nil, "LANG=de_DE.ISO-8859-1", true},
		{nil, "LANG=en_US.UTF-8 LC_ALL=POSIX", true},
		{nil, "LANG=C LC_CTYPE=en_US.UTF-8", false},
		{&yes, "LANG=en_US.UTF-8", true},
		{&no, "LANG=C", false},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		if got := asciiOnly(c.set, func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%v %s: %v, want %v", c.set, c.env, got, c.want)
		}
	}
}

// The configuration knows the themes that there are.
func TestThemesCanBeSet(t *testing.T) {
	t.Parallel()
	for _, s := range settings.All() {
		if s.Name == "theme" {
			if want := strings.Join(ink.ThemeNames(), ", "); !strings.Contains(s.What, want) {
				t.Errorf("the setting tells %q, but the themes are %s", s.What, want)
			}
			return
		}
	}
	t.Error("there is no setting theme")
}
