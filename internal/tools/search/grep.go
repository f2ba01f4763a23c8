package search

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Options limit a search.
type Options struct {
	Match   func(p string) bool // which files; nil for all. Called from several goroutines
	Max     int                 // matches to return; all are counted
	Context int                 // lines to return before and after each
	// Patience is how long to go on counting once Max matches are found; zero is
	// to the end.
	Patience time.Duration
	// Found, if not nil, is told of each file with matches as soon as it was
	// searched, in no order. Its matches have no context yet. It is called from
	// the goroutine of Grep.
	Found func(m Matched)
}

// Match is a line that matches or, of a query that spans lines, all lines that
// the match is on.
type Match struct {
	Line          int    // the first of them, from 1
	Text          string // without the last newline; lines that are long are cut
	Left          int    // how many more lines the match is on, beyond what Text shows
	Before, After []string
	start, end    int64
}

// Matched is a file that matches.
type Matched struct {
	Path    string // relative to the tree, with slashes
	Matches []Match
	Count   int  // of its matches, also those not in Matches
	Binary  bool // it is no text: it has at least one match, and none is returned
	large   bool // it was not searched
}

// Results is what a search came to.
type Results struct {
	Files      []Matched // by path; those with the first Max matches
	Lines      int       // matching lines in all files of text, or matches that span lines
	InFiles    int       // files that match
	Large      int       // files that are too large for a query that spans lines
	Cut        bool      // Patience was over before all was searched: there may be more
	Unreadable Unreadable
	Limits     Limits
}

// Grep looks for q in start, a file, or in the files below it, a directory. Of
// binary files that are not asked for by name only the beginning is searched.
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

// grepBelow searches in several goroutines, and gathers what they find in this
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
	go func() {
		defer close(files)
		c.out.Unreadable, err = t.walk(b, start, func(worker int, f found) error {
			if c.Match != nil && !c.Match(f.path()) {
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
		if c.add(m); c.impatient() {
			c.out.Cut = true
			stop()
		}
	}
	if c.out.Cut && ctx.Err() == nil {
		return nil
	}
	return err
}

// open searches a file that a walk came to.
func (s *scanner) open(ctx context.Context, f found) (Matched, error) {
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

// collector keeps the files with the first matches by path, however the files
// come. It holds little more than is wanted in the end.
type collector struct {
	Options
	held   int       // matches in out.Files
	enough time.Time // when Max were found
	out    Results
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
	c.held += max(len(m.Matches), 1)
	if c.held > 4*c.Max+100 {
		c.trim()
	}
	if c.held >= c.Max && c.enough.IsZero() {
		c.enough = time.Now()
	}
}

// impatient reports whether all that is wanted was found so long ago that the
// rest is not even to be counted.
func (c *collector) impatient() bool {
	return c.Patience > 0 && !c.enough.IsZero() && time.Since(c.enough) > c.Patience
}

// trim sorts the files and drops those beyond the first Max matches. A binary
// file counts for one.
func (c *collector) trim() {
	files := c.out.Files
	slices.SortFunc(files, func(a, b Matched) int { return cmp.Compare(a.Path, b.Path) })
	c.held = 0
	for i := range files {
		room := c.Max - c.held
		if room <= 0 {
			clear(files[i:])
			c.out.Files = files[:i]
			return
		}
		files[i].Matches = files[i].Matches[:min(len(files[i].Matches), room)]
		c.held += max(len(files[i].Matches), 1)
	}
}
