package wire_test

import (
	"encoding/json"
	"testing"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm/wire"
)

// Visible escapes every control and format character and changes no value.
func TestVisible(t *testing.T) {
	for start := rune(0); start <= unicode.MaxRune; start += 0x100 {
		var text string
		for r := start; r < start+0x100; r++ {
			if utf8.ValidRune(r) {
				text += string(r)
			}
		}
		encoded, err := wire.Marshal(map[string]string{"a" + text: "b" + text + "c"})
		if err != nil {
			t.Fatal(err)
		}
		got := wire.Visible(encoded)
		for _, c := range string(got) {
			if unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("U+%04X is not escaped: %q", c, got)
			}
		}
		var back map[string]string
		if err := json.Unmarshal(got, &back); err != nil || len(back) != 1 || back["a"+text] != "b"+text+"c" {
			t.Fatalf("from U+%04X: %q is %v (%v)", start, got, back, err)
		}
	}
	for in, want := range map[string]string{
		`"é € 日本 😀"`:              `"é € 日本 😀"`,
		"\"\x7f\u009b\u202e\"":    `"\u007f\u009b\u202e"`,
		"\"\U000e0041\u2028\\n\"": `"\udb40\udc41\u2028\n"`,
		"\"a\x9bb\"":              `"a\ufffdb"`,
	} {
		if got := string(wire.Visible([]byte(in))); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}
