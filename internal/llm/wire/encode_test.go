package wire_test

import (
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// The word "error" is not joined to the output of a command, which says itself how it ended.
func TestResultsOfDialectsWithoutFailures(t *testing.T) {
	for text, want := range map[string]string{
		"there is no a.go":                       "error: there is no a.go",
		"Error: no":                              "Error: no",
		"--- FAIL: TestA\nFAIL\n[exit 1]\n":      "--- FAIL: TestA\nFAIL\n[exit 1]\n",
		"[exit 1: no match]\n":                   "[exit 1: no match]\n",
		"a\n[exit 1]\n[It was not run again.]\n": "a\n[exit 1]\n[It was not run again.]\n",
		"a\n[job 3 ended: exit 1]\n":             "a\n[job 3 ended: exit 1]\n",
		"first\nsecond\n":                        "error: first\nsecond\n",
		"one line\n":                             "error: one line\n",
	} {
		if got := wire.Result(&llm.Message{Text: text, IsError: true}); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if got := wire.Result(&llm.Message{Text: text}); got != text {
			t.Errorf("%q that is no failure: got %q", text, got)
		}
	}
	if got, want := wire.Result(nil), "error: "+wire.Interrupted; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
