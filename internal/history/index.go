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

// Entry is a session with its summary.
type Entry struct {
	Info
	Summary json.RawMessage // from Summariser.Add, nil for none
}

// Summariser computes the summary of a session that lists show.
type Summariser struct {
	// Version identifies the result of Add. Summaries of other versions are
	// computed again.
	Version string
	// Add returns the summary of a session as JSON, from the summary before and
	// the records since. At first, before is nil and records are all. Records
	// include Problems, and are valid until the next one, as in View.Pass. It is
	// called for several sessions concurrently.
	Add func(before json.RawMessage, records iter.Seq2[Record, error]) json.RawMessage
}

// Index returns all sessions, those of delegates too, with their summaries, the
// most recently written first. Summaries are cached in a file in the store's directory and only
// computed for changed sessions. A lost or damaged cache, or programs that
// write it concurrently, only cost time.
//
// If ctx ends, Index returns its error and keeps the summaries computed so far.
func (s *Store) Index(ctx context.Context, sum Summariser) ([]Entry, error) {
	files, err := s.dir.files()
	if err != nil {
		return nil, err
	}
	cache := indexCache(filepath.Join(s.dir.path, ".index"))
	known := cache.load(sum.Version)
	all := make([]indexRow, len(files))
	var stale []int
	for i, f := range files {
		old := known[f.ID]
		all[i] = old
		if old.ID != f.ID || old.Size != f.Size || old.Modified != f.Modified.UnixNano() {
			stale = append(stale, i)
		}
	}
	parallel(ctx, len(stale), func(n int) {
		i := stale[n]
		all[i] = s.summarise(sum, files[i], all[i])
	})
	if len(stale) > 0 || len(known) > len(files) {
		if cache.save(all) == nil {
			s.dir.removeStale(time.Now())
		}
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

// parallel calls do for each number below n, from as many goroutines as there
// are processors, until ctx ends.
func parallel(ctx context.Context, n int, do func(int)) {
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

// indexRow is a row of the index.
type indexRow struct {
	Type     string          `json:"type"`
	Version  string          `json:"version"` // version of the Summariser
	ID       string          `json:"session"`
	Size     int64           `json:"size"`     // size of the file in bytes
	Modified int64           `json:"modified"` // in nanoseconds
	End      int64           `json:"end"`      // offset after the last summarized record
	Mark     []byte          `json:"mark"`     // checksum of that record
	Header   Header          `json:"header"`
	Summary  json.RawMessage `json:"summary,omitempty"`
}

const indexType = "indexed"

// summarise returns the index row of a session. It continues from old if the
// records summarized there are unchanged.
func (s *Store) summarise(sum Summariser, file Info, old indexRow) indexRow {
	v, err := s.view(file.ID)
	if err != nil {
		return indexRow{Header: file.Header} // such a row is not saved
	}
	defer v.Close()
	now := indexRow{
		Type: indexType, Version: sum.Version, ID: file.ID,
		Size: file.Size, Modified: file.Modified.UnixNano(), Header: v.Header(),
	}
	var before json.RawMessage
	if 0 < old.End && old.End < now.Size && len(old.Mark) > 0 && bytes.Equal(old.Mark, endChecksum(v.f, old.End)) {
		before, now.End = old.Summary, old.End
	}
	now.Summary = sum.Add(before, withoutHeader(tracked(&now.End, v.f, file.Size)))
	now.Mark = endChecksum(v.f, now.End)
	if !json.Valid(now.Summary) {
		now.Summary = nil
	}
	return now
}

// tracked yields the lines between two offsets, and advances from to the end of the
// last one.
func tracked(from *int64, r io.ReaderAt, to int64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for l, err := range scan(r, *from, to) {
			if err == nil {
				*from = l.end
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// endChecksum returns the checksum of the record that ends at an offset.
func endChecksum(r io.ReaderAt, end int64) []byte {
	m := make([]byte, min(int64(crcSize), end))
	if _, err := r.ReadAt(m, end-int64(len(m))); err != nil {
		return nil
	}
	return m
}

// indexCache is the path of the file that holds the rows of an index.
type indexCache string

// load returns the rows of the given version by session. It returns none if the file
// cannot be read, and leaves out damaged rows.
func (c indexCache) load(version string) map[string]indexRow {
	known := map[string]indexRow{}
	text, err := os.ReadFile(string(c))
	if err != nil {
		return known
	}
	for row := range bytes.Lines(text) {
		r, ok := unseal(bytes.TrimSuffix(row, []byte("\n")))
		if !ok || !r.hasType(indexType) {
			continue
		}
		var i indexRow
		if json.Unmarshal(r.Body, &i) == nil && i.Version == version {
			known[i.ID] = i
		}
	}
	return known
}

// save replaces the rows in the file. Callers may ignore the error, because rows can be
// computed again.
func (c indexCache) save(all []indexRow) error {
	var text []byte
	for _, i := range all {
		if i.ID == "" {
			continue // not computed because ctx ended
		}
		if body, err := json.Marshal(i); err == nil {
			text = seal(text, 0, body)
		}
	}
	return replace(string(c), text, false)
}
