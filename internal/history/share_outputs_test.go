package history_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/history"
)

// Records of a fork refer to outputs that still exist after its parent was
// removed. This holds for a fork of a fork too.
func TestForkHasOwnOutputs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a & \u00e9")
	s := history.Open(dir)
	l := s.Create(history.Header{ID: "x", Dir: "/d"})
	whole := filepath.Join(l.Outputs(), "call-1.txt")
	record := func(text string) []byte {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
		return append([]byte(`{"type":"note",`), bytes.TrimSpace(b.Bytes())[1:]...)
	}
	for _, body := range [][]byte{record("All of it is in " + whole + "."), record("no output")} {
		if err := l.Append(body, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(l.Outputs(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(whole, []byte("the whole of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	parent := "x"
	for range 2 {
		f, err := s.Fork(parent, math.MaxInt, history.Header{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Remove(parent); err != nil {
			t.Fatal(err)
		}
		parent = f.Header().ID
		got, problems := bodies(t, f.Records())
		same(t, got, []string{
			string(record("All of it is in " + filepath.Join(f.Outputs(), "call-1.txt") + ".")),
			string(record("no output")),
		})
		same(t, len(problems), 0)
		text, err := os.ReadFile(filepath.Join(f.Outputs(), "call-1.txt"))
		if err != nil || string(text) != "the whole of it" {
			t.Errorf("got %q, %v", text, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
