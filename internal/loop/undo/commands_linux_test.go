package undo_test

import (
	"os"
	"path/filepath"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/undo"
	"agent/internal/tools"
	"agent/internal/tools/confine"
	"agent/internal/tools/shell"
	"agent/internal/tools/shell/sandbox"
)

// TestRealCommandsAreUndone runs commands in the sandbox, whose supervisor keeps what
// they change.
func TestRealCommandsAreUndone(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many commands, and runs without -short")
	}
	if r := sandbox.Probe(); r.Form != sandbox.Complete || !r.Notify {
		t.Skipf("commands cannot be watched here: %+v", r)
	}
	lines := map[string]string{
		"rm -rf of a tree":           "rm -rf src",
		"redirects":                  "echo x >main; echo y >>src/a; : >src/deep/b; echo n >new",
		"sed -i":                     "sed -i s/1/one/ main src/a src/deep/b",
		"mv over a file":             "mv main src/a",
		"rename of a directory":      "mv src elsewhere",
		"rename and change":          "mv src elsewhere && echo x >elsewhere/deep/b && mkdir src && echo new >src/a",
		"a directory into another":   "mkdir to && mv src to/",
		"links":                      "ln -s main l; ln -sf nowhere src/a; rm link; ln -s src link",
		"modes":                      "chmod 755 main; chmod -R a-w src; chmod 700 src/deep",
		"directories":                "mkdir -p a/b/c; rmdir a/b/c; rm -r src/deep; mkdir src/deep",
		"a file becomes a directory": "rm main && mkdir -p main/inside && echo x >main/inside/f",
		"cp -r and tar":              "cp -r src copy && tar cf t.tar src && rm -rf src && tar xf t.tar",
		"touched but not changed":    "touch main; cat main >t && cat t >main && rm t; echo z >src/a",
	}
	for name, line := range lines {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"main": ten, "src/a": "1\n", "src/deep/b": "1\n"})
			s.must(os.Symlink("main", s.in("link")))
			before := s.tree()
			s.turn(name, func() { s.shell(line) })
			after := s.tree()
			if out := s.undo(undo.Back{}); len(out.Lost)+len(out.Conflicts) > 0 {
				t.Errorf("undo: %+v", out)
			}
			s.same(before, "after undo")
			if out := s.undo(undo.Back{Redo: true}); len(out.Lost)+len(out.Conflicts) > 0 {
				t.Errorf("redo: %+v", out)
			}
			s.same(after, "after redo")
		})
	}
}

// shell runs a line in the sandbox.
func (s *session) shell(line string) *event.FilesChanged {
	s.t.Helper()
	box := sandbox.NewSession(sandbox.Complete)
	defer box.Close()
	area := confine.New(confine.Options{
		Workspace: s.dir, UserPaths: sandbox.UserPaths{Home: filepath.Dir(s.dir), Env: os.Getenv}, Session: func() *sandbox.Session { return box },
		Fixed: func() []string { return nil },
	})
	return s.call(1, tools.Call{Effect: tools.Execute}, func(ok tools.Approved) tools.Result {
		guard := area.Begin(confine.Extent{})
		r, err := shell.Run(s.t.Context(), shell.Command{
			Line: line, Dir: s.dir, Env: os.Environ(), Keep: 1 << 20, Snapshot: ok.Snapshot, Limits: shell.Limits{Sandbox: guard.Profile()},
		})
		s.must(err)
		guard.End()
		if r.Code != 0 || r.Kept.Problem != "" {
			s.t.Errorf("%s: exit %d: %s, kept %+v", line, r.Code, r.Output, r.Kept)
		}
		return tools.Result{}
	})
}
