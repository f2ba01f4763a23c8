//go:build unix

package tools_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names that mean something to a shell or to a C library are names of files or errors:
// ~ is no home directory, and NUL ends no name.
func TestOddNamesOfFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	ws, dir := newWorkspace(t, nil)
	parent := filepath.Dir(dir)
	before := contents(t, parent)
	for _, name := range []string{
		"a\x00b", "../\x00a", "a/../../x", "..", "../..", "", strings.Repeat("n", 4096), strings.Repeat("d/", 4096) + "x", "..\\x", "\x1b]0;x\a", "a\nb", "./../x",
	} {
		_, err := call(t, ws, "write", obj{"path": name, "content": "planted"})
		if err == nil && !strings.Contains(name, `\`) {
			t.Errorf("%.40q was written", name)
		}
	}
	for _, name := range []string{"~/x", "~", "$HOME/x"} {
		_, _ = call(t, ws, "write", obj{"path": name, "content": "planted"})
	}
	for name := range contents(t, parent) {
		if _, old := before[name]; !old && !strings.HasPrefix(name, filepath.Base(dir)+"/") {
			t.Errorf("%q was written outside the workspace", name)
		}
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v in the home directory", entries, err)
	}
}

// A compressed file is never decompressed: a small one may hold gigabytes.
func TestCompressedFilesStayCompressed(t *testing.T) {
	ws, dir := newWorkspace(t, nil)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(bytes.Repeat([]byte("needle\n"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "bomb.gz"), packed.String())
	writeFile(t, filepath.Join(dir, "bomb.txt"), packed.String())
	for _, name := range []string{"bomb.gz", "bomb.txt"} {
		if r, err := call(t, ws, "read", obj{"path": name}); err == nil && strings.Contains(r.Text, "needle") {
			t.Errorf("%s was decompressed: %.100s", name, r.Text)
		}
	}
	r, err := call(t, ws, "search", obj{"pattern": "needle"})
	if err != nil || r.Summary != "no matches" {
		t.Errorf("search: %q, %v", r.Text, err)
	}
}
