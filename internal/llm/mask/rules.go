package mask

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
)

// rulesFile holds the rules of gitleaks with their source and license. TestRulesFile
// writes it.
//
//go:embed rules.json
var rulesFile string

// ruleSet is the content of rulesFile.
type ruleSet struct {
	Source  string   `json:"source"`
	License string   `json:"license"`
	Allow   []string `json:"allow"` // patterns of values that are not secrets
	Stop    []string `json:"stop"`  // words that no secret contains
	Rules   []rule   `json:"rules"`
}

// rule describes the shape of one kind of secret.
type rule struct {
	ID       string   `json:"id"`
	Pattern  string   `json:"pattern"`
	Keywords []string `json:"keywords"`          // in lower case; a match contains one of them
	Entropy  float64  `json:"entropy,omitempty"` // exclusive minimum, in bits per character
	Group    int      `json:"group,omitempty"`   // group of Pattern that holds the secret; 0 for the first that is not empty
	Max      int      `json:"max,omitempty"`     // longest match in bytes; 0 if it is unlimited
	Allow    []string `json:"allow,omitempty"`   // as in ruleSet
	Stop     []string `json:"stop,omitempty"`    // as in ruleSet

	pattern func() *regexp.Regexp
	allow   func() []*regexp.Regexp
}

// readRules parses the rules. Their patterns are compiled when they are first used.
func readRules(text string) (ruleSet, error) {
	var all ruleSet
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return all, fmt.Errorf("read the rules about secrets: %w", err)
	}
	common := sync.OnceValue(func() []*regexp.Regexp { return compile(all.Allow) })
	for i := range all.Rules {
		r := &all.Rules[i]
		r.Stop = append(r.Stop, all.Stop...)
		r.pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Pattern) })
		r.allow = sync.OnceValue(func() []*regexp.Regexp { return append(compile(r.Allow), common()...) })
	}
	return all, nil
}

func compile(patterns []string) (out []*regexp.Regexp) {
	for _, p := range patterns {
		out = append(out, regexp.MustCompile(p))
	}
	return out
}

// unlimited is how far from its keyword a match of unlimited length is searched for,
// in bytes.
const unlimited = 16 << 10

// reach returns how far from a keyword a match may begin or end.
func (r *rule) reach() int {
	if r.Max == 0 {
		return unlimited
	}
	return min(r.Max, unlimited)
}

// find calls found with the secrets in s whose match contains a keyword. positions are
// the indexes of the last bytes of the keywords in s, in ascending order.
func (r *rule) find(s string, positions []int, found func(start, end int)) {
	const context = 4 // bytes that an assertion at the end of a match may look at
	for i := 0; i < len(positions); {
		from, to := max(0, positions[i]-r.reach()-context), 0
		first := i
		for ; i < len(positions) && (to == 0 || positions[i]-r.reach() <= to); i++ {
			to = min(len(s), positions[i]+r.reach()+context)
		}
		window := s[from:to]
		for _, m := range r.pattern().FindAllStringSubmatchIndex(window, -1) {
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
	if g := r.Group; g > 0 && m[2*g] >= 0 {
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
	if len(value) < minLength || r.Entropy > 0 && entropy(value) <= r.Entropy {
		return false
	}
	lower := strings.ToLower(value)
	for _, word := range r.Stop {
		if strings.Contains(lower, strings.ToLower(word)) {
			return false
		}
	}
	for _, re := range r.allow() {
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
