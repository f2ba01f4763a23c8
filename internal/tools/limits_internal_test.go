package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/search"
)

// What a call left out is said to the model, and in short to the user.
func TestLimitsAreSaid(t *testing.T) {
	for name, c := range map[string]struct {
		limits        search.Limits
		text, inShort string
	}{
		"none":  {search.Limits{}, "", ""},
		"deep":  {search.Limits{Deep: 2}, "2 directories not searched: too many levels below the start. Give a path further down.\n", ", incomplete"},
		"large": {search.Limits{Large: 1}, "1 directory not searched to the end: too many entries in one directory. For those use a command in the shell.\n", ", incomplete"},
		"grown": {search.Limits{Grown: 1, Rules: true}, "Not all ignore rules were applied: there are too many of them here, or they are too costly. " +
			"So files that git ignores may be among these. Give a narrower path.\n1 file not searched to the end: still growing.\n", ", incomplete"},
	} {
		got := []string{limitsNote(c.limits, "searched"), limitsSummary(c.limits)}
		if diff := cmp.Diff(got, []string{c.text, c.inShort}); diff != "" {
			t.Errorf("%s: got (-), want (+):\n%s", name, diff)
		}
	}
}
