package history_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"agent/internal/history"
)

// words are the content of records in benchmarks.
var words = strings.Fields(`the a of to in file test error return function when Session lock
	record write read offset value nil string byte line index search model tool result turn`)

// prose yields n bodies of about size bytes of random words.
func prose(n, size int, seed uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range n {
			b := fmt.Appendf(nil, `{"type":"message","n":%d,"text":"`, i)
			for len(b) < size {
				b = append(append(b, words[r.IntN(len(words))]...), ' ')
				if r.IntN(20) == 0 {
					b = append(b, `\n\"\u00e9`...)
				}
			}
			if !yield(append(b, `"}`...), nil) {
				return
			}
		}
	}
}

// written creates a session of n records of about size bytes.
func written(b *testing.B, s *history.Store, id string, n, size int) {
	b.Helper()
	l, err := s.CreateFrom(history.Header{ID: id, Dir: "/d"}, prose(n, size, uint64(len(id))))
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
}

// crowd creates sessions of about size bytes, as hard links to a few different
// files, to save disk space.
func crowd(b *testing.B, sessions, size int) *history.Store {
	b.Helper()
	dir := b.TempDir()
	s := history.Open(dir)
	const kinds = 10
	for i := range kinds {
		written(b, s, fmt.Sprintf("k%03d", i), max(1, size/2000), min(size, 2000))
	}
	for i := kinds; i < sessions; i++ {
		text, err := os.ReadFile(filepath.Join(dir, "sessions", fmt.Sprintf("k%03d.jsonl", i%kinds)))
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "sessions", fmt.Sprintf("s%05d.jsonl", i)), text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func BenchmarkAppend(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("1KB,sync=%v", sync), func(b *testing.B) {
			l := history.Open(b.TempDir()).Create(history.Header{})
			defer l.Close()
			record := []byte(`{"type":"note","text":"` + strings.Repeat("x", 1000) + `"}`)
			b.ReportAllocs()
			for b.Loop() {
				if err := l.Append(record, sync); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen opens a session of 10,000 messages and 50 MB, and reads the
// part on the first screen.
func BenchmarkOpen(b *testing.B) {
	s := history.Open(b.TempDir())
	written(b, s, "x", 10_000, 5000)
	b.Run("last screen", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l, _, err := s.ResumeTail("x")
			if err != nil {
				b.Fatal(err)
			}
			lastScreen(b, l)
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		l, _, err := s.ResumeTail("x")
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := l.Check(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one record", func(b *testing.B) {
		v, err := s.View("x")
		if err != nil {
			b.Fatal(err)
		}
		defer v.Close()
		var offsets []int64
		for r := range v.From(0) {
			offsets = append(offsets, r.Offset)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := v.At(offsets[i*7919%len(offsets)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func lastScreen(b *testing.B, l *history.Log) {
	v, err := l.View()
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	n := 0
	for _, err := range v.Before(history.End) {
		if err != nil {
			b.Fatal(err)
		}
		if n++; n == 50 {
			return
		}
	}
}

// BenchmarkResume opens and checks a session of 50,000 records and 100 MB. It
// reports the memory of the process.
func BenchmarkResume(b *testing.B) {
	s := history.Open(b.TempDir())
	written(b, s, "x", 50_000, 2000)
	runtime.GC()
	b.ReportAllocs()
	for b.Loop() {
		l, _, err := s.Resume("x")
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/(1<<20), "MB-heap")
}

// counted is a summariser that decodes every record.
func counted() history.Summariser {
	return history.Summariser{Version: "1", Add: func(before json.RawMessage, records iter.Seq2[history.Record, error]) json.RawMessage {
		var sum struct {
			Title string
			N     int
		}
		if before != nil && json.Unmarshal(before, &sum) != nil {
			return nil
		}
		for r, err := range records {
			var body struct{ Text string }
			if err != nil || json.Unmarshal(r.Body, &body) != nil {
				continue
			}
			if sum.N++; sum.Title == "" {
				sum.Title = body.Text[:80]
			}
		}
		text, _ := json.Marshal(sum)
		return text
	}}
}

// BenchmarkIndex lists 1,000 sessions: unchanged, with one changed, and for the
// first time.
func BenchmarkIndex(b *testing.B) {
	s := crowd(b, 1000, 50_000)
	list := func(b *testing.B) {
		entries, err := s.Index(context.Background(), counted())
		if err != nil || len(entries) != 1000 || entries[500].Summary == nil {
			b.Fatalf("%d entries, %v", len(entries), err)
		}
	}
	list(b)
	b.Run("warm", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			list(b)
		}
	})
	b.Run("one grew", func(b *testing.B) {
		l, _, err := s.Resume("k000")
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		for b.Loop() {
			if err := l.Append([]byte(body(1)), false); err != nil {
				b.Fatal(err)
			}
			list(b)
		}
	})
	b.Run("cold, 50 MB", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			if err := os.Remove(filepath.Join(s.Dir(), ".index")); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			list(b)
		}
	})
	b.Run("only headers", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.List(""); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSearch searches 1,000 sessions of 500 MB.
func BenchmarkSearch(b *testing.B) {
	s := crowd(b, 1000, 500_000)
	for _, c := range []struct {
		name string
		text []string
	}{
		{"absent", []string{"zeitgeist"}},
		{"absent, of common letters", []string{"tente"}},
		{"two words", []string{"session", "Return VALUE index of the"}},
		{"in every record, until 100", []string{"Session"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			hits := 0
			for b.Loop() {
				hits = 0
				for _, err := range s.Search(context.Background(), history.Query{Texts: c.text}) {
					if err != nil {
						b.Fatal(err)
					}
					if hits++; hits == 100 && strings.HasSuffix(c.name, "100") {
						break
					}
				}
			}
			b.ReportMetric(float64(hits), "hits")
		})
	}
}
