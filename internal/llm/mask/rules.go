package mask

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// kind describes one kind of secret. The table kinds is immutable.
type kind struct {
	id       string
	pattern  string
	keywords []string // in lower case; a match contains one of them
	entropy  float64  // exclusive minimum, in bits per character
	group    int      // group of pattern that holds the secret; 0 for the first that is not empty
	max      int      // longest match in bytes; 0 if it is unlimited
	allow    []string // patterns of values that are not secrets
	stop     []string // words that no secret contains
}

// rule finds secrets of one kind.
type rule struct {
	*kind
	compiled sync.Once // on first use, because few patterns are ever needed
	match    *regexp.Regexp
	ignore   []*regexp.Regexp
}

func newRules() []rule {
	rules := make([]rule, len(kinds))
	for i := range kinds {
		rules[i].kind = &kinds[i]
	}
	return rules
}

// compile compiles the patterns of r unless that was done.
func (r *rule) compile() {
	r.compiled.Do(func() {
		r.match = regexp.MustCompile(r.pattern)
		for _, p := range slices.Concat(r.allow, allowed) {
			r.ignore = append(r.ignore, regexp.MustCompile(p))
		}
	})
}

// unlimited is how far from its keyword a match of unlimited length is searched for,
// in bytes.
const unlimited = 16 << 10

// reach returns how far from a keyword a match may begin or end.
func (r *rule) reach() int {
	if r.max == 0 {
		return unlimited
	}
	return min(r.max, unlimited)
}

// find calls found with the secrets in s whose match contains a keyword. positions are
// the indexes of the last bytes of the keywords in s, in ascending order.
func (r *rule) find(s string, positions []int, found func(start, end int)) {
	r.compile()
	const context = 4 // bytes that an assertion at the end of a match may look at
	for i := 0; i < len(positions); {
		from, to := max(0, positions[i]-r.reach()-context), 0
		first := i
		for ; i < len(positions) && (to == 0 || positions[i]-r.reach() <= to); i++ {
			to = min(len(s), positions[i]+r.reach()+context)
		}
		window := s[from:to]
		for _, m := range r.match.FindAllStringSubmatchIndex(window, -1) {
			cut := m[1] == len(window) && to < len(s) // the end of the window may look like the end of the text
			if cut || !containsKeyword(positions[first:i], from+m[0], from+m[1]) {
				continue
			}
			if start, end := r.secret(m); r.isSecret(window[start:end]) {
				found(from+start, from+end)
			}
		}
	}
}

// containsKeyword reports whether one of positions lies in a match.
func containsKeyword(positions []int, start, end int) bool {
	for _, p := range positions {
		if p >= start && p < end {
			return true
		}
	}
	return false
}

// secret returns the part of a match that is the secret.
func (r *rule) secret(m []int) (start, end int) {
	if g := r.group; g > 0 && m[2*g] >= 0 {
		return m[2*g], m[2*g+1]
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] >= 0 && m[g+1] > m[g] {
			return m[g], m[g+1]
		}
	}
	return m[0], m[1]
}

// isSecret reports whether a value that matches the pattern looks like a real secret.
func (r *rule) isSecret(value string) bool {
	if len(value) < minLength || r.entropy > 0 && entropy(value) <= r.entropy {
		return false
	}
	lower := strings.ToLower(value)
	for _, word := range slices.Concat(r.stop, stopWords) {
		if strings.Contains(lower, strings.ToLower(word)) {
			return false
		}
	}
	for _, re := range r.ignore {
		if re.MatchString(value) {
			return false
		}
	}
	return true
}

// entropy returns the Shannon entropy of the bytes of s, in bits for each byte.
func entropy(s string) (bits float64) {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
