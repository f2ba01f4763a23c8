package history

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// Entry is a session in the index.
type Entry struct {
	Info
	Summary json.RawMessage // what the Summariser made of it, nil for nothing
}

// Summariser makes what a list shows of a session.
type Summariser struct {
	// Version names what Add makes: what another version made is made again.
	Version string
	// Add returns the summary of a session, as JSON, from what it returned
	// before and the records since. At first, before is nil and the records are
	// all. Among them are Problems, as with View.From. It is called for several
	// sessions at once.
	Add func(before json.RawMessage, records iter.Seq2[Record, error]) json.RawMessage
}

// Index returns all sessions with their summaries, the one written to last
// first. Summaries are kept in a file beside the sessions, and made for those
// alone that changed. The file is a cache: losing or damaging it costs time,
// and so do programs that write it at once.
//
// When ctx ends, so does Index, and keeps what it has made.
func (s *Store) Index(ctx context.Context, sum Summariser) ([]Entry, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	known := s.loadIndex(sum.Version)
	all := make([]indexed, len(files))
	var stale []int
	for i, f := range files {
		old := known[f.ID]
		all[i] = old
		if old.ID != f.ID || old.Size != f.Size || old.Modified != f.Modified.UnixNano() {
			stale = append(stale, i)
		}
	}
	share(ctx, len(stale), func(n int) {
		i := stale[n]
		all[i] = s.summarise(sum, files[i], all[i])
	})
	if len(stale) > 0 || len(known) > len(files) {
		s.saveIndex(all)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries := make([]Entry, len(files))
	for i, f := range files {
		f.Header = all[i].Header
		entries[i] = Entry{Info: f, Summary: all[i].Summary}
	}
	return entries, nil
}

// share calls do for each number below n, from as many goroutines as there are
// processors, until ctx ends.
func share(ctx context.Context, n int, do func(int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(n, max(2, runtime.GOMAXPROCS(0))) {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
}

// indexed is a session as the index keeps it.
type indexed struct {
	Type     string          `json:"type"`
	Version  string          `json:"version"` // of the summariser
	ID       string          `json:"session"`
	Size     int64           `json:"size"`     // of the file
	Modified int64           `json:"modified"` // in nanoseconds
	End      int64           `json:"end"`      // of the last record summarised
	Mark     []byte          `json:"mark"`     // how that ends, its checksum
	Header   Header          `json:"header"`
	Summary  json.RawMessage `json:"summary,omitempty"`
}

const indexType = "indexed"

// summarise returns what the index is to keep of a session. It goes on from
// old if the records that were summarised are still there.
func (s *Store) summarise(sum Summariser, file Info, old indexed) indexed {
	v, err := s.view(file.ID)
	if err != nil {
		return indexed{Header: file.Header} // which is not kept
	}
	defer v.Close()
	now := indexed{
		Type: indexType, Version: sum.Version, ID: file.ID,
		Size: file.Size, Modified: file.Modified.UnixNano(), Header: v.Header(),
	}
	var before json.RawMessage
	if 0 < old.End && old.End < now.Size && len(old.Mark) > 0 && bytes.Equal(old.Mark, mark(v.f, old.End)) {
		before, now.End = old.Summary, old.End
	}
	now.Summary = sum.Add(before, noting(&now.End, v.f, file.Size))
	now.Mark = mark(v.f, now.End)
	if !json.Valid(now.Summary) {
		now.Summary = nil
	}
	return now
}

// noting yields the records from an offset to another, and moves the first one
// behind what it yielded.
func noting(from *int64, r io.ReaderAt, to int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for l, err := range scan(r, *from, to) {
			if err == nil {
				*from = l.end
			}
			if _, ok := l.header(); ok {
				continue
			}
			l.Body = bytes.Clone(l.Body)
			if !yield(l.Record, err) {
				return
			}
		}
	}
}

// mark returns what tells the record that ends at an offset from all others.
func mark(r io.ReaderAt, end int64) []byte {
	m := make([]byte, min(int64(crcSize), end))
	if _, err := r.ReadAt(m, end-int64(len(m))); err != nil {
		return nil
	}
	return m
}

func (s *Store) indexPath() string { return filepath.Join(s.dir, ".index") }

// loadIndex returns what is kept of the sessions, for one version.
func (s *Store) loadIndex(version string) map[string]indexed {
	known := map[string]indexed{}
	text, err := os.ReadFile(s.indexPath())
	if err != nil {
		return known
	}
	for row := range bytes.Lines(text) {
		r, ok := unseal(bytes.TrimSuffix(row, []byte("\n")))
		if !ok || !r.hasType(indexType) {
			continue
		}
		var i indexed
		if json.Unmarshal(r.Body, &i) == nil && i.Version == version {
			known[i.ID] = i
		}
	}
	return known
}

// saveIndex keeps what was made. That it cannot is no error: it will be made
// again.
func (s *Store) saveIndex(all []indexed) {
	var text []byte
	for _, i := range all {
		if i.ID == "" {
			continue // not made: ctx ended before
		}
		if body, err := json.Marshal(i); err == nil {
			text = seal(text, 0, body)
		}
	}
	if err := replace(s.indexPath(), text); err == nil {
		s.sweep(time.Now())
	}
}
