package mask

import (
	"maps"
	"slices"
	"strings"
)

// finder finds secrets. It is immutable.
type finder struct {
	words   *words
	actions []action          // by number of the word
	kinds   map[string]string // by secret
}

// action says what an occurrence of a word may belong to.
type action struct {
	rules  []*rule  // rules that have the word as a keyword
	values []string // values that begin with the word
	key    bool     // the word begins a private key
}

// newFinder returns a finder of the secrets that match rules, and of values, a map from
// secrets to their kinds.
func newFinder(rules []rule, values map[string]string) *finder {
	f := &finder{kinds: values}
	byWord := map[string]*action{}
	of := func(word string) *action {
		if byWord[word] == nil {
			byWord[word] = &action{}
		}
		return byWord[word]
	}
	for i := range rules {
		for _, word := range rules[i].keywords {
			a := of(strings.ToLower(word))
			a.rules = append(a.rules, &rules[i])
		}
	}
	of(beginKey).key = true
	for _, value := range slices.Sorted(maps.Keys(values)) {
		a := of(asciiLower(value[:minLength]))
		a.values = append(a.values, value)
	}
	all := slices.Sorted(maps.Keys(byWord))
	for _, word := range all {
		f.actions = append(f.actions, *byWord[word])
	}
	f.words = newWords(all)
	return f
}

// asciiLower returns s with its ASCII letters in lower case.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}

// find returns the secrets in s, in no order. They may overlap.
func (f *finder) find(s string) (spans []span) {
	var keywords map[*rule][]int
	keyEnd := 0 // end of the last private key; no other key begins before it
	f.words.find(s, func(word, end int) {
		a := &f.actions[word]
		for _, value := range a.values {
			start := end - minLength
			if strings.HasPrefix(s[start:], value) {
				spans = append(spans, span{start, start + len(value), f.kinds[value]})
			}
		}
		if a.key && end > keyEnd {
			findPrivateKey(s, end-len(beginKey), func(start, end int) {
				spans = append(spans, span{start, end, privateKey})
				keyEnd = end
			})
		}
		for _, r := range a.rules {
			if keywords == nil {
				keywords = map[*rule][]int{}
			}
			keywords[r] = append(keywords[r], end-1)
		}
	})
	for r, positions := range keywords {
		r.find(s, positions, func(start, end int) { spans = append(spans, span{start, end, r.id}) })
	}
	return spans
}
