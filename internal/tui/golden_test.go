package tui

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateGoldens = flag.Bool("update", false, "write the goldens of markdown and diffs anew")

// looks are the terminals that goldens are drawn for.
var looks = map[string]*Styles{
	"dark":    look{dark: true}.styles(),
	"light":   look{}.styles(),
	"nocolor": look{dark: true, noColor: true}.styles(),
	"painted": look{theme: "dark", dark: true}.styles(),
}

// checkGolden compares lines with a golden in which ESC and BEL are signs that
// Sanitize does not write.
func checkGolden(t *testing.T, file string, lines []string) {
	t.Helper()
	got := strings.NewReplacer("\x1b", "⎋", "\a", "⍾").Replace(strings.Join(lines, "\n")) + "\n"
	if *updateGoldens {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(got, string(want)); diff != "" {
		t.Errorf("%s (-got +want):\n%s", file, diff)
	}
}
