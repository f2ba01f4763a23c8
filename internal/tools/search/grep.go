package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Options limit a search.
type Options struct {
	Match   func(p string) bool // which files; nil for all. Called from several goroutines
	Max     int                 // matching lines to return; all are counted
	Context int                 // lines to return before and after each
}

// Match is a line that matches.
type Match struct {
	Line          int    // from 1
	Text          string // cut where it is long
	Before, After []string
	start, end    int64
}

// Matched is a file that matches.
type Matched struct {
	Path    string // relative to the tree, with slashes
	Matches []Match
	Count   int  // of its lines, also those not in Matches
	Binary  bool // it is no text: it has at least one match, and none is returned
}

// Results is what a search came to.
type Results struct {
	Files      []Matched // by path; those with the first Max matches
	Lines      int       // matching lines in all files of text
	InFiles    int       // files that match
	Unreadable Unreadable
}

// Grep looks for q in start, a file, or in the files below it, a directory. Of
// binary files that are not asked for by name only the beginning is searched.
func (t *Tree) Grep(ctx context.Context, start string, q *Query, o Options) (Results, error) {
	c := collector{max: o.Max}
	info, err := t.root.Stat(start)
	if err != nil {
		return Results{}, err
	}
	if info.Mode().IsRegular() {
		err = t.grepFile(ctx, start, newScanner(q, o.Max), &c)
	} else {
		err = t.grepBelow(ctx, start, q, o, &c)
	}
	if err != nil {
		return Results{}, err
	}
	c.trim()
	for i := range c.out.Files {
		t.addContext(&c.out.Files[i], o.Context)
	}
	return c.out, ctx.Err()
}

func (t *Tree) grepFile(ctx context.Context, p string, s *scanner, c *collector) error {
	f, err := openFile(t.root, p)
	if err != nil {
		return err
	}
	defer f.close()
	m, err := s.file(ctx, f, true)
	if m.Count > 0 {
		m.Path = p
		c.add(m)
	}
	return err
}

func (t *Tree) grepBelow(ctx context.Context, start string, q *Query, o Options, c *collector) error {
	scanners := make([]*scanner, workers())
	for i := range scanners {
		scanners[i] = newScanner(q, o.Max)
	}
	unreadable, err := t.walk(ctx, start, func(worker int, f found) error {
		if o.Match != nil && !o.Match(f.path()) {
			return nil
		}
		return scanners[worker].grep(ctx, f, c)
	})
	c.out.Unreadable = unreadable
	return err
}

func (s *scanner) grep(ctx context.Context, f found, c *collector) error {
	r, err := f.dir.file(f.name)
	if err != nil {
		return err
	}
	defer r.close()
	m, err := s.file(ctx, r, false)
	if err != nil {
		return err
	}
	if m.Count > 0 {
		m.Path = f.path()
		c.add(m)
	}
	return nil
}

// collector keeps the files with the first matches by path, however the files
// come. It holds little more than is wanted in the end.
type collector struct {
	max int

	mu   sync.Mutex
	held int // matches in out.Files
	out  Results
}

func (c *collector) add(m Matched) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.InFiles++
	if m.Binary {
		m.Matches = nil
	} else {
		c.out.Lines += m.Count
	}
	c.out.Files = append(c.out.Files, m)
	c.held += max(len(m.Matches), 1)
	if c.held > 4*c.max+100 {
		c.trim()
	}
}

// trim sorts the files and drops those beyond the first max matches. A binary
// file counts for one.
func (c *collector) trim() {
	files := c.out.Files
	slices.SortFunc(files, func(a, b Matched) int { return cmp.Compare(a.Path, b.Path) })
	c.held = 0
	for i := range files {
		room := c.max - c.held
		if room <= 0 {
			clear(files[i:])
			c.out.Files = files[:i]
			return
		}
		files[i].Matches = files[i].Matches[:min(len(files[i].Matches), room)]
		c.held += max(len(files[i].Matches), 1)
	}
}

// maxText is how much of a line is shown, in bytes.
const maxText = 400

// clip returns a line, or of a long one what is around byte at.
func clip(line []byte, at int) string {
	if len(line) <= maxText {
		return strings.ToValidUTF8(string(line), "\ufffd")
	}
	from := max(min(at-maxText/2, len(line)-maxText), 0)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	to := min(from+maxText, len(line))
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	s := strings.ToValidUTF8(string(line[from:to]), "\ufffd")
	if from > 0 {
		s = "…" + s
	}
	if to < len(line) {
		s += "…"
	}
	return s
}
