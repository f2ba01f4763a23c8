package mask

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A placeholder is "[secret:KIND-TAG]". TAG is a keyed hash of the secret, followed by a
// checksum: a keyed hash of everything before it. The hash gives equal secrets the same
// placeholder in every session of this installation, without storing them, and does not
// help to guess a secret. The checksum distinguishes placeholders of this installation
// from text that looks like one, even if the secret is not known.
const (
	prefix    = "[secret:"
	hashSize  = 8 // characters of the hash of the secret: 40 bits
	checkSize = 4 // characters of the checksum
)

// maxPlaceholder is the maximum length of KIND-TAG, in characters.
const maxPlaceholder = 120

var lookalike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`\[secret:[^\]\[\s]{1,%d}\]`, maxPlaceholder))
})

// placeholders returns the positions of everything in s that looks like a placeholder.
func placeholders(s string) [][]int {
	if !strings.Contains(s, prefix) {
		return nil
	}
	return lookalike().FindAllStringIndex(s, -1)
}

// tags makes placeholders.
type tags struct{ key []byte }

// domain separates the placeholders from other uses of the key.
const domain = "agent secret placeholder, version 1"

func newTags(key func() ([]byte, error)) tags {
	var secret []byte
	if key != nil {
		secret, _ = key()
	}
	if len(secret) == 0 {
		secret = make([]byte, sha256.Size)
		rand.Read(secret)
	}
	return tags{sum(secret, domain)}
}

func sum(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// short returns the first characters of a keyed hash.
func (t tags) short(use, text string, length int) string {
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum(t.key, use+":"+text)))[:length]
}

func (t tags) placeholder(kind, value string) string {
	name := kind + "-" + t.short("value", value, hashSize)
	return prefix + name + t.short("check", name, checkSize) + "]"
}

// made reports whether this installation made the placeholder p.
func (t tags) made(p string) bool {
	name := strings.TrimSuffix(strings.TrimPrefix(p, prefix), "]")
	at := len(name) - checkSize
	return at > 0 && t.short("check", name[:at], checkSize) == name[at:]
}

// kindOf returns the kind of a placeholder for a name: "openai-api-key" for
// OPENAI_API_KEY.
func kindOf(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	kind := strings.Join(words, "-")
	if kind == "" {
		return "value"
	}
	return kind[:min(len(kind), maxPlaceholder/2)]
}

// UnknownError reports a placeholder whose secret is not known. Its text is for the
// model.
type UnknownError struct{ Placeholder string }

func (e *UnknownError) Error() string {
	return "the placeholder " + e.Placeholder + " stands for no secret that is known in this session. Nothing was done. " +
		"Copy placeholders exactly. If it is from an earlier session, first read the file or repeat the command that showed it"
}

// Note remembers text in s that looks like a placeholder but is not one, so that Restore
// keeps it. s must come from outside, such as from a file, and not from the model, which
// may misspell a placeholder.
func (m *Masker) Note(s string) {
	if m == nil {
		return
	}
	for _, at := range placeholders(s) {
		if p := s[at[0]:at[1]]; !m.tags().made(p) {
			m.mu.Lock()
			m.plain[p] = true
			m.mu.Unlock()
		}
	}
}

// Restore returns s with its placeholders replaced by their secrets. The error is an
// *UnknownError.
func (m *Masker) Restore(s string) (string, error) {
	return m.restore(s, nil)
}

// restore implements Restore. If check is not nil, restore calls it with each
// placeholder and its secret, and returns its error.
func (m *Masker) restore(s string, check func(placeholder, secret string) error) (string, error) {
	if m == nil {
		return s, nil
	}
	var b strings.Builder
	last := 0
	for _, at := range placeholders(s) {
		p := s[at[0]:at[1]]
		value, ok, plain := m.lookUp(p)
		switch {
		case ok:
		case plain:
			continue
		default:
			return "", &UnknownError{p}
		}
		if check != nil {
			if err := check(p, value); err != nil {
				return "", err
			}
		}
		b.WriteString(s[last:at[0]])
		b.WriteString(value)
		last = at[1]
	}
	if last == 0 {
		return s, nil
	}
	return b.String() + s[last:], nil
}

// lookUp returns the secret of a placeholder, whether it is known, and whether p is
// ordinary text that looks like a placeholder.
func (m *Masker) lookUp(p string) (value string, ok, plain bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value, ok = m.known[p]; !ok {
		for given, kind := range m.given { // an earlier session may have masked it
			if m.values[given] == "" {
				m.remember(given, m.tags().placeholder(kind, given))
			}
		}
		value, ok = m.known[p]
	}
	return value, ok, m.plain[p]
}
