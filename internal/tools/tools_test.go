package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// TestWorkspaces plays the archives in testdata. An archive holds the files of a
// workspace, and in its comment one call per line: a tool and its arguments. The
// file "want" holds the results; -update writes it.
func TestWorkspaces(t *testing.T) {
	isolateGit(t)
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives, %v", err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ws, dir := newWorkspace(t, nil)
			var want string
			var rest []txtar.File
			for _, f := range a.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				rest = append(rest, f)
				writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
			}
			age(t, dir)
			var got strings.Builder
			for l := range strings.Lines(string(a.Comment)) {
				if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
					got.WriteString("> " + l + "\n" + play(t, ws, l) + "\n")
				}
			}
			text := strings.ReplaceAll(got.String(), dir, "$WORK")
			if *update {
				a.Files = append(rest, txtar.File{Name: "want", Data: []byte(text)})
				writeFile(t, file, string(txtar.Format(a)))
				return
			}
			if diff := cmp.Diff(text, want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

var update = flag.Bool("update", false, "write the wanted results in testdata")

// play runs one call, such as "read {...}". It returns what the user and the model
// see of it, and the changed files.
func play(t *testing.T, ws *workspace.Workspace, call string) string {
	name, args, _ := strings.Cut(call, " ")
	c, err := tool(t, ws, name).Prepare(t.Context(), json.RawMessage(args))
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s (%s)", c.Title, c.Effect)
	for _, target := range c.Targets {
		fmt.Fprintf(&b, " %s:%s", target.Kind, target.Value)
	}
	b.WriteString("\n")
	for _, w := range c.Warnings {
		b.WriteString("warning: " + w + "\n")
	}
	r, err := c.Run(t.Context(), tools.Approved{Changes: c.Changes})
	if err != nil {
		return b.String() + "error: " + err.Error() + "\n"
	}
	fmt.Fprintf(&b, "summary: %s\n%s", r.Summary, r.Text)
	if !strings.HasSuffix(r.Text, "\n") {
		b.WriteString("\n")
	}
	for _, ch := range r.Changes {
		onDisk, err := os.ReadFile(filepath.Join(ws.Dir(), ch.Path))
		if ch.After == nil && errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(&b, "%s is gone\n", ch.Path)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(onDisk), string(ch.After)); diff != "" {
			t.Errorf("%s on the disk (-), in the result (+):\n%s", ch.Path, diff)
		}
		fmt.Fprintf(&b, "%s holds %q\n", ch.Path, onDisk)
	}
	return b.String()
}

func tool(t *testing.T, ws *workspace.Workspace, name string) tools.Tool {
	t.Helper()
	for _, tool := range tools.Files(ws, nil) {
		if tool.Spec().Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

// call prepares and runs a tool call with all its changes approved.
func call(t *testing.T, ws *workspace.Workspace, name string, args any) (tools.Result, error) {
	t.Helper()
	c, err := prepare(t, ws, name, args)
	if err != nil {
		return tools.Result{}, err
	}
	return c.Run(t.Context(), tools.Approved{Changes: c.Changes})
}

func prepare(t *testing.T, ws *workspace.Workspace, name string, args any) (tools.Call, error) {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return tool(t, ws, name).Prepare(context.Background(), b)
}

type obj = map[string]any

// newWorkspace returns a workspace of a new directory with files, and the directory.
func newWorkspace(t *testing.T, files map[string]string) (*workspace.Workspace, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws, dir
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// age makes each file, by path, a minute older than the previous one, so that the
// order of changes is known.
func age(t *testing.T, dir string) {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		at = at.Add(-time.Minute)
		return os.Chtimes(p, at, at)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isolateGit hides the git configuration of the machine and the user.
func isolateGit(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// patchOf returns the arguments of the patch tool for the lines of a patch.
func patchOf(lines ...string) obj {
	return obj{"patch": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"}
}

// A call that changes files says what the model does if the permission mode denies it.
func TestChangesSayWhatToDoInstead(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"f": "a\n"})
	for name, args := range map[string]obj{
		"edit":  {"path": "f", "old": "a", "new": "b"},
		"write": {"path": "g", "content": "b"},
		"patch": {"patch": "*** Begin Patch\n*** Add File: h\n+b\n*** End Patch"},
	} {
		c, err := prepare(t, ws, name, args)
		if err != nil {
			t.Fatal(err)
		}
		if want := "Describe the change and why you would make it, then end your answer. The user leaves the mode to allow edits"; c.Instead != want {
			t.Errorf("%s: got %q, want %q", name, c.Instead, want)
		}
	}
}
