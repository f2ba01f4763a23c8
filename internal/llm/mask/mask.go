// Package mask replaces secrets in text by placeholders such as
// "[secret:github-pat-k3f9a2mqwx4t]", and restores them. It finds values that it was
// given, and tokens of many services by the rules of gitleaks (MIT license, in
// kinds.go). It knows nothing of messages, files or tools, and stores nothing. Start
// reading at Masker.
package mask

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// minLength is the minimum length of a secret in bytes. Shorter ones are part of
// ordinary text too often.
const minLength = 8

// Masker replaces secrets by placeholders. A value has the same placeholder as long as
// the key is the same, so that a resumed session sends what it sent before. It is safe
// for concurrent use.
type Masker struct {
	tags func() tags

	mu     sync.Mutex
	values map[string]string // placeholders by secret
	given  map[string]string // kinds by secret, for secrets passed to Add
	known  map[string]string // secrets by placeholder
	plain  map[string]bool   // texts that look like placeholders but are not
	finder *finder           // nil until needed and after a new secret
	rules  []rule
}

// New returns a Masker. Key returns a secret key of this installation, from which the
// placeholders are derived; it is called when the first one is needed. If it is nil or
// fails, placeholders are stable only as long as the Masker exists.
func New(key func() ([]byte, error)) *Masker {
	return &Masker{
		tags:   sync.OnceValue(func() tags { return newTags(key) }),
		values: map[string]string{}, given: map[string]string{}, known: map[string]string{}, plain: map[string]bool{},
		rules: newRules(),
	}
}

// Add makes value a secret. Name says where it comes from, such as the name of an
// environment variable, and becomes part of the placeholder. Values that are too short
// or ordinary words are ignored, because masking them would garble text.
func (m *Masker) Add(name, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value = strings.TrimSpace(value)
	m.add(name, value)
	if u, err := url.Parse(value); err == nil && u.User != nil { // the password is also a secret outside its URL
		password, _ := u.User.Password()
		m.add(name, password)
	}
}

func (m *Masker) add(name, value string) {
	if len(value) < minLength || isWord(value) || m.given[value] != "" {
		return
	}
	m.given[value] = kindOf(name)
	m.finder = nil
}

// isWord reports whether a short value is an ordinary word or number, such as the
// password "postgres" of a development database.
func isWord(value string) bool {
	if len(value) >= 2*minLength {
		return false
	}
	for _, chars := range []string{"abcdefghijklmnopqrstuvwxyz", "0123456789"} {
		if strings.Trim(strings.ToLower(value[:1])+value[1:], chars) == "" || strings.Trim(strings.ToLower(value), chars) == "" && value == strings.ToUpper(value) {
			return true
		}
	}
	return false
}

// span is a secret of some kind in a text.
type span struct {
	start, end int
	kind       string
}

// Text returns s with its secrets replaced by placeholders, also those with escape sequences
// or invisible characters in them. It keeps placeholders.
func (m *Masker) Text(s string) string {
	if m == nil || len(s) < minLength {
		return s
	}
	f := m.current()
	spans := append(f.find(s), hiddenSpans(s, f.find)...)
	if len(spans) == 0 {
		return s
	}
	spans = m.outside(s, merged(spans))
	var b strings.Builder
	at := 0
	for _, p := range spans {
		b.WriteString(s[at:p.start])
		b.WriteString(m.placeholder(p.kind, s[p.start:p.end]))
		at = p.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// merged returns spans in order, with those that overlap joined.
func merged(spans []span) (out []span) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	for _, p := range spans {
		if n := len(out) - 1; n >= 0 && p.start < out[n].end {
			out[n].end = max(out[n].end, p.end)
			continue
		}
		out = append(out, p)
	}
	return out
}

// outside returns the spans that do not overlap a placeholder of this installation.
func (m *Masker) outside(s string, spans []span) []span {
	for _, at := range placeholders(s) {
		if !m.tags().made(s[at[0]:at[1]]) {
			continue
		}
		spans = slices.DeleteFunc(spans, func(p span) bool { return p.start < at[1] && p.end > at[0] })
	}
	return spans
}

// placeholder returns the placeholder of a secret, and remembers both. Hidden parts do not
// belong to the secret.
func (m *Masker) placeholder(kind, value string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := visible(value, "", true); ok && m.given[value] == "" {
		value = v.text
	}
	if p, ok := m.values[value]; ok {
		return p
	}
	p := m.tags().placeholder(cmp.Or(m.given[value], kind), value)
	m.remember(value, p)
	return p
}

// remember adds a secret with its placeholder. From then on the value is found
// everywhere, even where it matches no rule.
func (m *Masker) remember(value, placeholder string) {
	m.values[value], m.known[placeholder] = placeholder, value
	if m.given[value] == "" {
		m.finder = nil
	}
}

// current returns the finder of all secrets so far.
func (m *Masker) current() *finder {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.finder == nil {
		secrets := make(map[string]string, len(m.given))
		for value := range m.values {
			secrets[value] = ""
		}
		for value, kind := range m.given {
			secrets[value] = kind
		}
		m.finder = newFinder(m.rules, secrets)
	}
	return m.finder
}
