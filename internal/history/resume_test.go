package history_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

func TestResumeTailThenCheck(t *testing.T) {
	text, ends := sample(t, 6)
	s, dir := place(t, slices.Concat(text[:ends[2]], []byte("rubbish\n"), text[ends[2]:], []byte(`{"seq":7`)))
	l, torn, err := s.ResumeTail("x")
	if err != nil {
		t.Fatal(err)
	}
	same(t, len(torn), 1)
	same(t, torn[0].Size, 8)
	// Appending before the check does not disturb it.
	fill(t, l, 7, 8)
	problems, err := l.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	same(t, problems, []history.Problem{{Offset: int64(ends[2]), Size: 8, Text: problems[0].Text}})
	got, _ := bodies(t, l.Records())
	same(t, got, wanted(1, 8))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if kept, _ := os.ReadFile(filepath.Join(dir, "x.torn")); string(kept) != `{"seq":7` {
		t.Errorf("kept %q", kept)
	}
}

func TestCheckNewSession(t *testing.T) {
	l := history.Open(t.TempDir()).Create(history.Header{})
	fill(t, l, 1, 1)
	problems, err := l.Check(context.Background())
	if problems != nil || err != nil {
		t.Errorf("%v, %v", problems, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// An incomplete end cannot be saved on a full disk. The session can still be
// opened and read, and continued once there is space.
func TestIncompleteEndOnFullDisk(t *testing.T) {
	text, _ := sample(t, 2)
	for name, end := range map[string]string{"whole before": `{"seq":3,"ty`, "zeros": strings.Repeat("\x00", 600)} {
		s, dir := place(t, slices.Concat(text, []byte(end)))
		inTheWay := filepath.Join(dir, "x.torn") // simulates a full disk
		if err := os.Mkdir(inTheWay, 0o700); err != nil {
			t.Fatal(err)
		}
		for range 2 { // trying changes nothing
			l, problems, err := s.Resume("x")
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) != 1 || !strings.Contains(problems[0].Text, "could not be") || problems[0].Size != int64(len(end)) {
				t.Errorf("%s: %v", name, problems)
			}
			got, _ := bodies(t, l.Records())
			same(t, got, wanted(1, 2))
			if err := l.Append([]byte(body(3)), true); err == nil {
				t.Errorf("%s: appended", name)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			after, _ := os.ReadFile(filepath.Join(dir, "x.jsonl"))
			same(t, string(after), string(text)+end)
		}

		l, _, err := s.Resume("x")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(inTheWay); err != nil {
			t.Fatal(err)
		}
		fill(t, l, 3, 4)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(inTheWay)
		if string(kept) != end || err != nil {
			t.Errorf("%s: kept %q, %v", name, kept, err)
		}
		got, problems := reopen(t, s)
		same(t, got, append(wanted(1, 4), body(99)))
		same(t, problems, nil)
	}
}

func TestResumeOfUndamagedLogWritesNothing(t *testing.T) {
	text, _ := sample(t, 2)
	for _, c := range []string{string(text), strings.TrimSuffix(string(text), "\n")} {
		s, dir := place(t, []byte(c))
		l, problems, err := s.Resume("x")
		if err != nil || problems != nil {
			t.Fatal(problems, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		after, _ := os.ReadFile(filepath.Join(dir, "x.jsonl"))
		same(t, string(after), c)
	}
}

func TestRepair(t *testing.T) {
	text, _ := sample(t, 2)
	s, dir := place(t, slices.Concat([]byte("?\n"), text, []byte("torn")))
	problems, err := s.Repair("x")
	if err != nil {
		t.Fatal(err)
	}
	var places [][2]int64
	for _, p := range problems {
		places = append(places, [2]int64{p.Offset, p.Size})
	}
	same(t, places, [][2]int64{{0, 2}, {int64(len(text)) + 2, 4}})
	after, _ := os.ReadFile(filepath.Join(dir, "x.jsonl"))
	same(t, string(after), "?\n"+string(text))
	if problems, err := s.Repair("x"); err != nil || len(problems) != 1 {
		t.Errorf("again: %v, %v", problems, err)
	}
	if _, err := s.Repair("y"); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("of nothing: %v", err)
	}
}
