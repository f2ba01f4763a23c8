package undo_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"agent/internal/loop/undo"
)

// BenchmarkUndo1000Files undoes and redoes a command that rewrote 1,000 files of 6 KB.
func BenchmarkUndo1000Files(b *testing.B) {
	s := newSession(b, nil)
	name := func(i int) string { return "dir" + strconv.Itoa(i%50) + "/file" + strconv.Itoa(i) }
	body := strings.Repeat("some text of a line\n", 300)
	for i := range 1000 {
		s.write(name(i), strconv.Itoa(i)+body)
	}
	s.turn("format", func() {
		s.run(func(c *command) {
			for i := range 1000 {
				c.write(name(i), "formatted "+strconv.Itoa(i)+body)
			}
		})
	})
	back := undo.Back{}
	for b.Loop() {
		p := s.plan(back)
		out, err := s.restorer().Apply(context.Background(), p)
		if err != nil || len(out.Restored) != 1000 {
			b.Fatalf("%d files restored: %v", len(out.Restored), err)
		}
		back.Redo = !back.Redo
	}
}
