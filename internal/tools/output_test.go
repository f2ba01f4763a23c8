package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// TestReadAllowsTheOutputDirectory reads the saved output of a session, outside the
// workspace and inside it.
func TestReadAllowsTheOutputDirectory(t *testing.T) {
	for name, inside := range map[string]bool{"outside": false, "inside": true} {
		t.Run(name, func(t *testing.T) {
			ws, dir := newWorkspace(t, map[string]string{"a.txt": "a\n"})
			out := filepath.Join(dir, "state", "s.out")
			if !inside {
				out = filepath.Join(t.TempDir(), "s.out")
			}
			ws.Attach(out)
			file := filepath.Join(out, "1.txt")
			if got := textOf(call(t, ws, "read", obj{"path": file})); !strings.HasSuffix(got, "the session has no saved outputs yet") {
				t.Errorf("before there is any: got %s", got)
			}
			writeFile(t, file, "one\ntwo\n")
			c, err := prepare(t, ws, "read", obj{"path": file, "offset": 2})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Targets, []tools.Target{{Kind: tools.Path, Value: file}}); diff != "" || c.Title != "read "+file+" from line 2" {
				t.Errorf("%s: got (-), want (+):\n%s", c.Title, diff)
			}
			r, err := c.Run(t.Context(), tools.Approved{})
			if err != nil || r.Text != "2\ttwo\n(end of the file)\n" || r.Reads[0].Path != file {
				t.Errorf("got %q, %v, %v, want its second line", r.Text, r.Reads, err)
			}
			for name, want := range map[string]string{
				filepath.Join(out, "2.txt"):              out + string(filepath.Separator) + "2.txt does not exist. There is no 2.txt in the outputs directory of this session. Similar names: " + file,
				filepath.Join(out, "sub", "..", "1.txt"): "1\tone\n2\ttwo\n",
				"a.txt":                                  "1\ta\n",
			} {
				if diff := cmp.Diff(textOf(call(t, ws, "read", obj{"path": name})), want); diff != "" {
					t.Errorf("%s: got (-), want (+):\n%s", name, diff)
				}
			}
			if _, err := call(t, ws, "read", obj{"path": out}); err != nil {
				t.Errorf("the directory: got %v, want it listed", err)
			}
		})
	}
}

func TestOutputDirectoryIsReadOnly(t *testing.T) {
	ws, _ := newWorkspace(t, nil)
	beside := t.TempDir()
	out := filepath.Join(beside, "s.out")
	ws.Attach(out)
	writeFile(t, filepath.Join(beside, "secret"), "secret\n")
	writeFile(t, filepath.Join(out, "1.txt"), "one\n")
	for tool, args := range map[string]obj{
		"edit":  {"path": filepath.Join(out, "1.txt"), "old": "one", "new": "two"},
		"write": {"path": filepath.Join(out, "2.txt"), "content": "two\n"},
	} {
		if _, err := call(t, ws, tool, args); err == nil || !strings.Contains(err.Error(), "which tools only read") {
			t.Errorf("%s: got %v, want it refused", tool, err)
		}
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want it unchanged", entries, err)
	}
	for _, name := range []string{
		filepath.Join(beside, "secret"), beside, filepath.Join(out, "..", "secret"), out + "-more", filepath.Join(out, "..", "s.out-more"),
	} {
		if got := textOf(call(t, ws, "read", obj{"path": name})); !strings.Contains(got, "is outside the working directory") {
			t.Errorf("read %s: got %s, want it refused", name, got)
		}
	}
}

// TestConcurrentReads is for the race detector.
func TestConcurrentReads(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.png": string(pngOf(t, plain(1600, 10))), "a.txt": "a\n"})
	out := filepath.Join(t.TempDir(), "s.out")
	ws.Attach(out)
	writeFile(t, filepath.Join(out, "1.txt"), "one\n")
	known := workspace.NewLedger()
	var all sync.WaitGroup
	for range 4 {
		for _, name := range []string{"a.png", "a.txt", filepath.Join(out, "1.txt")} {
			c, err := tools.Files(ws, known)[0].Prepare(t.Context(), fmt.Appendf(nil, `{"path": %q}`, name))
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				r, err := c.Run(t.Context(), tools.Approved{})
				known.Add(1, r.Reads...)
				if err != nil || r.Text == "" {
					t.Errorf("%s: got %q, %v", name, r.Text, err)
				}
			})
		}
	}
	all.Wait()
}
