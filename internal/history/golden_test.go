package history_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/history"
)

// golden returns a log of testdata as session x of a new store.
func golden(t *testing.T, name string) (s *history.Store, dir string, text []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s, dir = place(t, text)
	return s, dir, text
}

// numbers returns the numbers of a session's records, and its problems.
func numbers(t *testing.T, s *history.Store) (got []int, problems []string) {
	t.Helper()
	_, records, err := s.Read("x")
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range records {
		var p history.Problem
		switch {
		case errors.As(err, &p):
			problems = append(problems, p.Text)
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, r.Seq)
		}
	}
	return got, problems
}

// Logs of every format can be opened forever. These files were written by hand
// and must not change.
func TestFormat1Logs(t *testing.T) {
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, c := range []struct {
		name     string
		numbers  []int
		problems []string // without the one at the end
		torn     int
	}{
		{"whole", all, nil, 0},
		{"unended", all, nil, 0},
		{"torn", all[:8], nil, 77},
		{"zeroed", all[:10], nil, 512},
		{"damaged", []int{1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12}, []string{
			"170 bytes at offset 774 are damaged and were skipped",
			"20 bytes at offset 1308 are damaged and were skipped",
		}, 0},
		{"hole", []int{1, 2, 3, 4, 9, 10, 11, 12}, []string{
			"944 bytes at offset 627 are damaged and were skipped",
		}, 0},
		{"glued", all, []string{
			"60 bytes at offset 501 are damaged and were skipped",
		}, 0},
		{"headless", all, []string{
			"139 bytes at offset 0 are damaged and were skipped",
		}, 0},
		{"twice", []int{1, 2, 3, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, []string{
			"the record at offset 501 is out of order: it has number 2 instead of 4",
		}, 0},
		{"unknown", []int{1, 2, 3, 4}, nil, 0},
		{"empty", nil, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir, text := golden(t, "format1/"+c.name)
			got, _ := numbers(t, s)
			same(t, got, c.numbers)

			l, problems, err := s.Resume("x")
			if err != nil {
				t.Fatal(err)
			}
			if c.torn > 0 {
				same(t, problems[len(problems)-1].Size, int64(c.torn))
				problems = problems[:len(problems)-1]
			}
			var words []string
			for _, p := range problems {
				words = append(words, p.Text)
			}
			same(t, words, c.problems)
			fill(t, l, 1, 1)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}

			next := 1
			if n := len(c.numbers); n > 0 {
				next = c.numbers[n-1] + 1
			}
			got, words = numbers(t, s)
			same(t, got, append(c.numbers[:len(c.numbers):len(c.numbers)], next))
			same(t, words, c.problems)
			after, err := os.ReadFile(filepath.Join(dir, "x.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if valid := text[:len(text)-c.torn]; !bytes.HasPrefix(after, valid) {
				t.Error("valid bytes have changed")
			}
			kept, _ := os.ReadFile(filepath.Join(dir, "x.torn"))
			same(t, string(kept), string(text[len(text)-c.torn:]))
		})
	}
}

func TestFormat1Headers(t *testing.T) {
	s, _, _ := golden(t, "format1/unknown")
	v, err := s.View("x")
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	h := v.Header()
	same(t, []any{h.Format, h.Dir, h.Parent, h.ForkSeq}, []any{1, "/home/ann/src/tide", "4hq2m8ka0b1c", 7})
	s, _, _ = golden(t, "format1/headless")
	w, err := s.View("x")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	same(t, w.Header(), history.Header{ID: "x"})
}

// A log of a newer format is never modified, even if its lines have other
// checksums. It can be read and forked.
func TestNewerFormatIsUnchanged(t *testing.T) {
	for name, valid := range map[string][]int{"newer/sealed": {1, 3}, "newer/otherwise": nil} {
		s, dir, text := golden(t, name)
		for _, open := range []func(string) (*history.Log, []history.Problem, error){s.Resume, s.ResumeTail} {
			if _, _, err := open("x"); !errors.Is(err, history.ErrNewer) || !strings.Contains(err.Error(), "session x") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := s.Repair("x"); !errors.Is(err, history.ErrNewer) {
			t.Errorf("%s: repair: %v", name, err)
		}
		got, _ := numbers(t, s)
		same(t, got, valid)
		v, err := s.View("x")
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		if _, err := v.Check(context.Background()); err != nil {
			t.Error(err)
		}
		after, err := os.ReadFile(filepath.Join(dir, "x.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(after), string(text))

		l, err := s.Fork("x", math.MaxInt, history.Header{ID: "y"})
		if err != nil {
			t.Fatal(err)
		}
		fill(t, l, 1, 1)
		forked, problems := bodies(t, l.Records())
		same(t, len(forked), len(valid)+1)
		same(t, problems, nil)
		same(t, l.Header().Format, history.Format)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
