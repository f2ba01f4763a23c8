package history_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"agent/internal/history"
	"agent/internal/sampling"
)

// view opens x for reading until the test ends.
func view(t *testing.T, s *history.Store) *history.View {
	t.Helper()
	v, err := s.View("x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// collect returns all records and fails on damage.
func collect(t testing.TB, records iter.Seq2[history.Record, error]) (all []history.Record) {
	t.Helper()
	for r, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		r.Body = bytes.Clone(r.Body)
		all = append(all, r)
	}
	return all
}

// brief returns short forms of records, without long bodies.
func brief(records []history.Record) (all []string) {
	for _, r := range records {
		all = append(all, fmt.Sprintf("%d at %d: %d bytes, %x", r.Seq, r.Offset, len(r.Body), sha256.Sum256(r.Body)))
	}
	return all
}

// both checks that reading backward and forward return the same records.
func both(t *testing.T, v *history.View) []history.Record {
	t.Helper()
	all := collect(t, v.From(0))
	back := collect(t, v.Before(history.End))
	slices.Reverse(back)
	same(t, brief(back), brief(all))
	return all
}

func TestReadFromAnywhere(t *testing.T) {
	s := history.Open(t.TempDir())
	l := s.Create(history.Header{ID: "x"})
	for i, size := range []int{1, 70_000, 10, 200_000, 65_536, 5, 1 << 20, 3} {
		record := fmt.Sprintf(`{"type":"note","n":%d,"text":%q}`, i, strings.Repeat("y", size))
		if err := l.Append([]byte(record), false); err != nil {
			t.Fatal(err)
		}
	}
	v := view(t, s)
	all := both(t, v)
	same(t, len(all), 8)
	for i, r := range all {
		got, err := v.At(r.Offset)
		if err != nil {
			t.Fatal(err)
		}
		same(t, brief([]history.Record{got}), brief(all[i:i+1]))
		same(t, brief(collect(t, v.From(r.Offset))), brief(all[i:]))
		before := collect(t, v.Before(r.Offset))
		slices.Reverse(before)
		same(t, brief(before), brief(all[:i]))
		for _, wrong := range []int64{r.Offset - 1, r.Offset + 1} {
			if _, err := v.At(wrong); err == nil {
				t.Errorf("a record was found at %d, where none begins", wrong)
			}
		}
	}
	for _, wrong := range []int64{0, history.End - 1} {
		if _, err := v.At(wrong); err == nil {
			t.Errorf("a record was found at %d", wrong)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// The end of a block falls on each byte of two short records.
func TestReadAcrossBlocksAtEveryByte(t *testing.T) {
	const block = 64 << 10
	long := func(n int) []byte { return fmt.Appendf(nil, `{"type":"note","text":%q}`, strings.Repeat("y", n)) }
	dir := t.TempDir()
	for pad := block - 700; pad < block; pad += sampling.Step() {
		m := &memory{}
		l, _ := m.resume(t)
		if err := l.Append(long(pad), false); err != nil {
			t.Fatal(err)
		}
		fill(t, l, 1, 4)
		if err := l.Append(long(block-300), false); err != nil {
			t.Fatal(err)
		}
		put(t, dir, m.text)
		v, err := history.Open(dir).View("x")
		if err != nil {
			t.Fatal(err)
		}
		same(t, len(both(t, v)), 6)
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBeforeSkipsDamage(t *testing.T) {
	text, ends := sample(t, 6)
	damaged := slices.Concat(text[:ends[2]], []byte("rubbish\n\x00\x00\n"), text[ends[2]:ends[3]-1], make([]byte, 100_000), text[ends[4]:], []byte(`{"seq":`))
	s, _ := place(t, damaged)
	v := view(t, s)
	back := collect(t, v.Before(history.End))
	var got []string
	for _, r := range slices.Backward(back) {
		got = append(got, string(r.Body))
	}
	same(t, got, []string{body(1), body(2), body(3), body(5), body(6)})
	problems, err := v.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var places [][2]int64
	for _, p := range problems {
		places = append(places, [2]int64{p.Offset, p.Size})
	}
	line := int64(ends[3] - ends[2])
	first := int64(ends[2])
	same(t, places, [][2]int64{{first, 11}, {first + 11 + line - 1, 100_000}, {int64(len(damaged)) - 7, 7}})
}

func TestViewSeesNewRecords(t *testing.T) {
	s := history.Open(t.TempDir())
	l := s.Create(history.Header{ID: "x"})
	if _, err := l.View(); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("view of a session that is not there yet: %v", err)
	}
	fill(t, l, 1, 1)
	v := view(t, s)
	first := collect(t, v.From(0))
	fill(t, l, 2, 3)
	got, _ := bodies(t, v.From(first[0].Offset))
	same(t, got, wanted(1, 3))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _ := bodies(t, v.From(0)); len(got) != 3 {
		t.Errorf("the view ended with the log: %q", got)
	}
}

// A reader sees a prefix of the written records; only the last one may be
// incomplete.
func TestReadWhileWriting(t *testing.T) {
	s := history.Open(t.TempDir())
	begin(t, s, history.Header{ID: "x"}, 50)
	l, _, err := s.ResumeTail("x")
	if err != nil {
		t.Fatal(err)
	}
	v := view(t, s)
	done := make(chan struct{})
	var readers sync.WaitGroup
	reader := func(read func() error) {
		readers.Go(func() {
			for {
				if err := read(); err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	reader(func() error {
		problems, err := l.Check(context.Background())
		if len(problems) > 0 {
			t.Errorf("problems: %v", problems)
		}
		return err
	})
	reader(func() error {
		for r, err := range v.Before(history.End) {
			if err != nil {
				return err
			}
			again, err := v.At(r.Offset)
			if err != nil || string(again.Body) != string(r.Body) {
				t.Errorf("at %d: %s, %v", r.Offset, again.Body, err)
			}
			break
		}
		return nil
	})
	reader(func() error { return l.SaveDraft([]byte("half a thought")) })
	fill(t, l, 51, 400)
	close(done)
	readers.Wait()
	got, problems := bodies(t, l.Records())
	same(t, got, wanted(1, 400))
	same(t, problems, nil)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCheckCanceled(t *testing.T) {
	s := history.Open(t.TempDir())
	begin(t, s, history.Header{ID: "x"}, 10)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := view(t, s).Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("check: %v", err)
	}
}

func TestViewMissingSession(t *testing.T) {
	s := history.Open(t.TempDir())
	if _, err := s.View("x"); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("view: %v", err)
	}
	begin(t, s, history.Header{ID: "x"}, 1)
	v, err := s.View("x")
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range v.From(0) {
		if !errors.Is(err, fs.ErrClosed) && !errors.Is(err, os.ErrClosed) {
			t.Errorf("read after close: %v", err)
		}
	}
}

// Log.Last returns the offset of the appended record, even after the log was
// repaired.
func TestLastReturnsOffset(t *testing.T) {
	for _, name := range []string{"whole", "unended", "torn", "zeroed", "damaged", "empty", "headless"} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := golden(t, filepath.Join("format1", name))
			l, _, err := s.Resume("x")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			v := view(t, s)
			for i := range 3 {
				fill(t, l, i, i)
				if r, err := v.At(l.Last()); err != nil || string(r.Body) != body(i) {
					t.Errorf("got %s, %v, want record %d", r.Body, err, i)
				}
			}
		})
	}
	l := history.Open(t.TempDir()).Create(history.Header{Dir: "/d"})
	defer l.Close()
	fill(t, l, 1, 1)
	v, err := l.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if r, err := v.At(l.Last()); err != nil || string(r.Body) != body(1) {
		t.Errorf("got %s, %v, want the first record of a new session", r.Body, err)
	}
}
