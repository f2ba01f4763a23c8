package ink_test

import (
	"testing"

	"agent/internal/tui/ink"
)

func TestWordAt(t *testing.T) {
	for _, c := range []struct {
		line     string
		col      int
		from, to int
	}{
		{"a bc d", 2, 2, 3}, {"a bc d", 3, 2, 3}, {"a bc d", 4, 4, 4}, {"a bc d", 0, 0, 0}, {"a bc d", 5, 5, 5},
		{"a bc d", 9, 9, 9}, {"日本 x", 1, 0, 3}, {"日本 x", 4, 4, 4}, {"(x)", 0, 0, 0}, {"(x)", 1, 1, 1}, {"", 0, 0, 0},
	} {
		if from, to := ink.WordAt(c.line, c.col); from != c.from || to != c.to {
			t.Errorf("%q at %d: got %d to %d, want %d to %d", c.line, c.col, from, to, c.from, c.to)
		}
	}
}
