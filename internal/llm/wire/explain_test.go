package wire

import (
	"strings"
	"testing"
)

// TestMask checks that long secrets are masked everywhere and short ones only
// as whole words.
func TestMask(t *testing.T) {
	for _, c := range []struct{ secret, text, want string }{
		{"x", "the maximum is x", "the maximum is [key]"},
		{"x", "x x, (x) x", "[key] [key], ([key]) [key]"},
		{"x", "x_1 1x xé éx xx", "x_1 1x xé éx xx"},
		{"short-1", "Bearer short-1: unshort-1, short-12", "Bearer [key]: unshort-1, short-12"},
		{"aa", "aaa aa-aa", "aaa [key]-[key]"},
		{"12345678", "a123456789 12345678", "a[key]9 [key]"},
		{"é", "café é", "café [key]"},
		{"x", "\xffx\xff maximum", "\xff[key]\xff maximum"},
		{"", "nothing", "nothing"},
	} {
		if got := mask(c.text, c.secret, "[key]"); got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.secret, c.text, got, c.want)
		}
	}
}

// FuzzMask checks that no long secret and no short one as a whole word remains.
func FuzzMask(f *testing.F) {
	f.Add("x", "the maximum")
	f.Add("12345678", "123456781234567812345678")
	f.Fuzz(func(t *testing.T, secret, text string) {
		got := mask(text, secret, "")
		if len(secret) < longSecret && !strings.Contains(text, secret) && got != text {
			t.Errorf("%q without %q became %q", text, secret, got)
		}
		if secret != "" && mask(secret, secret, "") != "" {
			t.Errorf("%q is not masked", secret)
		}
	})
}
