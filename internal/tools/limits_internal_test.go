package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/search"
)

// The model gets a note for each limit, the user a short summary.
func TestLimitNotes(t *testing.T) {
	for name, c := range map[string]struct {
		limits        search.Limits
		text, inShort string
	}{
		"none":  {search.Limits{}, "", ""},
		"deep":  {search.Limits{Deep: 2}, "2 directories not searched: too deeply nested. Give a deeper path.\n", ", incomplete"},
		"large": {search.Limits{Large: 1}, "1 directory not completely searched: too many entries. Use a command in shell for these.\n", ", incomplete"},
		"grown": {search.Limits{Grown: 1, Rules: true}, "Not all ignore rules were applied: too many, or too complex. " +
			"The results may include files that git ignores. Give a narrower path.\n1 file not completely searched: still growing.\n", ", incomplete"},
	} {
		got := []string{limitsNote(c.limits, "searched"), limitsSummary(c.limits)}
		if diff := cmp.Diff(got, []string{c.text, c.inShort}); diff != "" {
			t.Errorf("%s: got (-), want (+):\n%s", name, diff)
		}
	}
}
