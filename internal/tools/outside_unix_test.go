//go:build unix

package tools_test

import (
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// newWide returns a workspace that accepts paths outside it, and a directory that
// holds it as "proj" and the home directory as "home".
func newWide(t *testing.T, files map[string]string) (*workspace.Workspace, string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"proj", "home"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		writeFile(t, filepath.Join(top, name), text)
	}
	ws, err := workspace.Open(filepath.Join(top, "proj"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	ws.AllowOutside(filepath.Join(top, "home"))
	ws.Withhold(func(path string) bool { return filepath.Base(path) == ".env" })
	return ws, top
}

// link makes a symbolic link.
func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// replace moves a file away and makes a symbolic link in its place.
func replace(t *testing.T, name, target string) {
	t.Helper()
	if err := os.Rename(name, name+".moved"); err != nil {
		t.Fatal(err)
	}
	link(t, target, name)
}

// known prepares a call of a tool that has a ledger.
func known(t *testing.T, ws *workspace.Workspace, l *workspace.Ledger, name string, args any) (tools.Call, error) {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Files(ws, l) {
		if tool.Spec().Name == name {
			return tool.Prepare(t.Context(), b)
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tools.Call{}, nil
}

func contains(t *testing.T, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: got %q, want %q in it", what, got, want)
	}
}

// TestTargetsOutside checks that every tool declares the file that it would open, by its
// path without symbolic links and by the name that the model used.
func TestTargetsOutside(t *testing.T) {
	ws, top := newWide(t, map[string]string{"other/a.txt": "other\n", "home/n.txt": "home\n", "proj/in.txt": "in\n", "proj-evil/x.txt": "x\n", "proj/.env": "K=1\n"})
	at := func(name string) string { return filepath.Join(top, name) }
	link(t, "other", at("alias"))
	link(t, at("proj/in.txt"), at("other/back"))
	link(t, ".env", at("proj/settings"))
	for name, want := range map[string]tools.Target{
		at("other/a.txt"):                 {Kind: tools.Path, Value: at("other/a.txt")},
		at("proj/../other/a.txt"):         {Kind: tools.Path, Value: at("other/a.txt")},
		at("alias/a.txt"):                 {Kind: tools.Path, Value: at("other/a.txt"), Spelled: []string{at("alias/a.txt")}},
		"~/n.txt":                         {Kind: tools.Path, Value: at("home/n.txt")},
		"~/../alias/a.txt":                {Kind: tools.Path, Value: at("other/a.txt"), Spelled: []string{at("alias/a.txt")}},
		at("proj-evil/x.txt"):             {Kind: tools.Path, Value: at("proj-evil/x.txt")},
		at("other/back"):                  {Kind: tools.Path, Value: "in.txt", Spelled: []string{at("other/back")}},
		at("proj/in.txt"):                 {Kind: tools.Path, Value: "in.txt"},
		"settings":                        {Kind: tools.Path, Value: ".env", Spelled: []string{"settings"}},
		filepath.Join(ws.Dir(), "in.txt"): {Kind: tools.Path, Value: "in.txt"},
	} {
		for tool, args := range map[string]obj{
			"read": {"path": name}, "search": {"path": name, "pattern": "."}, "write": {"path": name, "content": "new"},
		} {
			c, err := prepare(t, ws, tool, args)
			if err != nil {
				t.Errorf("%s %s: %v", tool, name, err)
			} else if diff := cmp.Diff(c.Targets, []tools.Target{want}); diff != "" {
				t.Errorf("%s %s: got (-), want (+):\n%s", tool, name, diff)
			}
		}
	}
	for tool, args := range map[string]obj{"list": {"path": at("alias")}, "glob": {"path": at("alias"), "pattern": "*"}, "search": {"path": at("alias"), "pattern": "x"}} {
		c, err := prepare(t, ws, tool, args)
		want := []tools.Target{{Kind: tools.Path, Value: at("other"), Spelled: []string{at("alias")}}}
		if err != nil {
			t.Errorf("%s: %v", tool, err)
		} else if diff := cmp.Diff(c.Targets, want); diff != "" {
			t.Errorf("%s: got (-), want (+):\n%s", tool, diff)
		}
	}
}

// A path that leads out of the workspace by ".." or through a link in it declares the same
// file as its absolute path.
func TestTargetsOutsideByRelativePaths(t *testing.T) {
	ws, top := newWide(t, map[string]string{"other/a.txt": "other\n", "other/sub/b.txt": "b\n", "home/n.txt": "home\n", "proj/d/in.txt": "in\n"})
	at := func(name string) string { return filepath.Join(top, name) }
	link(t, at("other"), at("proj/away"))
	link(t, "../../other/a.txt", at("proj/d/one"))
	link(t, at("proj/away/sub"), at("proj/twice"))
	link(t, at("other/missing"), at("proj/dangling"))
	for name, want := range map[string]string{
		"../other/a.txt": "other/a.txt", "d/../../other/a.txt": "other/a.txt", "away/a.txt": "other/a.txt", "d/one": "other/a.txt",
		"twice/b.txt": "other/sub/b.txt", at("proj/away/a.txt"): "other/a.txt", "~": "home", "..": "", "../proj/d/one": "other/a.txt",
	} {
		for _, tool := range []string{"read", "list", "glob", "search"} {
			c, err := prepare(t, ws, tool, obj{"path": name, "pattern": "x"})
			switch {
			case tool == "list" && strings.HasSuffix(want, ".txt"):
			case err != nil:
				t.Errorf("%s %s: %v", tool, name, err)
			case c.Effect != tools.Read || c.Targets[0].Value != at(want):
				t.Errorf("%s %s: %s %+v", tool, name, c.Effect, c.Targets)
			}
		}
	}
	for _, name := range []string{"@away/a.txt", "@../other/a.txt", "file://" + at("other/a.txt"), "file:" + at("other/a.txt"), "file://localhost" + at("other/%61.txt")} {
		if c, err := prepare(t, ws, "read", obj{"path": name}); err != nil || c.Targets[0].Value != at("other/a.txt") {
			t.Errorf("read %s: %+v, %v", name, c.Targets, err)
		}
	}
	for name, want := range map[string]string{"dangling": "is outside the working directory", "../none": "does not exist"} {
		if c, err := prepare(t, ws, "read", obj{"path": name}); err == nil {
			t.Errorf("read %s: %+v", name, c.Targets)
		} else {
			contains(t, name, err.Error(), want)
		}
	}
}

func TestReadOutside(t *testing.T) {
	ws, top := newWide(t, map[string]string{"other/a.txt": "one\ntwo\n", "other/sub/b.go": "two\n", "secret/s.txt": "two\n"})
	other := filepath.Join(top, "other")
	link(t, "../secret", filepath.Join(other, "out"))
	for _, c := range []struct {
		tool string
		args obj
		want string
	}{
		{"read", obj{"path": other + "/a.txt", "offset": 2}, "2\ttwo\n(end of the file)\n"},
		{"read", obj{"path": other}, other + "/\n  a.txt\n  out -> ../secret\n  sub/\n"},
		{"list", obj{"path": other}, other + "/\n  a.txt\n  out -> ../secret\n  sub/\n    b.go\n"},
		{"glob", obj{"path": other, "pattern": "*.go"}, other + "/sub/b.go\n"},
		{"glob", obj{"path": other, "pattern": "sub/*.go"}, other + "/sub/b.go\n"},
		{"search", obj{"path": other, "pattern": "two"}, other + "/a.txt\n2: two\n\n" + other + "/sub/b.go\n1: two\n\n2 matches in 2 files.\n"},
		{"search", obj{"path": other + "/sub/b.go", "pattern": "two"}, other + "/sub/b.go\n1: two\n\n1 match in 1 file.\n"},
	} {
		if diff := cmp.Diff(textOf(call(t, ws, c.tool, c.args)), c.want); diff != "" {
			t.Errorf("%s %v: got (-), want (+):\n%s", c.tool, c.args, diff)
		}
	}
}

// TestOddPathsOutside checks that names which are no file to read or write are errors,
// without a wait.
func TestOddPathsOutside(t *testing.T) {
	ws, top := newWide(t, map[string]string{"other/f": "x\n"})
	at := func(name string) string { return filepath.Join(top, "other", name) }
	link(t, "pool", at("loop"))
	link(t, "loop", at("pool"))
	link(t, "missing", at("dangling"))
	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("/tmp", "sock-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	sock := filepath.Join(short, "sock")
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]string{
		at("fifo"):                      "is a FIFO (named pipe), not a regular file",
		sock:                            "is a socket, not a regular file",
		at("loop"):                      "too many links",
		at("f/x"):                       "not a directory",
		"/dev/zero":                     "is not a file on a disk",
		"/dev/null":                     "is not a file on a disk",
		"/proc/self/environ":            "is not a file on a disk",
		"/sys/kernel/x":                 "is not a file on a disk",
		at("a\x00b"):                    "control character",
		at(strings.Repeat("n", 3000)):   "name too long",
		at(strings.Repeat("d/", 50000)): "the path is longer than",
		at(strings.Repeat("d/", 2048)):  "the path is longer than",
	} {
		for tool, args := range map[string]obj{"read": {"path": name}, "write": {"path": name, "content": "new"}} {
			r, err := call(t, ws, tool, args)
			if err == nil {
				t.Errorf("%s %.80s: got %q, want an error", tool, name, r.Text)
				continue
			}
			if name == "/proc/self/environ" && strings.Contains(err.Error(), "=") {
				t.Errorf("got %v, want nothing of the environment", err)
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s %.80s: got %.200v, want %s", tool, name, err, want)
			}
		}
	}
	for _, name := range []string{at("dangling"), at("none")} {
		if _, err := call(t, ws, "read", obj{"path": name}); err == nil || !strings.HasSuffix(err.Error(), "does not exist") {
			t.Errorf("read %s: got %v, want that it does not exist, without similar names", name, err)
		}
	}
	for _, name := range []string{"../other/f", "a/../../other/f"} {
		if _, err := call(t, ws, "write", obj{"path": name, "content": "new"}); err == nil || !strings.Contains(err.Error(), "give its absolute path") {
			t.Errorf("write %s: got %v", name, err)
		}
	}
	if _, err := call(t, ws, "write", obj{"path": top, "content": "new"}); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("write to a directory: got %v", err)
	}
	if _, err := os.Lstat(at("missing")); err == nil {
		t.Error("a dangling link was written through")
	}
}

// TestSwapOutside replaces a file or a directory by a symbolic link after a call was
// prepared. The call then fails, and neither shows nor changes the target of the link.
func TestSwapOutside(t *testing.T) {
	for name, swap := range map[string]string{"the file": "other/d/f", "its directory": "other/d", "a directory above": "other"} {
		t.Run(name, func(t *testing.T) {
			for tool, args := range map[string]obj{
				"read": {}, "search": {"pattern": "."}, "list": {}, "glob": {"pattern": "*"},
				"write": {"content": "planted\n"}, "edit": {"old": "mine", "new": "planted"},
			} {
				ws, top := newWide(t, map[string]string{"other/d/f": "mine\n", "evil/f": "evil\n", "evil/d/f": "evil\n", "other/d/g": "evil\n"})
				target := filepath.Join(top, "evil")
				args["path"] = filepath.Join(top, "other/d/f")
				switch {
				case tool == "list" || tool == "glob":
					args["path"] = filepath.Join(top, "other/d")
					if name == "the file" {
						continue
					}
				case name == "the file":
					target = "g"
				}
				c, err := prepare(t, ws, tool, args)
				if err != nil {
					t.Fatal(err)
				}
				replace(t, filepath.Join(top, swap), target)
				r, err := c.Run(t.Context(), tools.Approved{Changes: c.Changes})
				if err == nil {
					t.Errorf("%s: got %q, want an error", tool, r.Text)
				}
				for _, file := range []string{"evil/f", "evil/d/f", "other/d/g", "other.moved/d/g", "other/d.moved/g"} {
					if b, err := os.ReadFile(filepath.Join(top, file)); err == nil && string(b) != "evil\n" {
						t.Errorf("%s: %s holds %q", tool, file, b)
					}
				}
			}
		})
	}
}

func TestWriteOutside(t *testing.T) {
	ws, top := newWide(t, map[string]string{"other/a.txt": "one\r\ntwo", "other/real": "linked\n", "proj/in.txt": "in\n"})
	at := func(name string) string { return filepath.Join(top, "other", name) }
	if err := os.Chmod(at("a.txt"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(at("real"), at("hard")); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, ws, "edit", obj{"path": at("a.txt"), "old": "two", "new": "2"}); err != nil {
		t.Error(err)
	}
	if _, err := call(t, ws, "write", obj{"path": at("new/deep/b.txt"), "content": "b\n"}); err != nil {
		t.Error(err)
	}
	if r, err := call(t, ws, "write", obj{"path": at("hard"), "content": "mine\n"}); err != nil || r.Changes[0].Path != at("hard") {
		t.Errorf("got %v, %v", r.Changes, err)
	}
	if _, err := call(t, ws, "patch", patchOf("*** Update File: in.txt", "*** Move to: "+at("moved.txt"), "@@", "-in", "+out", "*** Add File: c.txt", "+c")); err != nil {
		t.Error(err)
	}
	if _, err := call(t, ws, "write", obj{"path": at("x/.git/hooks/pre-commit"), "content": "x"}); err == nil || !strings.Contains(err.Error(), "is in the .git directory") {
		t.Errorf("got %v, want it rejected", err)
	}
	got := map[string]string{}
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, err := os.ReadFile(p)
			rel, _ := filepath.Rel(top, p)
			got[rel] = string(b)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"other/a.txt": "one\r\n2", "other/new/deep/b.txt": "b\n", "other/real": "linked\n", "other/hard": "mine\n", "other/moved.txt": "out\n", "proj/c.txt": "c\n",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	if info, err := os.Stat(at("a.txt")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("got mode %v, %v, want 0750", info.Mode(), err)
	}
}

// TestCommitOutsideIsAllOrNothing changes files in two directories, of which one
// changes before the commit.
func TestCommitOutsideIsAllOrNothing(t *testing.T) {
	ws, top := newWide(t, map[string]string{"proj/a": "a\n", "one/b": "b\n", "two/c": "c\n"})
	files := []string{filepath.Join(top, "proj/a"), filepath.Join(top, "one/b"), filepath.Join(top, "two/c")}
	var lines []string
	for _, file := range files {
		lines = append(lines, "*** Update File: "+file, "@@", "-"+filepath.Base(file), "+changed")
	}
	c, err := prepare(t, ws, "patch", patchOf(lines...))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, files[2], "user\n")
	if _, err := c.Run(t.Context(), tools.Approved{Changes: c.Changes}); err == nil || !strings.Contains(err.Error(), "none of the 3 files was changed") {
		t.Errorf("got %v, want none changed", err)
	}
	for i, want := range []string{"a\n", "b\n", "user\n"} {
		if b, err := os.ReadFile(files[i]); string(b) != want {
			t.Errorf("%s: got %q, %v, want %q", files[i], b, err, want)
		}
		if entries, err := os.ReadDir(filepath.Dir(files[i])); len(entries) != 1 {
			t.Errorf("%s: got %v, %v, want no temporary file", files[i], entries, err)
		}
	}
}

// TestErrorsDoNotShowGuardedFiles checks that an edit cannot be used to see a file that
// needs approval to be read.
func TestErrorsDoNotShowGuardedFiles(t *testing.T) {
	ws, top := newWide(t, map[string]string{"other/f": "password: hunter2\n", "proj/.env": "password=hunter2\n", "proj/f": "password: hunter2\n"})
	link(t, ".env", filepath.Join(top, "proj/settings"))
	l := workspace.NewLedger()
	names := []string{filepath.Join(top, "other/f"), ".env", "settings"}
	for _, name := range names {
		for tool, args := range map[string]obj{
			"edit":  {"path": name, "old": "password: hunter1", "new": "x"},
			"patch": patchOf("*** Update File: "+name, "@@", "-password: hunter1", "+x"),
		} {
			_, err := known(t, ws, l, tool, args)
			if err == nil || !strings.Contains(err.Error(), "was not read in this conversation") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s %s: got %v, want that it was not read", tool, name, err)
			}
		}
	}
	if _, err := known(t, ws, l, "edit", obj{"path": "f", "old": "password: hunter1", "new": "x"}); err == nil || !strings.Contains(err.Error(), "hunter2") {
		t.Errorf("an ordinary file: got %v, want the similar text", err)
	}
	for i, name := range names[:2] {
		c, err := known(t, ws, l, "read", obj{"path": name})
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), tools.Approved{})
		if err != nil {
			t.Fatal(err)
		}
		l.Add(i+1, r.Reads...)
	}
	if _, err := known(t, ws, l, "edit", obj{"path": names[0], "old": "hunter2", "new": "x"}); err != nil {
		t.Errorf("a file that was read: %v", err)
	}
	for i, file := range []string{"other/f", "proj/.env"} {
		writeFile(t, filepath.Join(top, file), "password=swordfish\n")
		_, err := known(t, ws, l, "edit", obj{"path": names[i], "old": "hunter2", "new": "x"})
		if err == nil || !strings.Contains(err.Error(), "has changed since it was last read") || strings.Contains(err.Error(), "swordfish") {
			t.Errorf("%s: got %v, want that it has changed, without its content", file, err)
		}
	}
}

// TestSearchSkipsSecrets checks that a search below a directory does not show files that
// may hold secrets, and says so.
func TestSearchSkipsSecrets(t *testing.T) {
	ws, top := newWide(t, map[string]string{"proj/.env": "KEY=1\n", "proj/sub/.env": "KEY=2\n", "proj/a.txt": "KEY=3\n", "home/.env": "KEY=4\n"})
	got := textOf(call(t, ws, "search", obj{"pattern": "KEY"}))
	want := "a.txt\n1: KEY=3\n\n1 match in 1 file.\nNot searched: 2 files that may hold secrets, such as .env.\n"
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	contains(t, "a glob for them", textOf(call(t, ws, "search", obj{"pattern": "KEY", "glob": ".env"})), "Not searched: 2 files")
	contains(t, "outside", textOf(call(t, ws, "search", obj{"pattern": "KEY", "path": filepath.Join(top, "home")})), "Not searched: 1 file")
	contains(t, "a file by name", textOf(call(t, ws, "search", obj{"pattern": "KEY", "path": ".env"})), "1: KEY=1")
	contains(t, "its name", textOf(call(t, ws, "glob", obj{"pattern": ".env"})), "sub/.env")
}

// TestAddedDirectory checks that a directory that was added is like the workspace, and
// that links which lead out of it are files outside.
func TestAddedDirectory(t *testing.T) {
	ws, top := newWide(t, map[string]string{"lib/a.go": "package a\n", "other/f": "x\n", "lib/permissions.key": "key\n"})
	link(t, "lib", filepath.Join(top, "alias"))
	lib := filepath.Join(top, "lib")
	link(t, "../other/f", filepath.Join(lib, "out"))
	if err := ws.Add(filepath.Join(top, "alias")); err != nil {
		t.Fatal(err)
	}
	ws.Hide(filepath.Join(lib, "permissions.key"))
	if diff := cmp.Diff(ws.Added(), []string{lib}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	if _, err := known(t, ws, workspace.NewLedger(), "edit", obj{"path": lib + "/a.go", "old": "package a", "new": "package b"}); err != nil {
		t.Errorf("edit: %v", err)
	}
	contains(t, "a missing file", textOf(call(t, ws, "read", obj{"path": lib + "/b.go"})), "Similar names: "+lib+"/a.go")
	if c, err := prepare(t, ws, "read", obj{"path": lib + "/out"}); err != nil || c.Targets[0].Value != filepath.Join(top, "other/f") {
		t.Errorf("a link out: %+v, %v", c.Targets, err)
	}
	contains(t, "a change by a link out", textOf(call(t, ws, "write", obj{"path": lib + "/out", "content": "y\n"})), "is outside "+lib)
	contains(t, "the key", textOf(call(t, ws, "read", obj{"path": lib + "/permissions.key"})), "tools cannot read or change it")
	if got := textOf(call(t, ws, "search", obj{"pattern": ".", "path": filepath.Join(top, "alias")})); strings.Contains(got, "key") {
		t.Errorf("search: got %s, want nothing of the key", got)
	}
	if _, err := call(t, ws, "write", obj{"path": "lib/x", "content": "x\n"}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(top, "proj/lib/x")); err != nil {
		t.Errorf("a relative path is relative to the workspace: %v", err)
	}
}

// TestHiddenFileOutside checks that the key of permissions cannot be read outside the
// workspace either.
func TestHiddenFileOutside(t *testing.T) {
	ws, top := newWide(t, map[string]string{"state/permissions.key": "secret key\n", "state/log": "log\n"})
	file := filepath.Join(top, "state/permissions.key")
	ws.Hide(file)
	link(t, file, filepath.Join(top, "home/link"))
	for _, name := range []string{file, "~/link"} {
		for tool, args := range map[string]obj{"read": {}, "search": {"pattern": "."}, "write": {"content": "x"}} {
			args["path"] = name
			contains(t, tool, textOf(call(t, ws, tool, args)), "tools cannot read or change it")
		}
	}
	for _, dir := range []string{"state", "."} {
		got := textOf(call(t, ws, "search", obj{"pattern": ".", "path": filepath.Join(top, dir)}))
		if strings.Contains(got, "secret key") || !strings.Contains(got, "1: log") {
			t.Errorf("search %s: got %q", dir, got)
		}
	}
}
