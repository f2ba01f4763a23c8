package dotenv

import (
	"slices"
	"strings"
	"unicode"
)

// minRandom is the minimum length of a value that looks random.
const minRandom = 16

// IsOrdinary reports whether the value of a variable with a name like that of a secret is
// probably not a secret but a path, a URL or an identifier. Environment files hold many of
// them, such as SESSION_COOKIE_NAME=shop_session. They also occur in source code, so replacing
// them by placeholders would hide names there.
func IsOrdinary(name, value string) bool {
	words := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if len(words) == 0 || slices.Contains(words, "PUBLIC") || slices.Contains(words, "PUBLISHABLE") || isAddress(value) {
		return true
	}
	last := strings.TrimRight(words[len(words)-1], "0123456789")
	if slices.ContainsFunc([]string{"PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD", "SECRET", "TOKEN"}, func(end string) bool { return strings.HasSuffix(last, end) }) {
		return false
	}
	return !looksRandom(value)
}

// isAddress reports whether a value is a path or a URL.
func isAddress(value string) bool {
	if strings.Contains(value, "://") {
		return true
	}
	if slices.ContainsFunc([]string{"/", "./", "../", "~/"}, func(start string) bool { return strings.HasPrefix(value, start) }) {
		return !looksRandom(value) || strings.Count(value, "/") > 1
	}
	base := value[strings.LastIndexByte(value, '/')+1:]
	_, extension, found := strings.Cut(base, ".")
	return len(base) < len(value) && found && len(extension) <= 5 || !looksRandom(value) && strings.Contains(value, "/")
}

// looksRandom reports whether a value looks generated: it is long, and one of its words has
// digits among letters.
func looksRandom(value string) bool {
	if len(value) < minRandom || strings.ContainsFunc(value, unicode.IsSpace) {
		return false
	}
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("_-./:@", r) }) {
		if len(word) >= minRandom/2 && strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, unicode.IsLetter) {
			return true
		}
	}
	return false
}
