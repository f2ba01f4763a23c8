package list

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sessions in a cycle of parents are all listed, once.
func TestTreeOfCycles(t *testing.T) {
	got, depths := tree([]Session{{ID: "a", Parent: "b"}, {ID: "b", Parent: "a"}, {ID: "c", Parent: "c"}, {ID: "d", Parent: "a"}})
	want := []Session{{ID: "a", Parent: "b"}, {ID: "b", Parent: "a"}, {ID: "d", Parent: "a"}, {ID: "c", Parent: "c"}}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("order (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(depths, []int{0, 1, 1, 0}); diff != "" {
		t.Errorf("depths (-got +want):\n%s", diff)
	}
}
