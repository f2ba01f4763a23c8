package headless_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/headless"
)

// The schema of the output is kept in the repository. UPDATE=1 writes it, as make
// generate does.
func TestSchema(t *testing.T) {
	const file = "../../../testdata/output.schema.json"
	got, err := headless.Schemas()["output"]()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got), string(want)); d != "" {
		t.Errorf("got (-), want (+); make generate writes it:\n%s", d)
	}
}
