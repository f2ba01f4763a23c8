package edit_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/edit"
)

// TestCases replays edits from a collection of JSON lines.
func TestCases(t *testing.T) {
	dir := os.Getenv("AGENT_CASES")
	if dir == "" {
		t.Skip("AGENT_CASES is not set")
	}
	f, err := os.Open(filepath.Join(dir, "edits.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, n := bufio.NewScanner(f), 0
	lines.Buffer(nil, 16<<20)
	for ; lines.Scan(); n++ {
		var c struct {
			ID, Before, Old, New, Expect string
			ReplaceAll                   bool `json:"replace_all"`
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			got, err := edit.Replace(t.Context(), []byte(c.Before), []byte(c.Old), []byte(c.New), c.ReplaceAll)
			if diff := cmp.Diff(outcome(got, err), c.Expect); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
			if c.Before == "" {
				return
			}
			// The same file with other line endings, which a model does not see.
			got, err = edit.Replace(t.Context(), []byte(withCRLF(c.Before)), []byte(c.Old), []byte(c.New), c.ReplaceAll)
			if diff := cmp.Diff(outcome(got, err), withCRLF(c.Expect)); diff != "" {
				t.Errorf("with CRLF: got (-), want (+):\n%s", diff)
			}
		})
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%d cases, %v", n, err)
	}
}

func withCRLF(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// outcome formats the result of an edit as the collection does.
func outcome(r edit.Result, err error) string {
	var notFound *edit.NotFoundError
	var ambiguous *edit.AmbiguousError
	switch {
	case errors.As(err, &notFound):
		return "error:not_found"
	case errors.As(err, &ambiguous):
		return "error:ambiguous"
	case err != nil:
		return "error:" + err.Error()
	}
	return string(r.After)
}
