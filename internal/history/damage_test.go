package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
)

// sample returns a log of n records and the end offset of each line.
func sample(t testing.TB, n int) (text []byte, ends []int) {
	t.Helper()
	s := history.Open(t.TempDir())
	text, err := os.ReadFile(begin(t, s, history.Header{ID: "x", Dir: "/d", Time: time.Unix(0, 0)}, n))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return text, ends
}

// place stores text as session x of a new store.
func place(t testing.TB, text []byte) (s *history.Store, dir string) {
	t.Helper()
	dir = t.TempDir()
	put(t, dir, text)
	return history.Open(dir), filepath.Join(dir, "sessions")
}

func put(t testing.TB, dir string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sessions", "x.jsonl"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// reopen resumes x, appends record 99, and returns the records and the
// problems. It checks that a reader finds the same.
func reopen(t testing.TB, s *history.Store) (got []string, problems []history.Problem) {
	t.Helper()
	l, problems, err := s.Resume("x")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, l, 99, 99)
	got, _ = bodies(t, l.Records())
	_, records, err := s.Read("x")
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := bodies(t, records); strings.Join(after, "") != strings.Join(got, "") {
		t.Errorf("a reader finds %q, the writer %q", after, got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return got, problems
}

func TestIncompleteEndIsCutOffSavedAndReported(t *testing.T) {
	text, _ := sample(t, 2)
	zeros := strings.Repeat("\x00", 5000)
	for name, end := range map[string]string{
		"half a record":  `{"seq":3,"type":"no`,
		"zeros":          zeros,
		"complete lines": "{\"seq\":3}\nnothing\n",
	} {
		s, dir := place(t, append(bytes.Clone(text), end...))
		got, problems := reopen(t, s)
		same(t, got, append(wanted(1, 2), body(99)))
		torn := filepath.Join(dir, "x.torn")
		if _, again := reopen(t, s); again != nil {
			t.Errorf("%s: repaired, and yet %v", name, again)
		}
		same(t, problems, []history.Problem{{
			Offset: int64(len(text)), Size: int64(len(end)),
			Text: fmt.Sprintf("the last %d bytes of session x were an incomplete record. They were cut off and saved in %s", len(end), torn),
		}})
		kept, err := os.ReadFile(torn)
		if err != nil || string(kept) != end {
			t.Errorf("%s: kept %q, %v", name, kept, err)
		}
		st, err := os.Stat(torn)
		if err != nil || st.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
}

func TestDamageDoesNotAffectLaterRecords(t *testing.T) {
	text, ends := sample(t, 6)
	splice := func(from, to int, between string) []byte {
		return []byte(string(text[:from]) + between + string(text[to:]))
	}
	third, fourth := ends[2], ends[3]
	for _, c := range []struct {
		name    string
		text    []byte
		lost    int // of the records 1 to 6
		problem string
	}{
		{"garbage between lines", splice(third, third, "rubbish\n\n"), 0, fmt.Sprintf("9 bytes at offset %d are damaged and were skipped", third)},
		{"an incomplete line before the next", splice(third, third, `{"seq":3,"ty`), 0, fmt.Sprintf("12 bytes at offset %d are damaged and were skipped", third)},
		{"a page of zeros", splice(third+4, fourth-4, strings.Repeat("\x00", 4096)), 3, fmt.Sprintf("%d bytes at offset %d are damaged and were skipped", 4096+8, third)},
		{"a record missing", splice(third, fourth, ""), 3, fmt.Sprintf("1 records are missing at offset %d", third)},
		{"a duplicate record", splice(third, third, string(text[ends[1]:third])), -1, fmt.Sprintf("the record at offset %d is out of order: it has number 2 instead of 3", third)},
		{"the header", splice(3, 6, "???"), 0, fmt.Sprintf("%d bytes at offset 0 are damaged and were skipped", ends[0])},
	} {
		s, _ := place(t, c.text)
		_, records, err := s.Read("x")
		if err != nil {
			t.Fatal(err)
		}
		got, problems := bodies(t, records)
		var want []string
		for i := 1; i <= 6; i++ {
			if i != c.lost {
				want = append(want, body(i))
			}
			if i == 2 && c.lost == -1 {
				want = append(want, body(i))
			}
		}
		t.Run(c.name, func(t *testing.T) {
			same(t, got, want)
			same(t, problems[0], c.problem)
			got, found := reopen(t, s)
			same(t, got, append(want, body(99)))
			same(t, found[0].Text, c.problem)
		})
	}
}

func FuzzOpen(f *testing.F) {
	valid, ends := sample(f, 3)
	f.Add([]byte{})
	f.Add(valid)
	f.Add(valid[ends[0]:])
	f.Add([]byte("\n\n{\"seq\":4,\"type\":\"\",\"crc\":\"00000000\"}\n"))
	f.Add([]byte(`{"seq":1,"crc":"00000000"}`))
	f.Add(bytes.Repeat([]byte(`{"seq":`), 100))
	f.Add([]byte(`{"type":"header","format":2}`))
	f.Add(slices.Concat(valid[:ends[0]-1], valid[ends[1]:], []byte("\x00\x00"), valid[:ends[1]+9]))
	f.Fuzz(func(t *testing.T, tail []byte) {
		m := &memory{text: bytes.Clone(tail)}
		if _, _, err := history.ResumeFile(m, int64(len(tail)), m.keep); errors.Is(err, history.ErrNewer) {
			same(t, string(m.text), string(tail))
		} else {
			revive(t, tail)
		}
		// Valid records remain, no matter which bytes follow.
		m, got, _ := revive(t, append(bytes.Clone(valid), tail...))
		if len(got) < 3 {
			t.Fatalf("of 3 records %d are left", len(got))
		}
		same(t, got[:3], wanted(1, 3))
		if !bytes.HasPrefix(m.text, valid) {
			t.Error("valid bytes were changed")
		}
	})
}

// A line that is too long for a record, and a hole of zeros, are skipped in pieces: memory
// stays small.
func TestLongDamageTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	for name, long := range map[string][]byte{
		"line":               bytes.Repeat([]byte("A"), 65<<20),
		"hole":               make([]byte, 40<<20),
		"hole after a line":  append(bytes.Repeat([]byte("A"), 1<<20), make([]byte, 40<<20)...),
		"hole before a line": append(make([]byte, 40<<20), bytes.Repeat([]byte("A"), 1<<20)...),
	} {
		t.Run(name, func(t *testing.T) { takesLittleMemory(t, long) })
	}
}

func takesLittleMemory(t *testing.T, long []byte) {
	text, ends := sample(t, 4)
	s, _ := place(t, slices.Concat(text[:ends[2]], long, []byte("\n"), text[ends[2]:]))
	v := view(t, s)
	for name, read := range map[string]func() int{
		"view": func() (n int) {
			for _, err := range v.From(0) {
				if err == nil {
					n++
				}
			}
			return n
		},
		"search": func() int {
			hits, _ := search(t, s, history.Query{Texts: []string{"note"}})
			return len(hits)
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := read()
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; n != 4 || took > 32 {
			t.Errorf("%s: %d records, %d MiB", name, n, took)
		}
	}
	m := &memory{text: slices.Concat(text, long)}
	if _, problems := m.resume(t); len(problems) != 1 || m.longest > 4<<20 {
		t.Errorf("resume: %v, a read of %d bytes", problems, m.longest)
	}
}
