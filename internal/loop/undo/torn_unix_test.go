//go:build unix

package undo_test

import (
	"encoding/binary"
	"os"
	"runtime"
	"testing"

	"agent/internal/loop/undo"
	"agent/internal/tools"
)

// editInPlace changes a file with a tool that writes to it, as all tools do if it has several hard
// links, and that gives it a mode. If killed is set, the program ends before the recorder sees the
// end of the call.
func (s *session) editInPlace(name, text string, mode os.FileMode, killed bool) {
	s.t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.call(1, tools.Call{Effect: tools.Write, Changes: []tools.Change{{Path: name, After: []byte(text)}}}, func(tools.Approved) tools.Result {
			s.write(name, text)
			s.must(os.Chmod(s.in(name), mode))
			if killed {
				runtime.Goexit()
			}
			return tools.Result{}
		})
	}()
	<-ended
}

// forgetDone removes the last record of the pack, which notes that an undo was applied.
func (s *session) forgetDone() {
	s.t.Helper()
	s.must(s.pack.Close())
	b, err := os.ReadFile(s.path)
	s.must(err)
	last := int(binary.LittleEndian.Uint32(b[len(b)-8:]))
	s.must(os.Truncate(s.path, int64(len(b)-last)))
	s.open()
}

// cuts returns the contents that a file can have while from is overwritten with to.
func cuts(from, to string) []string {
	all := []string{to}
	for n := range len(to) + 1 {
		all = append(all, to[:n]+from[min(n, len(from)):])
	}
	return all
}

// An undo that was killed while it wrote to a file with several hard links writes it again. The
// mode can be that before, without setuid and setgid, or that after.
func TestAKilledOverwriteIsFinished(t *testing.T) {
	for _, c := range []struct{ before, after string }{{"mine and long\n", "short\n"}, {"short\n", "edited and long\n"}, {"same\n", "size\n"}, {"aab", "aac"}, {"", "ab"}, {"ab", ""}} {
		for i, content := range cuts(c.after, c.before) {
			s := newSession(t, map[string]string{"f": c.before})
			s.must(os.Link(s.in("f"), s.in("other")))
			s.must(os.Chmod(s.in("f"), 0o755|os.ModeSetuid))
			before := s.tree()
			s.turn("1", func() { s.editInPlace("f", c.after, 0o700, false) })
			s.undo(undo.Back{})
			s.forgetDone()
			s.write("f", content)
			s.must(os.Chmod(s.in("f"), []os.FileMode{0o700, 0o755 | os.ModeSetuid, 0o755}[i%3]))
			out, err := s.restorer().Recover()
			s.must(err)
			if out == nil || len(out.Conflicts) > 0 {
				t.Errorf("%q to %q, interrupted at %q: %+v", c.after, c.before, content, out)
			}
			s.same(before, content)
		}
	}
}

// A file that is not what an interrupted overwrite leaves was changed by others.
func TestAChangeAfterAKilledOverwriteIsAConflict(t *testing.T) {
	for name, change := range map[string]func(s *session){
		"other content": func(s *session) { s.write("f", "miXe") },
		"truncated":     func(s *session) { s.write("f", "mi") },
		"appended":      func(s *session) { s.write("f", "miited\nmore") },
		"other mode":    func(s *session) { s.write("f", "miited\n"); s.must(os.Chmod(s.in("f"), 0o600)) },
		"other file":    func(s *session) { s.must(os.Rename(s.in("f"), s.in("g"))); s.write("f", "miited\n") },
	} {
		s := newSession(t, map[string]string{"f": "mine\n"})
		s.must(os.Link(s.in("f"), s.in("other")))
		s.turn("1", func() { s.editInPlace("f", "edited\n", 0o644, false) })
		s.undo(undo.Back{})
		s.forgetDone()
		change(s)
		want := s.tree()
		out, err := s.restorer().Recover()
		s.must(err)
		if out == nil || len(out.Conflicts) != 1 {
			t.Errorf("%s: %+v", name, out)
		}
		s.same(want, name)
	}
}

// A tool was killed while it wrote to a file with several hard links, or right after. Undo
// restores the file, and a redo brings back what the tool had left.
func TestUndoRestoresWhatAKilledToolWroteInPlace(t *testing.T) {
	for _, content := range cuts("mine and long\n", "edited\n")[1:] {
		s := newSession(t, map[string]string{"f": "mine and long\n"})
		s.must(os.Link(s.in("f"), s.in("other")))
		before := s.tree()
		s.turns++
		s.rec.BeginTurn(undo.Turn{Number: 1})
		s.editInPlace("f", content, 0o644, true)
		s.open()
		after := s.tree()
		if content == "mine and long\n" {
			continue
		}
		for range 2 {
			if out := s.undo(undo.Back{}); len(out.Restored) != 1 || len(out.Lost)+len(out.Conflicts) > 0 {
				t.Errorf("%q: %+v", content, out)
			}
			s.same(before, content)
			s.undo(undo.Back{Redo: true})
			s.same(after, content)
		}
	}
}
