package event_test

import (
	"slices"
	"testing"

	"agent/internal/loop/event"
)

func TestResources(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                      nil,
		"see @shop:stock://tea.":                {"shop:stock://tea"},
		"@a:b://c, (@a:d) and @a:b://c again":   {"a:b://c", "a:d"},
		`compare @"my-docs:file:///a b.txt" to`: {"my-docs:file:///a b.txt"},
		"@wiki:page(1) [@wiki:x[0]]?":           {"wiki:page(1)", "wiki:x[0]"},
		"ann@shop:x, @main.go:12, @Agent:x":     nil,
		"@agent:explore look, @: @x: @:y @ z":   nil,
		"@docs:page://{book}":                   {"docs:page://{book}"},
		"a\n@docs:x\n@\"docs:y\nz":              {"docs:x", "docs:y"},
	} {
		if got := event.Resources(text); !slices.Equal(got, want) {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
}
