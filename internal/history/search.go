package history

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// Query selects the records that Search yields.
type Query struct {
	// Texts must all occur in a record, ignoring case. They are only a fast
	// prefilter: Keep may get records without them, because only the part of a
	// text that JSON never escapes is compared; nil means no prefilter. Only
	// ASCII letters are compared without case, which excludes the Kelvin sign
	// and the long s.
	Texts []string
	// Keep decides which records to yield; nil means all. It is called from
	// several goroutines concurrently and must not keep the record.
	Keep func(Record) bool
	// IDs are the sessions to search, in this order; nil for all, the most
	// recently written first.
	IDs []string
}

// Hit is a record that Search found.
type Hit struct {
	ID string // ID of its session
	Record
}

// Search yields the matching records, session by session and in their order. An
// unreadable session appears as an error with its ID, and the search continues.
// If ctx ends, the last element is its error without an ID.
func (s *Store) Search(ctx context.Context, q Query) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		ids, err := s.searched(q)
		if err != nil {
			yield(Hit{}, err)
			return
		}
		running, stop := context.WithCancel(ctx)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer stop()
		found := s.search(running, q, ids, &workers)
		for i, id := range ids {
			for f := range found[i] {
				if !yield(Hit{ID: id, Record: f.record}, f.err) {
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Hit{}, err)
		}
	}
}

// searched returns the IDs of the sessions to search.
func (s *Store) searched(q Query) ([]string, error) {
	if q.IDs != nil {
		return q.IDs, s.dir.check()
	}
	files, err := s.dir.files()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, f := range files {
		ids = append(ids, f.ID)
	}
	return ids, nil
}

// result is a record or an error of one session.
type result struct {
	record Record
	err    error
}

// search starts workers that fill and close a channel for each session. They
// start the sessions in order, so that the session being read from is always in
// progress; workers on later sessions block when their channels are full.
func (s *Store) search(ctx context.Context, q Query, ids []string, workers *sync.WaitGroup) []chan result {
	all := make([]chan result, len(ids))
	for i := range all {
		all[i] = make(chan result, 16)
	}
	var next atomic.Int64
	for range min(len(ids), max(2, runtime.GOMAXPROCS(0))) {
		workers.Go(func() {
			v := matcher{needles: needles(q.Texts), keep: q.Keep}
			for i := int(next.Add(1)) - 1; i < len(ids); i = int(next.Add(1)) - 1 {
				v.send = func(f result) bool {
					select {
					case all[i] <- f:
						return true
					case <-ctx.Done():
						return false
					}
				}
				if err := v.searchFile(ctx, s.dir.log(ids[i])); err != nil {
					v.send(result{err: fmt.Errorf("search session %s: %w", ids[i], err)})
				}
				close(all[i])
			}
		})
	}
	return all
}

// matcher searches one session after the other.
type matcher struct {
	needles [][]byte // from needles
	keep    func(Record) bool
	send    func(result) bool
	buf     []byte
	low     []byte // buf in lower case
}

// searchBlock is the size of a read in bytes, small enough for a processor's
// cache.
const searchBlock = 256 << 10

func (v *matcher) searchFile(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if len(v.buf) == 0 || len(v.buf) > 16*searchBlock {
		v.buf = make([]byte, searchBlock)
	}
	split := false           // the held bytes are in a line longer than maxLine
	held, off := 0, int64(0) // the first held bytes of buf are the beginning of a line; the file is read up to off
	for ctx.Err() == nil {
		n, err := io.ReadFull(f, v.buf[held:])
		held, off = held+n, off+int64(n)
		ended := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !ended {
			return err
		}
		end := lastSeparator(v.buf[:held]) + 1
		if ended {
			end = held
		}
		if !v.block(v.buf[:end], off-int64(held)) || ended {
			return nil
		}
		split = split && end == 0
		held = copy(v.buf, v.buf[end:held])
		if held <= len(v.buf)/2 {
			continue
		}
		if held >= longLine && !split {
			start := off - int64(held)
			end, err := lineEnd(f, off, start+maxLine+1)
			if err != nil {
				return err
			}
			split = end-start > maxLine
		}
		if split || held > maxLine {
			held = 0
			continue
		}
		grown := make([]byte, min(2*len(v.buf), maxBuffer))
		copy(grown, v.buf[:held])
		v.buf = grown
	}
	return nil
}

// block sends the matching records in lines that begin at an offset. It returns
// false if the search should stop.
func (v *matcher) block(text []byte, off int64) bool {
	if len(v.needles) > 0 {
		v.low = lower(v.low, text)
	}
	for at := 0; at < len(text); {
		if len(v.needles) > 0 {
			i := bytes.Index(v.low[at:], v.needles[0])
			if i < 0 {
				break
			}
			at += bytes.LastIndexByte(v.low[at:at+i], '\n') + 1
		}
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		if v.wants(at, end) && !v.line(piece{text: text[at:end], off: off + int64(at)}) {
			return false
		}
		at = end + 1
	}
	return true
}

// wants reports whether a line contains the other needles.
func (v *matcher) wants(from, to int) bool {
	for i, n := range v.needles {
		if i > 0 && !bytes.Contains(v.low[from:to], n) {
			return false
		}
	}
	return true
}

// line sends the records of a line that Keep accepts.
func (v *matcher) line(p piece) bool {
	for l, ok := p.pop(); ok; l, ok = p.pop() {
		if _, ok := l.header(); ok || v.keep != nil && !v.keep(l.Record) {
			continue
		}
		l.Body = bytes.Clone(l.Body)
		if !v.send(result{record: l.Record}) {
			return false
		}
	}
	return true
}
