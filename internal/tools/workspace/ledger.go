package workspace

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Reading is what a model knows of a file after it read or wrote the file.
type Reading struct {
	Path  string `json:"path"`            // relative to the workspace, like the value of a Target
	Sum   string `json:"sum"`             // hash of the content
	First int    `json:"first,omitempty"` // lines shown to the model, from 1
	Last  int    `json:"last,omitempty"`  // 0 if none were shown: the model wrote the file, or got a diff
	// Part is set if the model knows the file but never saw all of it: it changed
	// lines of a file that it had not read completely.
	Part bool `json:"part,omitempty"`

	// Content is the complete file, used to show a later change as a diff. It is
	// nil for large files, and is not stored with the session.
	Content []byte `json:"-"`
}

// NewReading returns the Reading of a file that the model has seen or written
// completely, without lines.
func NewReading(path string, content []byte) Reading {
	r := Reading{Path: path, Sum: contentHash(content)}
	if len(content) <= maxCached {
		r.Content = content
	}
	return r
}

// LargeReading is NewReading for a file that is too large to be read into memory.
// Its Sum depends on size, time and inode.
func LargeReading(path string, info fs.FileInfo) Reading {
	return Reading{Path: path, Sum: fmt.Sprintf("stat:%d-%d-%d", info.Size(), info.ModTime().UnixNano(), inode(info))}
}

// contentHash returns the SHA-256 of content in hexadecimal.
func contentHash(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// The limits of cached contents, in bytes.
const (
	maxCached    = 1 << 20  // of one file
	maxAllCached = 16 << 20 // of all
)

// Ledger records what one agent has read and what its conversation still
// contains. The loop writes it; the tools query it. A nil Ledger is always empty.
// It is safe for concurrent use.
type Ledger struct {
	mu          sync.Mutex
	files       map[string]*knownFile
	cached      []string // paths with cached content, oldest first
	cachedBytes int      // total size of cached contents
}

// knownFile is what the model knows of one file.
type knownFile struct {
	sum     string
	step    int  // the last step that read or wrote the file
	whole   bool // all of it, without spans
	content []byte
	spans   []shownLines // lines shown of this content
}

type shownLines struct{ first, last, step int }

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{files: map[string]*knownFile{}} }

// Add records what the model got to know in a step of the session.
func (l *Ledger) Add(step int, readings ...Reading) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range readings {
		k := l.files[r.Path]
		if k == nil || k.sum != r.Sum {
			l.dropContent(r.Path)
			k = &knownFile{sum: r.Sum}
			l.files[r.Path] = k
		}
		k.step = step
		if r.First > 0 {
			k.spans = append(k.spans, shownLines{r.First, r.Last, step})
		}
		k.whole = k.whole || r.First == 0 && !r.Part
		if k.content == nil {
			l.cacheContent(r.Path, k, r.Content)
		}
	}
}

// Reset empties the ledger, for a conversation that no longer contains the files.
func (l *Ledger) Reset() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files, l.cached, l.cachedBytes = map[string]*knownFile{}, nil, 0
}

// lookup returns the record of a file.
func (l *Ledger) lookup(path string) (sum string, step int, content []byte, ok bool) {
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

// Shown returns the last step that showed all lines of r at once. It reports
// false if there is none, or if the file has changed since.
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

// unseen returns the first line of a file with content that the model has not seen;
// 0 if it has seen all.
func (l *Ledger) unseen(path string, content []byte) int {
	if l == nil {
		return 1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.files[path]
	switch {
	case k == nil || k.sum != contentHash(content):
		return 1
	case k.whole:
		return 0
	}
	next, last := 1, CountLines(content)
	for _, s := range slices.SortedFunc(slices.Values(k.spans), func(a, b shownLines) int { return a.first - b.first }) {
		if s.first <= next {
			next = max(next, s.last+1)
		}
	}
	if next > last {
		return 0
	}
	return next
}

// cacheContent caches the content of a file and evicts the oldest contents above
// the limit.
func (l *Ledger) cacheContent(path string, k *knownFile, content []byte) {
	if content == nil {
		return
	}
	k.content = content
	l.cached = append(l.cached, path)
	l.cachedBytes += len(content)
	for l.cachedBytes > maxAllCached {
		l.dropContent(l.cached[0])
	}
}

// dropContent removes the content of a file from the cache.
func (l *Ledger) dropContent(path string) {
	if k := l.files[path]; k != nil && k.content != nil {
		l.cachedBytes -= len(k.content)
		k.content = nil
		l.cached = slices.DeleteFunc(l.cached, func(p string) bool { return p == path })
	}
}

// ChangedError rejects a change to a file that differs from what the model last
// saw.
type ChangedError struct {
	Path  string
	Step  int       // the last step in which the model saw it
	What  string    // the difference as a diff, or advice
	Reads []Reading // file contents that the diff shows the model; nil without a diff
}

// Note describes, for the model, the change of a file in which other text was replaced.
func (e *ChangedError) Note() string {
	if e.Reads == nil {
		return fmt.Sprintf("It had changed since step %d, and the change is kept. Read it again before you change other lines.", e.Step)
	}
	_, diff, _ := strings.Cut(strings.TrimSuffix(e.What, baseOnNew), "\n")
	return fmt.Sprintf("It had changed since step %d, and the change is kept:\n", e.Step) + diff
}

// showsAll reports whether the model knows the complete file after it got e.
func (e *ChangedError) showsAll() bool { return e != nil && len(e.Reads) == 1 && !e.Reads[0].Part }

// Error returns the text for the model.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s has changed since it was last read in step %d. Nothing was written. %s", e.Path, e.Step, e.What)
}
