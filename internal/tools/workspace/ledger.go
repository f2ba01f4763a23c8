package workspace

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

// Reading is what a model has got to know of a file: by reading lines of it, or
// by writing it.
type Reading struct {
	Path  string `json:"path"`            // relative to the workspace, as of a Target
	Sum   string `json:"sum"`             // tells one content of the file from another
	First int    `json:"first,omitempty"` // the lines that were shown, from 1
	Last  int    `json:"last,omitempty"`  // 0 where none were: the model wrote the file, or was told what changed in it

	// Content is the whole file, where it is worth keeping to say later what has
	// changed in it. It is not stored with the session.
	Content []byte `json:"-"`
}

// NewReading returns what a model knows that has read or written all of a file,
// but was shown none of its lines.
func NewReading(path string, content []byte) Reading {
	r := Reading{Path: path, Sum: sumOf(content)}
	if len(content) <= maxKnown {
		r.Content = content
	}
	return r
}

// LargeReading is NewReading for a file that is too large to be held in memory.
func LargeReading(path string, info fs.FileInfo) Reading {
	return Reading{Path: path, Sum: fmt.Sprintf("stat:%d-%d-%d", info.Size(), info.ModTime().UnixNano(), inode(info))}
}

// sumOf tells one content of a file from another.
func sumOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// The contents that a Ledger keeps, in bytes.
const (
	maxKnown    = 1 << 20  // of one file
	maxAllKnown = 16 << 20 // of all
)

// Ledger is what one agent has read, as far as its conversation still holds
// it. The loop writes it, the tools consult it. The methods of a nil Ledger
// know nothing and forget everything. It is safe for concurrent use.
type Ledger struct {
	mu     sync.Mutex
	files  map[string]*known
	recent []string // the paths whose content is kept, oldest first
	held   int      // bytes of content
}

// known is what is known of one file.
type known struct {
	sum     string
	step    int // in which it was last read or written
	content []byte
	spans   []spanRead // of this content
}

type spanRead struct{ first, last, step int }

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{files: map[string]*known{}} }

// Add takes what the model was told in a step of the session.
func (l *Ledger) Add(step int, readings ...Reading) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range readings {
		k := l.files[r.Path]
		if k == nil || k.sum != r.Sum {
			l.drop(r.Path)
			k = &known{sum: r.Sum}
			l.files[r.Path] = k
		}
		k.step = step
		if r.First > 0 {
			k.spans = append(k.spans, spanRead{r.First, r.Last, step})
		}
		if k.content == nil {
			l.keep(r.Path, k, r.Content)
		}
	}
}

// Reset forgets everything, for a conversation that no longer holds it.
func (l *Ledger) Reset() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files, l.recent, l.held = map[string]*known{}, nil, 0
}

// knows returns what is known of a file.
func (l *Ledger) knows(path string) (sum string, step int, content []byte, ok bool) {
	if l == nil {
		return "", 0, nil, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.files[path]
	if k == nil {
		return "", 0, nil, false
	}
	return k.sum, k.step, k.content, true
}

// Shown returns the step in which all lines of r were last shown in one piece, if
// the file still has the content of then.
func (l *Ledger) Shown(r Reading) (step int, ok bool) {
	if l == nil {
		return 0, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.files[r.Path]
	if k == nil || k.sum != r.Sum {
		return 0, false
	}
	for _, s := range slices.Backward(k.spans) {
		if s.first <= r.First && r.Last <= s.last {
			return s.step, true
		}
	}
	return 0, false
}

// keep holds on to the content of a file, and lets go of the oldest where that
// is too much.
func (l *Ledger) keep(path string, k *known, content []byte) {
	if content == nil {
		return
	}
	k.content = content
	l.recent = append(l.recent, path)
	l.held += len(content)
	for l.held > maxAllKnown {
		l.drop(l.recent[0])
	}
}

// drop lets go of the content of a file.
func (l *Ledger) drop(path string) {
	if k := l.files[path]; k != nil && k.content != nil {
		l.held -= len(k.content)
		k.content = nil
		l.recent = slices.DeleteFunc(l.recent, func(p string) bool { return p == path })
	}
}

// ChangedError refuses to change a file that is no longer what the model last
// saw of it.
type ChangedError struct {
	Path  string
	Step  int       // in which the model saw it
	What  string    // what has changed since, in words or as a diff
	Reads []Reading // what the model knows now that it is told What; nil if that is not all
}

// Error tells the model.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s has changed since you last saw it in step %d, so nothing was written. %s", e.Path, e.Step, e.What)
}
