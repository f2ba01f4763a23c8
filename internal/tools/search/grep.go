package search

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"agent/internal/tools/charset"
)

// Options are the options of a search.
type Options struct {
	Match   func(p string) bool // selects files; nil selects all. Called from several goroutines
	Max     int                 // maximum number of matches returned; all are counted
	Context int                 // lines of context before and after each match
	// Patience limits the time of counting after Max matches were found; zero means
	// no limit.
	Patience time.Duration
	// Found, if not nil, is called for each file with matches as it is searched, in
	// any order. The matches have no context. It is called from the goroutine of
	// Grep.
	Found func(m Matched)
}

// Match is a matching line or, for multiline queries, all lines of a match.
type Match struct {
	Line          int    // first line, from 1
	Text          string // without the final newline; long lines are truncated
	Left          int    // lines of the match that Text omits
	Before, After []string
	start, end    int64
}

// Matched is a file with matches.
type Matched struct {
	Path    string // relative to the tree, with slashes
	Matches []Match
	Count   int  // number of matches, including those not in Matches
	Binary  bool // binary file with at least one match; Matches is empty
	large   bool // too large, not searched
	decoded bool // the matches are at offsets of the decoded text
	// encoding is that of the lines that are not valid UTF-8; empty before the first of them.
	encoding charset.Encoding
}

// Results holds the results of a search.
type Results struct {
	Files      []Matched // sorted by path; those with the first Max matches
	Lines      int       // matching lines in text files, or multiline matches
	InFiles    int       // number of matching files
	Large      int       // files too large for a multiline query
	Secret     int       // files not searched because they may hold secrets
	Cut        bool      // the search stopped after Patience
	Unreadable Unreadable
	Limits     Limits
}

// Grep searches for q in the file start, or in all files below the directory
// start. Of binary files it searches only the beginning, unless start names the
// file.
func (t *Tree) Grep(ctx context.Context, start string, q *Query, o Options) (Results, error) {
	info, err := t.root.Stat(start)
	if err != nil {
		return Results{}, err
	}
	c := collector{Options: o}
	b := newBudget(ctx, t.caps)
	if info.Mode().IsRegular() {
		err = t.grepFile(b, start, newScanner(q, o.Max, b), &c)
	} else {
		err = t.grepBelow(b, start, q, &c)
	}
	if err != nil {
		return Results{}, err
	}
	c.trim()
	for i := range c.out.Files {
		if ctx.Err() != nil {
			break
		}
		t.addContext(&c.out.Files[i], o.Context)
	}
	c.out.Limits = b.reached()
	return c.out, ctx.Err()
}

func (t *Tree) grepFile(b *budget, p string, s *scanner, c *collector) error {
	f, err := openFile(t.root, p)
	if err != nil {
		return err
	}
	defer f.close()
	m, err := s.file(b.ctx, f, true)
	m.Path = p
	c.add(m)
	return err
}

// grepBelow searches with several goroutines and collects the results in this
// one.
func (t *Tree) grepBelow(b *budget, start string, q *Query, c *collector) error {
	ctx := b.ctx
	all, stop := context.WithCancel(ctx)
	defer stop()
	b.ctx = all
	scanners := make([]*scanner, workers())
	for i := range scanners {
		scanners[i] = newScanner(q, c.Max, b)
	}
	files := make(chan Matched, len(scanners))
	var err error
	var secret atomic.Int64
	go func() {
		defer close(files)
		c.out.Unreadable, err = t.walk(b, start, func(worker int, f visited) error {
			if c.Match != nil && !c.Match(f.path()) {
				return nil
			}
			if t.withheld != nil && t.withheld(f.path()) {
				secret.Add(1)
				return nil
			}
			m, err := scanners[worker].open(all, f)
			if err != nil || m.Count == 0 && !m.large {
				return err
			}
			select {
			case files <- m:
			case <-all.Done():
			}
			return nil
		})
	}()
	for m := range files {
		if c.add(m); c.timedOut() {
			c.out.Cut = true
			stop()
		}
	}
	c.out.Secret = int(secret.Load())
	if c.out.Cut && ctx.Err() == nil {
		return nil
	}
	return err
}

// open searches a file of a walk.
func (s *scanner) open(ctx context.Context, f visited) (Matched, error) {
	r, err := f.dir.file(f.name)
	if err != nil {
		return Matched{}, err
	}
	defer r.close()
	m, err := s.file(ctx, r, false)
	if m.Count > 0 {
		m.Path = f.path()
	}
	return m, err
}

// collector keeps the files with the first Max matches by path, in bounded
// memory. Files arrive in any order.
type collector struct {
	Options
	matches    int       // number of matches in out.Files
	maxReached time.Time // time when Max matches were found
	out        Results
}

func (c *collector) add(m Matched) {
	switch {
	case m.large:
		c.out.Large++
		return
	case m.Count == 0:
		return
	case m.Binary:
		m.Matches = nil
	default:
		c.out.Lines += m.Count
	}
	c.out.InFiles++
	if c.Found != nil {
		c.Found(m)
	}
	c.out.Files = append(c.out.Files, m)
	c.matches += max(len(m.Matches), 1)
	if c.matches > 4*c.Max+100 {
		c.trim()
	}
	if c.matches >= c.Max && c.maxReached.IsZero() {
		c.maxReached = time.Now()
	}
}

// timedOut reports whether Patience has passed since Max matches were found.
func (c *collector) timedOut() bool {
	return c.Patience > 0 && !c.maxReached.IsZero() && time.Since(c.maxReached) > c.Patience
}

// trim sorts the files and drops those after the first Max matches. A binary file
// counts as one match.
func (c *collector) trim() {
	files := c.out.Files
	slices.SortFunc(files, func(a, b Matched) int { return cmp.Compare(a.Path, b.Path) })
	c.matches = 0
	for i := range files {
		room := c.Max - c.matches
		if room <= 0 {
			clear(files[i:])
			c.out.Files = files[:i]
			return
		}
		files[i].Matches = files[i].Matches[:min(len(files[i].Matches), room)]
		c.matches += max(len(files[i].Matches), 1)
	}
}
