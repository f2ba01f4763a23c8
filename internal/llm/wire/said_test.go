package wire

import (
	"errors"
	"strings"
	"testing"
)

// Of what is too long, or cannot be written, nothing is held, and what follows is
// written as ever.
func TestSaidForgets(t *testing.T) {
	var s Said[string]
	written := 0
	text := func(messages ...string) (string, error) {
		b, err := s.Text(messages, func(a, b *string) bool { return *a == *b }, func(b []byte, m *string) ([]byte, error) {
			if written++; *m == "bad" {
				return nil, errors.New("bad")
			}
			return append(b, *m...), nil
		})
		return string(b), err
	}
	long := strings.Repeat("x", maxKept+1)
	for _, row := range []struct {
		messages []string
		writes   int
		holds    int
		fails    bool
	}{
		{[]string{"a", "b"}, 2, 2, false},
		{[]string{"a", "b", "c"}, 1, 3, false},
		{[]string{"a", "c"}, 1, 2, false},
		{[]string{"a", "c", long}, 1, 0, false},
		{[]string{"a", "c"}, 2, 2, false},
		{[]string{"a", "bad"}, 1, 0, true},
		{[]string{"a"}, 1, 1, false},
		{nil, 0, 0, false},
	} {
		written = 0
		got, err := text(row.messages...)
		if want := strings.Join(row.messages, ","); (err != nil) != row.fails || err == nil && got != want {
			t.Errorf("%.60q: got %.60q, %v", row.messages, got, err)
		}
		if written != row.writes || len(s.messages) != row.holds || (cap(s.messages) > 0) != (row.holds > 0) || (s.text == nil) != (row.holds == 0) {
			t.Errorf("%.60q: %d were written, %d are held, %d bytes", row.messages, written, len(s.messages), len(s.text))
		}
	}
}
