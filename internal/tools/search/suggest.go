package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
)

// Suggestion is a file or directory that matches a query.
type Suggestion struct {
	Path string // relative to the tree, with slashes, without a trailing one
	Dir  bool
	At   []int // offsets in Path of the letters of the query
}

// checkInterval is how many names are compared between checks of the context.
const checkInterval = 4096

// maxQuery is the maximum length of a query in bytes; longer ones match nothing.
const maxQuery = 256

// candidate is a name that matches a query.
type candidate struct {
	name
	rank uint64 // higher is better
}

// suggest returns the best names for query. Paths in recent, latest first, rank
// higher.
func (k snapshot) suggest(ctx context.Context, query string, recent []string, limit int) []Suggestion {
	q := newWanted(query, recent)
	parts := make([][]candidate, workers())
	var wg sync.WaitGroup
	size := len(k.all)/len(parts) + 1
	for i := range parts {
		from := min(i*size, len(k.all))
		wg.Go(func() { parts[i] = k.best(ctx, q, k.all[from:min(from+size, len(k.all))], limit) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil
	}
	var out []Suggestion
	for _, c := range k.order(slices.Concat(parts...), limit) {
		path, base := k.path(nil, c.name)
		at, _ := q.align(make([]int, 0, len(q.text)), path, base)
		out = append(out, Suggestion{Path: string(path), Dir: c.isDir, At: at})
	}
	return out
}

// best returns the limit best names, unsorted, and possibly more.
func (k snapshot) best(ctx context.Context, q *fuzzyQuery, names []name, limit int) []candidate {
	var kept []candidate
	least := uint64(0) // minimum rank to be among the best
	buf, at := make([]byte, 0, 256), make([]int, 0, len(q.text))
	for i, n := range names {
		if i%checkInterval == 0 && ctx.Err() != nil {
			return nil
		}
		if n.letters&q.letters != q.letters {
			continue
		}
		path, base := k.path(buf[:0], n)
		buf = path
		score, ok := q.score(at[:0], path, base)
		if !ok {
			continue
		}
		c := candidate{n, q.rank(score, path, n)}
		if c.rank < least {
			continue
		}
		kept = append(kept, c)
		if len(kept) >= 4*limit+64 {
			kept = k.order(kept, limit)
			least = kept[limit-1].rank
		}
	}
	return kept
}

// order sorts cs by rank and returns the first limit.
func (k snapshot) order(cs []candidate, limit int) []candidate {
	slices.SortFunc(cs, func(a, b candidate) int {
		if c := cmp.Compare(b.rank, a.rank); c != 0 {
			return c
		}
		p, _ := k.path(nil, a.name)
		q, _ := k.path(nil, b.name)
		return bytes.Compare(p, q)
	})
	return cs[:min(len(cs), limit)]
}

// fuzzyQuery is a prepared query.
type fuzzyQuery struct {
	text    []byte // lower case
	letters uint32
	dotted  bool           // it asks for hidden files
	recent  map[string]int // position in recent, from 0
}

func newWanted(query string, recent []string) *fuzzyQuery {
	q := &fuzzyQuery{text: []byte(query), recent: map[string]int{}}
	for i, b := range q.text {
		q.text[i] = lowerByte(b)
	}
	q.letters = lettersOf(query)
	q.dotted = strings.HasPrefix(query, ".") || strings.Contains(query, "/.")
	for i, p := range recent {
		q.recent[p] = i
	}
	return q
}

// rank combines, in order of significance, group, score, recent use, and
// shortness.
func (q *fuzzyQuery) rank(score int, path []byte, n name) uint64 {
	const longest = 1<<16 - 1
	s := n.standing
	if s == hidden && q.dotted {
		s = normal
	}
	used := 0
	if age, ok := q.recent[string(path)]; ok { // does not allocate
		score += scoreRecent
		used = maxRecent - age
	}
	return uint64(ignored-s)<<56 | uint64(max(score, 0))<<24 | uint64(used)<<16 | uint64(longest-min(len(path), longest))
}

// Score of a letter by its position.
const (
	scoreLetter  = 16
	scoreNext    = 12 // directly after the previous letter
	scoreWord    = 10 // at the beginning of a word
	scoreSegment = 14 // at the beginning of a path element
	scoreBase    = 6  // in the last path element
	scoreWhole   = 60 // the query equals the last path element
	scoreStem    = 40 // the query equals it without its extension
	scoreShallow = 8  // for each level less, of an empty query
	scoreRecent  = 20
)

// score returns how well path matches. Its last element begins at base. at is a
// buffer for the positions.
func (q *fuzzyQuery) score(at []int, path []byte, base int) (int, bool) {
	if len(q.text) == 0 {
		return max(0, 100-scoreShallow*bytes.Count(path, []byte("/"))), true
	}
	at, ok := q.align(at, path, base)
	if !ok {
		return 0, false
	}
	total := 0
	for i, p := range at {
		total += scoreLetter
		if i > 0 && at[i-1] == p-1 {
			total += scoreNext
		} else if i > 0 {
			total -= min(p-at[i-1], 10) / 2
		}
		switch {
		case p == 0 || path[p-1] == '/':
			total += scoreSegment
		case wordAt(path, p):
			total += scoreWord
		}
		if p >= base {
			total += scoreBase
		}
	}
	if last := path[base:]; at[0] == base && at[len(at)-1] == base+len(q.text)-1 {
		switch {
		case len(last) == len(q.text):
			total += scoreWhole
		case last[len(q.text)] == '.':
			total += scoreStem
		}
	}
	return total, true
}

// align returns the positions in path of the letters of the query: contiguous if
// possible, preferably in the last element, otherwise as late as possible. It
// reports whether path matches.
func (q *fuzzyQuery) align(at []int, path []byte, base int) ([]int, bool) {
	if len(q.text) == 0 {
		return at, true
	}
	from := q.substring(path, base)
	if from < 0 && base > 0 {
		from = q.substring(path, 0)
	}
	if from >= 0 {
		for i := range q.text {
			at = append(at, from+i)
		}
		return at, true
	}
	at = at[:len(q.text)]
	p := len(path) - 1
	for i := len(q.text) - 1; i >= 0; i-- { // from the end, where the last element is
		for p >= 0 && lowerByte(path[p]) != q.text[i] {
			p--
		}
		if p < 0 {
			return nil, false
		}
		at[i] = p
		p--
	}
	q.moveToWords(at, path)
	return at, true
}

// substring returns the offset of the query in path at or after from, preferably
// at the beginning of a word, or -1.
func (q *fuzzyQuery) substring(path []byte, from int) int {
	first := -1
	for p := from; p+len(q.text) <= len(path); p++ {
		if lowerByte(path[p]) != q.text[0] || !q.hasPrefix(path[p:]) {
			continue
		}
		if p == 0 || path[p-1] == '/' || wordAt(path, p) {
			return p
		}
		if first < 0 {
			first = p
		}
	}
	return first
}

// hasPrefix reports whether path begins with the query.
func (q *fuzzyQuery) hasPrefix(path []byte) bool {
	for i, b := range q.text {
		if lowerByte(path[i]) != b {
			return false
		}
	}
	return true
}

// moveToWords moves positions back to word beginnings where possible.
func (q *fuzzyQuery) moveToWords(at []int, path []byte) {
	for i := range at {
		low := 0
		if i > 0 {
			low = at[i-1] + 1
		}
		if low < at[i] && i > 0 && lowerByte(path[low]) == q.text[i] { // directly after the previous letter
			at[i] = low
			continue
		}
		for p := at[i]; p >= low; p-- {
			if lowerByte(path[p]) == q.text[i] && (p == 0 || path[p-1] == '/' || wordAt(path, p)) {
				at[i] = p
				break
			}
		}
	}
}

// wordAt reports whether a word begins at p, which is not 0.
func wordAt(path []byte, p int) bool {
	switch before := path[p-1]; {
	case before == '_' || before == '-' || before == '.' || before == ' ':
		return true
	default:
		large := func(b byte) bool { return 'A' <= b && b <= 'Z' }
		digit := func(b byte) bool { return '0' <= b && b <= '9' }
		return large(path[p]) && !large(before) || digit(path[p]) && !digit(before)
	}
}
