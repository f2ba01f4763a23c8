package mask

import (
	"regexp"
	"strings"
	"sync"
)

// privateKey is the kind of the lines of a private key, and beginKey its keyword.
const (
	privateKey = "private-key"
	beginKey   = "-----begin"
)

var keyHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`)
})

const (
	// minKeyLine is the length of the first complete line of the shortest private key.
	minKeyLine = 48
	// minKeyPart is the minimum length of a part of a key that is masked.
	minKeyPart = 16
	// maxKeyGap is the longest text between two lines of a truncated key, such as a
	// line number.
	maxKeyGap = 16
)

// findPrivateKey calls found with the lines of the private key in PEM form that begins
// at start, without their ends: a tool may have put line numbers between them. The end
// of the key may be missing.
func findPrivateKey(s string, start int, found func(start, end int)) {
	s = s[:min(len(s), start+unlimited)]
	head := keyHead().FindStringIndex(s[start:])
	if head == nil {
		return
	}
	at := start + head[1]
	end := strings.Index(s[at:], "-----END")
	complete := end >= 0
	if complete {
		s = s[:at+end]
	}
	lines, long := keyLines(s, at, complete)
	if !long {
		return
	}
	for _, l := range lines {
		found(l.start, l.end)
	}
}

// keyLines returns the parts of s from at on that may be lines of a key, and whether
// one of them is as long as a line of a real one.
func keyLines(s string, at int, complete bool) (lines []span, long bool) {
	last := at
	for i := at; i < len(s); {
		if !isBase64(s[i]) {
			if s[i] == '\\' && i+1 < len(s) { // an escaped line end
				i++
			}
			i++
			continue
		}
		from := i
		for i < len(s) && isBase64(s[i]) {
			i++
		}
		for from < i && s[from] == '+' { // a diff marks added lines with +
			from++
		}
		if i-from < minKeyPart {
			continue
		}
		if !complete && from-last > maxKeyGap {
			break
		}
		lines, last = append(lines, span{from, i, privateKey}), i
		long = long || i-from >= minKeyLine
	}
	return lines, long
}

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}
