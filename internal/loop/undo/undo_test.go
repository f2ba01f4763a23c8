package undo_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history/blobs"
	"agent/internal/loop/event"
	"agent/internal/loop/undo"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/snapshot/scan"
)

// session is a session with a workspace, whose changes are recorded.
type session struct {
	t         testing.TB
	dir       string // the workspace
	path      string // of the pack
	pack      *blobs.Pack
	limit     blobs.Limits
	rec       *undo.Recorder
	turns     int
	calls     int
	scans     bool // commands without a supervisor are scanned
	unwatched bool // no command has a supervisor
	strict    bool // nobody approves the commands
	// full is called if the store is full; nil fails the test.
	full func()
}

// newSession returns a session in a new workspace that holds files.
func newSession(t testing.TB, files map[string]string) *session {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, dir: filepath.Join(top, "ws"), path: filepath.Join(top, "state", "id.undo")}
	for _, dir := range []string{s.dir, filepath.Dir(s.path)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		s.write(name, text)
	}
	s.open()
	t.Cleanup(func() {
		s.pack.Close()
		_ = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error { // some are read-only
			if d != nil && d.IsDir() {
				return os.Chmod(path, 0o755)
			}
			return err
		})
	})
	return s
}

// open opens the pack as a new program would.
func (s *session) open() {
	s.t.Helper()
	if s.pack != nil {
		s.pack.Close()
	}
	p, err := blobs.Open(s.path, s.limit)
	if err != nil {
		s.t.Fatal(err)
	}
	s.pack = p
	o := undo.Options{Pack: p, Path: s.path, Roots: []string{s.dir}, Watches: func() bool { return !s.unwatched }}
	if s.scans {
		o.Scan = scan.New(scan.Options{Roots: o.Roots, Store: p, Wait: time.Minute})
		s.t.Cleanup(o.Scan.Close)
	}
	s.rec = undo.NewRecorder(o)
}

func (s *session) in(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// write writes a file without recording it.
func (s *session) write(name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.in(name)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.in(name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// turn runs a turn.
func (s *session) turn(prompt string, do func()) *event.FilesChanged {
	s.t.Helper()
	s.turns++
	s.rec.BeginTurn(undo.Turn{Number: s.turns, At: 10 * s.turns, Prompt: prompt, Time: time.Unix(int64(s.turns), 0)})
	do()
	changed, err := s.rec.EndTurn(func() {})
	s.store(err)
	return changed
}

// store checks the error of adding something to the pack.
func (s *session) store(err error) {
	s.t.Helper()
	if errors.Is(err, blobs.ErrFull) && s.full != nil {
		s.full()
		return
	}
	s.must(err)
}

// edit changes files with a tool. A nil content removes a file.
func (s *session) edit(files map[string]*string) *event.FilesChanged {
	s.t.Helper()
	var changes []tools.Change
	for name, text := range files {
		c := tools.Change{Path: name}
		if text != nil {
			c.After = []byte(*text)
		}
		changes = append(changes, c)
	}
	return s.call(1, tools.Call{Effect: tools.Write, Changes: changes}, func(tools.Approved) tools.Result {
		for name, text := range files {
			if text == nil {
				s.must(os.Remove(s.in(name)))
			} else {
				s.write(name, *text)
			}
		}
		return tools.Result{}
	})
}

// command is a command of the model, whose supervisor keeps what it changes.
type command struct {
	s     *session
	id    string
	order *snapshot.Order
	kept  map[string]bool
}

// run runs a command of the model.
func (s *session) run(do func(c *command)) *event.FilesChanged {
	s.t.Helper()
	return s.call(1, tools.Call{Effect: tools.Execute}, func(ok tools.Approved) tools.Result {
		do(&command{s, ok.Snapshot.Call, ok.Snapshot, map[string]bool{}})
		return tools.Result{}
	})
}

// call runs a call through the recorder, and returns what it changed.
func (s *session) call(step int, c tools.Call, run func(tools.Approved) tools.Result) *event.FilesChanged {
	s.t.Helper()
	s.calls++
	in := tools.Info{ID: "call-" + strconv.Itoa(s.turns) + "-" + strconv.Itoa(s.calls), Step: step}
	ok := tools.Approved{Changes: c.Changes}
	ok.Access.Strict = s.strict
	_, err := s.rec.Run(context.Background(), in, c, ok, func(_ context.Context, _ tools.Call, ok tools.Approved) (tools.Result, error) {
		return run(ok), nil
	})
	s.must(err)
	return s.rec.Changed(in.ID)
}

// touch keeps what is at a path, like the supervisor of a command.
func (c *command) touch(name string) string {
	c.s.t.Helper()
	path := c.s.in(name)
	if c.kept[path] {
		return path
	}
	c.kept[path] = true
	root, err := os.OpenRoot(c.s.dir)
	c.s.must(err)
	defer root.Close()
	c.s.store(c.s.pack.Append(snapshot.Touched{Call: c.id, Path: path, Before: snapshot.Take(root, filepath.ToSlash(name), c.s.pack)}))
	return path
}

func (c *command) write(name, text string) {
	c.s.t.Helper()
	if dir := filepath.Dir(name); dir != "." {
		if _, err := os.Lstat(c.s.in(dir)); err != nil {
			c.mkdir(dir)
		}
	}
	c.s.must(os.WriteFile(c.touch(name), []byte(text), 0o644))
}

func (c *command) mkdir(name string) {
	if dir := filepath.Dir(name); dir != "." {
		if _, err := os.Lstat(c.s.in(dir)); err != nil {
			c.mkdir(dir)
		}
	}
	c.s.must(os.Mkdir(c.touch(name), 0o755))
}

// remove removes a tree, like rm -rf.
func (c *command) remove(name string) {
	entries, _ := os.ReadDir(c.s.in(name))
	if info, err := os.Lstat(c.s.in(name)); err == nil && info.IsDir() {
		for _, e := range entries {
			c.remove(filepath.Join(name, e.Name()))
		}
	}
	c.s.must(os.Remove(c.touch(name)))
}

func (c *command) link(name, target string) {
	path := c.touch(name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.s.t.Fatal(err)
	}
	c.s.must(os.Symlink(target, path))
}

func (c *command) chmod(name string, mode fs.FileMode) { c.s.must(os.Chmod(c.touch(name), mode)) }

func (s *session) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// restorer returns a restorer as a new program would use it.
func (s *session) restorer() *undo.Restorer { return undo.NewRestorer(s.pack, []string{s.dir}) }

// plan plans to go back.
func (s *session) plan(b undo.Back) *undo.Plan {
	s.t.Helper()
	p, err := s.restorer().Plan(context.Background(), b)
	s.must(err)
	return p
}

// undo goes back.
func (s *session) undo(b undo.Back) event.Undone {
	s.t.Helper()
	out, err := s.restorer().Apply(context.Background(), s.plan(b))
	s.must(err)
	return out
}

// tree returns the files below the workspace: contents of files, targets of links, and
// the modes of both and of directories.
func (s *session) tree() map[string]string {
	s.t.Helper()
	return treeOf(s.t, s.dir)
}

func treeOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(b)
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text = "link " + to
		}
		rel, err := filepath.Rel(dir, path)
		tree[filepath.ToSlash(rel)] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// same checks that the workspace holds a tree.
func (s *session) same(want map[string]string, when string) {
	s.t.Helper()
	if d := cmp.Diff(want, s.tree()); d != "" {
		s.t.Errorf("%s (-want +got):\n%s", when, d)
	}
}

func text(s string) *string { return &s }

func TestUndoAndRedoRestoreEveryKindOfChange(t *testing.T) {
	start := map[string]string{
		"main.go": "package main\n", "src/a.go": "a\n", "src/deep/b.go": "b\n", "run.sh": "#!/bin/sh\n", "old/x": "x\n", "old/y": "y\n", "both": "is a file\n",
	}
	turns := map[string]func(s *session){
		"edit, create and remove by tools": func(s *session) {
			got := s.edit(map[string]*string{"main.go": text("package main\n\nfunc main() {}\n"), "new/deep/c.go": text("c\n"), "src/a.go": nil})
			if got == nil || got.Files != 3 || got.Added != 3 || got.Removed != 1 {
				s.t.Errorf("summary %+v", got)
			}
		},
		"rm -rf": func(s *session) {
			if got := s.run(func(c *command) { c.remove("src") }); got == nil || got.Files != 2 || got.Removed != 2 {
				s.t.Errorf("summary %+v", got)
			}
		},
		"mode": func(s *session) { s.run(func(c *command) { c.chmod("run.sh", 0o755); c.chmod("src/deep", 0o700) }) },
		"read-only trees": func(s *session) {
			s.run(func(c *command) { c.chmod("src/a.go", 0o444); c.remove("old/x"); c.chmod("old", 0o555) })
		},
		"links": func(s *session) {
			s.run(func(c *command) { c.link("l", "main.go"); c.link("src/a.go", "/etc/passwd") })
			s.run(func(c *command) { c.link("l", "elsewhere") })
		},
		"rename of a directory": func(s *session) {
			s.run(func(c *command) {
				for _, name := range []string{"old", "old/x", "old/y", "new", "new/x", "new/y"} {
					c.touch(name)
				}
				s.must(os.Rename(s.in("old"), s.in("new")))
			})
		},
		"a directory becomes a file": func(s *session) { s.run(func(c *command) { c.remove("src"); c.write("src", "file\n") }) },
		"a file becomes a directory": func(s *session) { s.run(func(c *command) { c.remove("both"); c.write("both/inside", "x\n") }) },
		"a directory becomes a link": func(s *session) {
			s.run(func(c *command) { c.remove("src"); c.link("src", "old") })
		},
		"several calls on a file": func(s *session) {
			s.edit(map[string]*string{"main.go": text("1\n")})
			s.run(func(c *command) { c.write("main.go", "2\n"); c.write("tmp", "t\n"); c.remove("tmp") })
			s.edit(map[string]*string{"main.go": text("3\n"), "empty": text("")})
		},
		"empty directories": func(s *session) { s.run(func(c *command) { c.mkdir("a/b/c") }) },
	}
	for name, turn := range turns {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, start)
			before := s.tree()
			s.turn(name, func() { turn(s) })
			after := s.tree()
			if cmp.Equal(before, after) {
				t.Fatal("the turn changed nothing")
			}
			for range 2 {
				s.open()
				out := s.undo(undo.Back{})
				s.same(before, "after undo")
				if len(out.Conflicts)+len(out.Lost)+len(out.Merged) > 0 || len(out.Restored) == 0 || out.Turns != 1 {
					t.Errorf("undo: %+v", out)
				}
				if p := s.plan(undo.Back{}); len(p.Items) > 0 || p.Why == "" {
					t.Errorf("a second undo has a plan: %+v", p)
				}
				out = s.undo(undo.Back{Redo: true})
				s.same(after, "after redo")
				if len(out.Conflicts)+len(out.Lost)+len(out.Merged) > 0 || out.Turns != 1 {
					t.Errorf("redo: %+v", out)
				}
				if p := s.plan(undo.Back{Redo: true}); len(p.Items) > 0 {
					t.Errorf("a second redo has a plan: %+v", p)
				}
			}
		})
	}
}
