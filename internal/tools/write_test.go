//go:build unix

package tools_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
)

func TestEditKeepsEveryOtherByte(t *testing.T) {
	for name, c := range map[string]struct{ before, old, new, want string }{
		"crlf":             {"a\r\nb\r\nc\r\n", "b", "B", "a\r\nB\r\nc\r\n"},
		"crlf across":      {"a\r\nb\r\nc\r\n", "a\r\nb", "x", "x\r\nc\r\n"},
		"mixed endings":    {"a\nb\r\nc\rd", "c", "C", "a\nb\r\nC\rd"},
		"byte order mark":  {"\ufeffa = 1\n", "a = 1", "a = 2", "\ufeffa = 2\n"},
		"no final newline": {"a\nb", "b", "c", "a\nc"},
		"final newlines":   {"a\n\n\n", "a", "b", "b\n\n\n"},
		"invalid utf-8":    {"\xfd\xfea\x81", "a", "b", "\xfd\xfeb\x81"},
		"utf-16":           {"\xff\xfea\x80", "\u8061", "b", "\xff\xfeb\x00"},
		"nul":              {"\x00a\x00", "a", "b", "\x00b\x00"},
		"tabs and blanks":  {"\ta \t\n", "a", "b", "\tb \t\n"},
	} {
		t.Run(name, func(t *testing.T) {
			ws, dir := newWorkspace(t, map[string]string{"f": c.before})
			if _, err := call(t, ws, "edit", obj{"path": "f", "old": c.old, "new": c.new}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(contents(t, dir), map[string]string{"f": c.want}); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	ws, dir := newWorkspace(t, map[string]string{"script.sh": "echo a\n", "shut": "a\n"})
	for name, mode := range map[string]fs.FileMode{"script.sh": 0o755, "shut": 0o600} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		if _, err := call(t, ws, "edit", obj{"path": name, "old": "a\n", "new": "b\n"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := call(t, ws, "write", obj{"path": "new/file", "content": "x"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]fs.FileMode{"script.sh": 0o755, "shut": 0o600, "new": 0o750, "new/file": 0o640}
	got := map[string]fs.FileMode{}
	for name := range want {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = info.Mode().Perm()
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestReadOnlyIsRespected(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"f": "a\n", "dir/g": "a\n"})
	if err := os.Chmod(filepath.Join(dir, "f"), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, ws, "write", obj{"path": "f", "content": "b"}); err == nil || !strings.Contains(err.Error(), "read-only (mode 0444)") {
		t.Errorf("file: got %v, want that it is read-only", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write into every directory")
	}
	sub := filepath.Join(dir, "dir")
	if err := os.Chmod(sub, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(sub, 0o755)
	if _, err := call(t, ws, "write", obj{"path": "dir/g", "content": "b"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("directory: got %v, want permission denied", err)
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"f": "a\n", "dir/g": "a\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// TestChangedWhileApproving changes the file between Prepare and Run.
func TestChangedWhileApproving(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		change func(file string) error
		want   map[string]string
	}{
		"content": {"f", func(f string) error { return os.WriteFile(f, []byte("theirs\n"), 0o666) }, map[string]string{"f": "theirs\n"}},
		"same content, another file": {"f", func(f string) error {
			return errors.Join(os.WriteFile(f+".new", []byte("a\n"), 0o666), os.Rename(f+".new", f))
		}, map[string]string{"f": "a\n"}},
		"mode":        {"f", func(f string) error { return os.Chmod(f, 0o700) }, map[string]string{"f": "a\n"}},
		"removed":     {"f", os.Remove, map[string]string{}},
		"now a link":  {"f", func(f string) error { return errors.Join(os.Remove(f), os.Symlink("/etc/passwd", f)) }, nil},
		"now a FIFO":  {"f", func(f string) error { return errors.Join(os.Remove(f), syscall.Mkfifo(f, 0o666)) }, nil},
		"appeared":    {"g", func(f string) error { return os.WriteFile(f, []byte("theirs\n"), 0o666) }, map[string]string{"f": "a\n", "g": "theirs\n"}},
		"a directory": {"g", func(f string) error { return os.Mkdir(f, 0o777) }, map[string]string{"f": "a\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			ws, dir := newWorkspace(t, map[string]string{"f": "a\n"})
			prepared, err := prepare(t, ws, "write", obj{"path": c.path, "content": "mine\n"})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.change(filepath.Join(dir, c.path)); err != nil {
				t.Fatal(err)
			}
			_, err = prepared.Run(t.Context(), tools.Approved{Changes: prepared.Changes})
			if err == nil || !strings.Contains(err.Error(), "the call was prepared") {
				t.Errorf("got %v, want it refused", err)
			}
			if c.want == nil {
				return
			}
			if diff := cmp.Diff(contents(t, dir), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

func TestOnlyApprovedChangesAreWritten(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"f": "a\nb\n"})
	asked, err := prepare(t, ws, "write", obj{"path": "f", "content": "A\nB\n"})
	if err != nil {
		t.Fatal(err)
	}
	want := []tools.Change{{Path: "f", Before: []byte("a\nb\n"), After: []byte("A\nB\n")}}
	if diff := cmp.Diff(asked.Changes, want); diff != "" {
		t.Errorf("asked: got (-), want (+):\n%s", diff)
	}
	if _, err := asked.Run(t.Context(), tools.Approved{}); err == nil {
		t.Error("nothing approved: got no error")
	}
	part := []tools.Change{{Path: "f", Before: []byte("a\nb\n"), After: []byte("A\nb\n")}}
	r, err := asked.Run(t.Context(), tools.Approved{Changes: part})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Changes, part); diff != "" {
		t.Errorf("done: got (-), want (+):\n%s", diff)
	}
	if !strings.Contains(r.Text, "approved a different change") {
		t.Errorf("got %q, want a note for the model", r.Text)
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"f": "A\nb\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestPrepareChangesNothing(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"f": "a\n"})
	for tool, args := range map[string]obj{
		"write": {"path": "new/g", "content": "b"},
		"edit":  {"path": "f", "old": "a", "new": "b"},
	} {
		c, err := prepare(t, ws, tool, args)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Run(ctx, tools.Approved{Changes: c.Changes}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s after the turn ended: got %v, want context.Canceled", tool, err)
		}
	}
	if diff := cmp.Diff(contents(t, dir), map[string]string{"f": "a\n"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestHardLinkWarning(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"f": "a\n", "h": "a\n", "i": "a\n"})
	for from, to := range map[string]string{"f": filepath.Join(dir, "g"), "i": filepath.Join(t.TempDir(), "j")} {
		if err := os.Link(filepath.Join(dir, from), to); err != nil {
			t.Skip(err)
		}
	}
	c, err := prepare(t, ws, "edit", obj{"edits": []obj{
		{"path": "f", "old": "a", "new": "b"}, {"path": "h", "old": "a", "new": "b"}, {"path": "i", "old": "a", "new": "b"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"f has 2 hard links; the change also applies to g", "i has 2 hard links; the other names keep the old content"}
	if diff := cmp.Diff(c.Warnings, want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	for _, ch := range c.Changes {
		if ch.Unlinks != (ch.Path == "i") {
			t.Errorf("%s: Unlinks is %v", ch.Path, ch.Unlinks)
		}
	}
}

func TestGitDirectoryIsNotWritten(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{".git/config": "[core]\n", "sub/.git": "gitdir: ..\n"})
	for _, name := range []string{
		".git/config", ".GIT/config", ".Git/hooks/post-commit", "sub/.git", ".git", ".git./config", ".git /config",
		"git~1/config", ".g\u200cit/config", ".git::$INDEX_ALLOCATION/config", "a/../.git/config",
	} {
		if _, err := call(t, ws, "write", obj{"path": name, "content": "x"}); err == nil || !strings.Contains(err.Error(), "the .git directory") {
			t.Errorf("%q: got %v, want it refused", name, err)
		}
	}
	for _, name := range []string{".gitignore", ".gitattributes", ".github/x.yml", "digit/x", "x.git/y"} {
		if _, err := call(t, ws, "write", obj{"path": name, "content": "x"}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// contents returns the regular files of dir by path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
