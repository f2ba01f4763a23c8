package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
)

// Suggestion is a file or directory that a query may stand for.
type Suggestion struct {
	Path string // relative to the tree, with slashes and none at its end
	Dir  bool
	At   []int // the bytes of Path that the letters of the query stand for
}

// glance is how many names are looked at before it is looked whether somebody
// waits for them still.
const glance = 4096

// maxQuery is the length of the longest query, in bytes, that anything is found
// for. The cost of a query grows with it.
const maxQuery = 256

// candidate is a name that a query may stand for.
type candidate struct {
	name
	rank uint64 // the higher, the better
}

// suggest returns the best names for query. recent are paths that come before
// others that fit as well, the latest first.
func (k known) suggest(ctx context.Context, query string, recent []string, limit int) []Suggestion {
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

// best returns the best of names.
func (k known) best(ctx context.Context, q *wanted, names []name, limit int) []candidate {
	var kept []candidate
	least := uint64(0) // what a candidate must have to be among the best
	buf, at := make([]byte, 0, 256), make([]int, 0, len(q.text))
	for i, n := range names {
		if i%glance == 0 && ctx.Err() != nil {
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

// order returns the best of cs in their order.
func (k known) order(cs []candidate, limit int) []candidate {
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

// wanted is a query, ready to be compared with many paths.
type wanted struct {
	text    []byte // in small letters
	letters uint32
	dotted  bool           // it asks for hidden files itself
	recent  map[string]int // how long ago a path was used, from 0
}

func newWanted(query string, recent []string) *wanted {
	q := &wanted{text: []byte(query), recent: map[string]int{}}
	for i, b := range q.text {
		q.text[i] = small(b)
	}
	q.letters = lettersOf(query)
	q.dotted = strings.HasPrefix(query, ".") || strings.Contains(query, "/.")
	for i, p := range recent {
		q.recent[p] = i
	}
	return q
}

// rank orders by standing, then by score, then what was used later before the
// rest, then the shorter before the longer.
func (q *wanted) rank(score int, path []byte, n name) uint64 {
	const longest = 1<<16 - 1
	s := n.standing
	if s == hidden && q.dotted {
		s = plain
	}
	used := 0
	if age, ok := q.recent[string(path)]; ok { // no memory is taken for that string
		score += scoreRecent
		used = maxRecent - age
	}
	return uint64(ignored-s)<<56 | uint64(max(score, 0))<<24 | uint64(used)<<16 | uint64(longest-min(len(path), longest))
}

// What a letter is worth, and where it stands.
const (
	scoreLetter  = 16
	scoreNext    = 12 // right behind the letter before it in the query
	scoreWord    = 10 // at the beginning of a word
	scoreSegment = 14 // at the beginning of a file's or directory's name
	scoreBase    = 6  // in the file's own name
	scoreWhole   = 60 // the query is all of that name
	scoreStem    = 40 // or all of it but its extension
	scoreShallow = 8  // for each directory less, of an empty query
	scoreRecent  = 20
)

// score says how well path, whose last name begins at base, fits. at is room
// for the letters of the query.
func (q *wanted) score(at []int, path []byte, base int) (int, bool) {
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
	if own := path[base:]; at[0] == base && at[len(at)-1] == base+len(q.text)-1 {
		switch {
		case len(own) == len(q.text):
			total += scoreWhole
		case own[len(q.text)] == '.':
			total += scoreStem
		}
	}
	return total, true
}

// align returns the bytes of path that the letters of the query stand for:
// those of one piece where there is one, best in the last name, else as near to
// the end as they are found. It reports whether there are any.
func (q *wanted) align(at []int, path []byte, base int) ([]int, bool) {
	if len(q.text) == 0 {
		return at, true
	}
	from := q.piece(path, base)
	if from < 0 && base > 0 {
		from = q.piece(path, 0)
	}
	if from >= 0 {
		for i := range q.text {
			at = append(at, from+i)
		}
		return at, true
	}
	at = at[:len(q.text)]
	p := len(path) - 1
	for i := len(q.text) - 1; i >= 0; i-- { // from the end, where the file's own name is
		for p >= 0 && small(path[p]) != q.text[i] {
			p--
		}
		if p < 0 {
			return nil, false
		}
		at[i] = p
		p--
	}
	q.settle(at, path)
	return at, true
}

// piece returns where the query stands in one piece in path from a place on,
// best at the beginning of a word; -1 if it does not.
func (q *wanted) piece(path []byte, from int) int {
	first := -1
	for p := from; p+len(q.text) <= len(path); p++ {
		if small(path[p]) != q.text[0] || !q.here(path[p:]) {
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

// here reports whether path begins with the query.
func (q *wanted) here(path []byte) bool {
	for i, b := range q.text {
		if small(path[i]) != b {
			return false
		}
	}
	return true
}

// settle moves letters back to the beginnings of words, as far as those before
// them leave room.
func (q *wanted) settle(at []int, path []byte) {
	for i := range at {
		low := 0
		if i > 0 {
			low = at[i-1] + 1
		}
		if low < at[i] && i > 0 && small(path[low]) == q.text[i] { // right behind the one before
			at[i] = low
			continue
		}
		for p := at[i]; p >= low; p-- {
			if small(path[p]) == q.text[i] && (p == 0 || path[p-1] == '/' || wordAt(path, p)) {
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
