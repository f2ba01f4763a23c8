//go:build unix

package tools_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// newLinkedWorkspace returns a workspace full of symbolic links, and a directory
// outside it that holds a secret.
func newLinkedWorkspace(t *testing.T) (*workspace.Workspace, string) {
	t.Helper()
	ws, dir := newWorkspace(t, map[string]string{"real/file.txt": "inside\n"})
	outside := filepath.Join(t.TempDir(), "outside")
	writeFile(t, filepath.Join(outside, "secret.txt"), "secret\n")
	for name, target := range map[string]string{
		"to-file":      "real/file.txt",
		"to-dir":       "real",
		"chain":        "to-dir",
		"real/up":      "../real/file.txt",
		"abs-file":     filepath.Join(dir, "real/file.txt"),
		"abs-dir":      filepath.Join(dir, "real"),
		"dangling":     "real/not-yet.txt",
		"out-file":     filepath.Join(outside, "secret.txt"),
		"out-dir":      outside,
		"out-rel":      "../../../../../../../../../../etc",
		"out-chain":    "out-dir/secret.txt",
		"out-dangling": filepath.Join(outside, "new.txt"),
		"loop":         "pool",
		"pool":         "loop",
		"self":         "self/x",
		"zero":         "/dev/zero",
		"to-git":       ".git",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return ws, outside
}

func TestLinksInsideAreFollowed(t *testing.T) {
	ws, _ := newLinkedWorkspace(t)
	for _, name := range []string{"to-file", "to-dir/file.txt", "chain/file.txt", "real/up", "abs-file", "abs-dir/file.txt", "chain/up", filepath.Join(ws.Dir(), "abs-dir/up")} {
		c, err := prepare(t, ws, "edit", obj{"path": name, "old": "inside", "new": "inside too"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := name
		if filepath.IsAbs(name) {
			want = "abs-dir/up"
		}
		if got := c.Targets[0].Spelled; !slices.Equal(got, []string{want}) {
			t.Errorf("%s: got spellings %v, want %s", name, got, want)
		}
		// The call names the file that would be written, not the link.
		if got := c.Targets[0].Value; got != "real/file.txt" {
			t.Errorf("%s: got target %s, want real/file.txt", name, got)
		}
		if got := c.Changes[0].Path; got != "real/file.txt" {
			t.Errorf("%s: got change of %s, want real/file.txt", name, got)
		}
	}
	if _, err := call(t, ws, "write", obj{"path": "to-file", "content": "new\n"}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(ws.Dir(), "to-file")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	if _, err := call(t, ws, "write", obj{"path": "dangling", "content": "now\n"}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(ws.Dir(), "real/not-yet.txt")); string(got) != "now\n" {
		t.Errorf("through a dangling link: got %q, %v", got, err)
	}
}

func TestLinksOutOfTheWorkspaceAreRejected(t *testing.T) {
	ws, outside := newLinkedWorkspace(t)
	sibling := ws.Dir() + "-sibling"
	for _, name := range []string{
		"../x", "real/../../x", "/etc/passwd", outside, sibling, ws.Dir() + "/../x", "out-file", "out-dir/secret.txt", "out-rel/passwd", "out-rel",
		"out-chain", "out-dangling", "out-dir/sub/new.txt", "zero", "real/../out-dir/secret.txt",
	} {
		for tool, args := range map[string]obj{
			"read":   {"path": name},
			"write":  {"path": name, "content": "overwritten"},
			"edit":   {"path": name, "old": "secret", "new": "x"},
			"list":   {"path": name},
			"glob":   {"path": name, "pattern": "**"},
			"search": {"path": name, "pattern": "secret"},
		} {
			r, err := call(t, ws, tool, args)
			if err == nil {
				t.Errorf("%s %s: got %q, want it refused", tool, name, r.Text)
			} else if !strings.Contains(err.Error(), "is outside the working directory") {
				t.Errorf("%s %s: got %v, want the reason", tool, name, err)
			}
		}
	}
	for _, name := range []string{"loop", "self"} {
		if _, err := call(t, ws, "read", obj{"path": name}); err == nil || !strings.Contains(err.Error(), "symbolic link loop") {
			t.Errorf("read %s: got %v, want that it goes round", name, err)
		}
	}
	if _, err := call(t, ws, "write", obj{"path": "to-git/hooks/pre-commit", "content": "x"}); err == nil || !strings.Contains(err.Error(), "the .git directory") {
		t.Errorf("write through a link to .git: got %v", err)
	}
	// Directory walks do not follow links either.
	r, err := call(t, ws, "search", obj{"pattern": "secret"})
	if err != nil || r.Summary != "no matches" {
		t.Errorf("search: got %q, %v, want no matches", r.Text, err)
	}
	if got, err := os.ReadFile(filepath.Join(outside, "secret.txt")); string(got) != "secret\n" {
		t.Errorf("the secret: got %q, %v", got, err)
	}
	if entries, err := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside: got %v, %v, want only the secret", entries, err)
	}
}

func TestLinksOutOfTheOutputDirectoryAreRejected(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"inside.txt": "inside\n"})
	beside := t.TempDir()
	out := filepath.Join(beside, "s.out")
	ws.Attach(out)
	writeFile(t, filepath.Join(beside, "secret"), "secret\n")
	writeFile(t, filepath.Join(out, "1.txt"), "one\n")
	for name, target := range map[string]string{
		"abs": filepath.Join(beside, "secret"), "rel": "../secret", "up": "..", "zero": "/dev/zero", "back": filepath.Join(dir, "inside.txt"),
		"in": "1.txt",
	} {
		if err := os.Symlink(target, filepath.Join(out, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"abs", "rel", "up/secret", "zero", "back"} {
		r, err := call(t, ws, "read", obj{"path": filepath.Join(out, name)})
		if err == nil || !strings.Contains(err.Error(), "is outside "+out) {
			t.Errorf("%s: got %q, %v, want it refused", name, r.Text, err)
		}
	}
	if r, err := call(t, ws, "read", obj{"path": filepath.Join(out, "in")}); err != nil || r.Text != "1\tone\n" {
		t.Errorf("a link that stays inside: got %q, %v", r.Text, err)
	}
}

func TestAnotherSpellingOfTheWorkspace(t *testing.T) {
	_, dir := newWorkspace(t, map[string]string{"sub/a.txt": "a\n"})
	other := filepath.Join(t.TempDir(), "other")
	if err := os.Symlink(dir, other); err != nil {
		t.Fatal(err)
	}
	for _, opened := range []string{dir, other} {
		ws, err := workspace.Open(opened)
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		for _, spelled := range []string{dir, other} {
			r, err := call(t, ws, "read", obj{"path": filepath.Join(spelled, "sub", "a.txt")})
			if err != nil || r.Text != "1\ta\n" {
				t.Errorf("opened as %s, %s: got %q, %v", opened, spelled, r.Text, err)
			}
		}
	}
}

func TestSpecialFilesAreNamedNotOpened(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"a.txt": "needle\n"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	// A socket's path is limited in length, so it is made from within.
	t.Chdir(dir)
	l, err := net.Listen("unix", "sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]string{"pipe": "FIFO", "sock": "socket"} {
		for tool, args := range map[string]obj{
			"read":   {"path": name},
			"write":  {"path": name, "content": "x"},
			"edit":   {"path": name, "old": "a", "new": "b"},
			"search": {"path": name, "pattern": "x"},
		} {
			if _, err := call(t, ws, tool, args); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: got %v, want that it is a %s", tool, name, err, want)
			}
		}
	}
	r, err := call(t, ws, "search", obj{"pattern": "needle"})
	if err != nil || r.Summary != "1 match in 1 file" {
		t.Errorf("search next to them: got %q, %v", r.Summary, err)
	}
	// A FIFO in place of an ignore file must not block.
	if err := syscall.Mkfifo(filepath.Join(dir, ".gitignore"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, ws, "list", obj{}); err != nil {
		t.Errorf("list: %v", err)
	}
}

func TestHugeFilesAreNotLoaded(t *testing.T) {
	ws, dir := newWorkspace(t, nil)
	sparse(t, filepath.Join(dir, "nuls"), "", 1<<40)
	sparse(t, filepath.Join(dir, "head"), strings.Repeat("a line of text\n", 10_000), 1<<40)
	sparse(t, filepath.Join(dir, "image"), "\x89PNG\r\n\x1a\n", 5<<30)
	sparse(t, filepath.Join(dir, "paper"), "%PDF-1.4\n", 5<<30)
	sparse(t, filepath.Join(dir, "note.ipynb"), "{\"cells\": [\n"+strings.Repeat(" \n", 100_000), 5<<30)
	for name, want := range map[string]string{
		"image":      "5.4 GB, more than the limit of 33.6 MB",
		"paper":      "pdftotext",
		"note.ipynb": "[lines 1-2000 of a file of 5.4 GB, limit 2000 lines; continue with offset 2001]\n(not shown as a notebook: larger than 33.6 MB)\n",
	} {
		if got := textOf(call(t, ws, "read", obj{"path": name})); !strings.Contains(got, want) {
			t.Errorf("read %s: got …%q, want %q in it", name, got[max(len(got)-300, 0):], want)
		}
	}
	if _, err := call(t, ws, "read", obj{"path": "nuls"}); err == nil || !strings.Contains(err.Error(), "binary") {
		t.Errorf("read nuls: got %v, want that it is binary", err)
	}
	r, err := call(t, ws, "read", obj{"path": "head"})
	if err != nil || !strings.Contains(r.Text, "[lines 1-2000 of a file of 1.1 TB, limit 2000 lines; continue with offset 2001]") {
		t.Errorf("read head: got …%q, %v", r.Text[max(len(r.Text)-200, 0):], err)
	}
	for tool, args := range map[string]obj{
		"edit":  {"path": "head", "old": "a", "new": "b"},
		"write": {"path": "head", "content": "b"},
	} {
		if _, err := call(t, ws, tool, args); err == nil || !strings.Contains(err.Error(), "1.1 TB") {
			t.Errorf("%s head: got %v, want its size", tool, err)
		}
	}
	// Long operations stop when the context ends.
	for tool, args := range map[string]obj{
		"read":   {"path": "head", "offset": 1_000_000},
		"search": {"path": "head", "pattern": "nothing like it"},
	} {
		c, err := prepare(t, ws, tool, args)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := c.Run(ctx, tools.Approved{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v, want the context's error", tool, err)
		}
		cancel()
	}
}

// TestWideTextIsNotLoaded reads UTF-16 that is too large for memory.
func TestWideTextIsNotLoaded(t *testing.T) {
	const lines = 1_500_000
	ws, _ := newWorkspace(t, map[string]string{"f": "\xff\xfe" + strings.Repeat("l\x00i\x00n\x00e\x00 \x00\xac\x20\n\x00", lines)})
	got := textOf(call(t, ws, "read", obj{"path": "f", "offset": lines - 1, "limit": 1}))
	if !strings.HasPrefix(got, "1499999\tline €\n(decoded from UTF-16LE,") || !strings.HasSuffix(got, "[lines 1499999-1499999 of 1500000]\n") {
		t.Errorf("got %q", got)
	}
}

func TestALineOf20MB(t *testing.T) {
	ws, dir := newWorkspace(t, nil)
	f, err := os.Create(filepath.Join(dir, "long"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := func(b []byte) {
		if _, err := f.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	write([]byte("first\n"))
	part := bytes.Repeat([]byte("0123456789"), 10_000)
	for i := range 200 {
		write(part)
		if i == 100 || i == 150 {
			write([]byte("needle"))
		}
	}
	write([]byte("\nlast needle\n"))
	r, err := call(t, ws, "read", obj{"path": "long"})
	if err != nil || len(r.Text) > 3000 || !strings.Contains(r.Text, "[truncated: 19998012 bytes more]\n3\tlast needle\n") {
		t.Errorf("read: got %d bytes …%q, %v", len(r.Text), r.Text[max(len(r.Text)-200, 0):], err)
	}
	r, err = call(t, ws, "search", obj{"pattern": "needle"})
	if err != nil || r.Summary != "2 matches in 1 file" || len(r.Text) > 2000 || !strings.Contains(r.Text, "\n3: last needle") {
		t.Errorf("search: got %s, %d bytes: %.300q, %v", r.Summary, len(r.Text), r.Text, err)
	}
}

// sparse creates a sparse file that begins with text.
func sparse(t *testing.T, file, text string, size int64) {
	t.Helper()
	writeFile(t, file, text)
	if err := os.Truncate(file, size); err != nil {
		t.Skipf("the file system makes no sparse files: %v", err)
	}
}
