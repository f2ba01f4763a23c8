package diffs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// A diff needs text of at most 2 MB before and after the change.
func TestDiffs(t *testing.T) {
	limit, large := strings.Repeat("x", 2<<20), strings.Repeat("x", 2<<20+1)
	noDiff := event.Diff{Unified: "@@ too large to show @@\n"}
	binary := event.Diff{Unified: "@@ binary content @@\n"}
	for _, c := range []struct {
		name, before, after string
		want                event.Diff
	}{
		{"limit before", limit, "a", event.Diff{Unified: "@@ -1 +1 @@\n-" + limit + "\n\\ No newline at end of file\n+a\n\\ No newline at end of file\n", Added: 1, Removed: 1}},
		{"limit after", "a", limit, event.Diff{Unified: "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+" + limit + "\n\\ No newline at end of file\n", Added: 1, Removed: 1}},
		{"large before", large, "a", noDiff},
		{"large after", "a", large, noDiff},
		{"binary before", "a\x00\x01", "a", binary},
		{"binary after", "a", "a\x00\x01", binary},
		{"zero byte at the start", "\x00ab", "a", binary},
		{"zero byte at the end", "a", "ab\x00", binary},
		{"other control character", "a\n", "\x01\n", event.Diff{Unified: "@@ -1 +1 @@\n-a\n+\x01\n", Added: 1, Removed: 1}},
	} {
		got := diffs.Of([]tools.Change{{Before: []byte(c.before), After: []byte(c.after)}})
		if !cmp.Equal(got, []event.Diff{c.want}) {
			t.Errorf("%s: got %.80q", c.name, got[0].Unified)
		}
	}
}
