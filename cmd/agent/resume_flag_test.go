package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJoinResume takes the argument after --resume as its ID, unless it is a
// flag or empty.
func TestJoinResume(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                         "",
		"--resume":                 "--resume",
		"-r":                       "-r",
		"--resume ID":              "--resume=ID",
		"--resume=ID hi":           "--resume=ID hi",
		"-r ID hi":                 "-r=ID hi",
		"run --resume ID hi":       "run --resume=ID hi",
		"--resume ID run hi":       "--resume=ID run hi",
		"--resume --plain":         "--resume --plain",
		"run --resume -- hi":       "run --resume -- hi",
		"run -- --resume ID":       "run -- --resume ID",
		"run hi --resume":          "run hi --resume",
		"run --mode all -r ID - x": "run --mode all -r=ID - x",
	} {
		got := strings.Join(joinResume(strings.Fields(args)), " ")
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("%s: got, want:\n%s", args, diff)
		}
	}
	if got := joinResume([]string{"--resume", "", "hi"}); !cmp.Equal(got, []string{"--resume", "", "hi"}) {
		t.Errorf("got %q", got)
	}
}
