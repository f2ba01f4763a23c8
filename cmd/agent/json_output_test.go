package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// All JSON that the program prints escapes control and format characters, which a terminal
// may obey or hide, and keeps their values.
func TestJSONOutputHasNoHiddenCharacters(t *testing.T) {
	t.Parallel()
	const hidden = "é\x7f\u009b2J\u202ertl\u200b\u2028\ufeff\U000e0041."
	s := serve(t, call("read", `{"path":"a.txt"}`), say("It says "+hidden), call("read", `{"path":"a.txt"}`), say("It says "+hidden))
	h := newHome(t, map[string]string{"a.txt": hidden + "\n"}, at(s)...)
	for _, args := range [][]string{
		{"run", "--output", "json", "read " + hidden},
		{"run", "--output", "stream-json", "--include-partial", "read " + hidden},
		{"permit", "--output", "json", "echo " + hidden},
		{"tool", "--check", "write", `{"path":"b.txt","content":"` + hidden + `"}`},
		{"inspect", "ID", "--output", "json"},
		{"sessions", "export", "ID", "--output", "json"},
	} {
		for j := range args {
			if args[j] == "ID" {
				args[j] = h.ids(t)[0]
			}
		}
		out, err := h.command(args...).Output()
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if i := bytes.IndexFunc(out, func(r rune) bool {
			return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
		}); i >= 0 {
			t.Errorf("%s prints a hidden character: %.60q", args, out[i:])
		}
		found := 0
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var v any
			if err := d.Decode(&v); err != nil {
				break
			}
			found += countIn(v, hidden)
		}
		if found == 0 {
			t.Errorf("%s does not print the text: %.300q", args, out)
		}
	}
}

// countIn returns how many strings in a JSON value contain text.
func countIn(v any, text string) (n int) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, text) {
			n++
		}
	case []any:
		for _, e := range v {
			n += countIn(e, text)
		}
	case map[string]any:
		for _, e := range v {
			n += countIn(e, text)
		}
	}
	return n
}
