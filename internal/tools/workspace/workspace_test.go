package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/workspace"
)

// open returns a workspace in a new directory with files.
func open(t *testing.T, files map[string]string) *workspace.Workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
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

// A commit writes the approved changes and returns them, with removals last.
func TestCommitWritesWhatWasApproved(t *testing.T) {
	w := open(t, map[string]string{"a": "a\n", "b": "b\n", "c": "c\n", "same": "s\n"})
	tx := w.Begin(nil)
	draft := func(name string) *workspace.Draft {
		t.Helper()
		d, err := tx.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if err := tx.Move(draft("a"), "a", "dir/moved"); err != nil {
		t.Fatal(err)
	}
	draft("b").After = []byte("B\n")
	draft("c").After = []byte("C\n")
	draft("same")
	asked, _, err := tx.Changes()
	if err != nil {
		t.Fatal(err)
	}
	approved := map[string][]byte{}
	var names []string
	for _, d := range asked {
		names = append(names, d.Path)
		approved[d.Path] = d.After
	}
	if diff := cmp.Diff(names, []string{"a", "dir/moved", "b", "c"}); diff != "" {
		t.Errorf("asked: got (-), want (+):\n%s", diff)
	}
	delete(approved, "b")
	written, err := tx.Commit(t.Context(), approved)
	if err != nil {
		t.Fatal(err)
	}
	names = nil
	for _, d := range written {
		names = append(names, d.Path)
	}
	if diff := cmp.Diff(names, []string{"dir/moved", "c", "a"}); diff != "" {
		t.Errorf("written: got (-), want (+):\n%s", diff)
	}
	want := map[string]string{"dir/moved": "a\n", "b": "b\n", "c": "C\n", "same": "s\n"}
	if diff := cmp.Diff(contents(t, w.Dir()), want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// The source of a move is not removed if the new file is not approved.
func TestContentThatMovesIsNeverLost(t *testing.T) {
	files := map[string]string{"a": "a\n"}
	w := open(t, files)
	tx := w.Begin(nil)
	d, err := tx.OpenExisting("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Move(d, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if written, err := tx.Commit(t.Context(), map[string][]byte{"a": nil}); err == nil || written != nil {
		t.Errorf("got %v, %v, want an error", written, err)
	}
	if diff := cmp.Diff(contents(t, w.Dir()), files); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestFindAllowsTheOutputDirectory(t *testing.T) {
	w := open(t, map[string]string{"f": "inside\n"})
	outputs := filepath.Join(t.TempDir(), "outputs")
	if w.OutputFile() != nil {
		t.Error("outputs are kept before a directory is attached")
	}
	w.Attach(outputs)
	f, err := w.OutputFile()()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, want := range map[string]bool{"f": false, filepath.Join(w.Dir(), "f"): false, f.Name(): true} {
		at, err := w.Find(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d, done, err := at.Enter()
		if err != nil {
			t.Fatal(err)
		}
		done()
		if d.Outputs != want {
			t.Errorf("%s: got outputs %v, want %v", name, d.Outputs, want)
		}
		if want && at.Name() != name {
			t.Errorf("got the name %s, want %s", at.Name(), name)
		}
	}
	if _, err := w.Resolve(f.Name()); err == nil {
		t.Error("a file of the outputs resolves as one of the workspace")
	}
}

func TestLedgerRecordsShownContent(t *testing.T) {
	w := open(t, map[string]string{"f": "1\n2\n3\n"})
	known := workspace.NewLedger()
	shown := workspace.NewReading("f", []byte("1\n2\n3\n"))
	shown.First, shown.Last = 1, 2
	known.Add(4, shown)
	part, other := shown, workspace.NewReading("f", []byte("other"))
	part.First, other.First, other.Last = 2, 1, 1
	if step, ok := known.Shown(part); !ok || step != 4 {
		t.Errorf("got %d, %v, want step 4", step, ok)
	}
	if _, ok := known.Shown(other); ok {
		t.Error("lines of another content were never shown")
	}
	if err := os.WriteFile(filepath.Join(w.Dir(), "f"), []byte("1\n2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := w.Begin(known).Open("f")
	changed, ok := errors.AsType[*workspace.ChangedError](err)
	if !ok || changed.Step != 4 || len(changed.Reads) != 1 {
		t.Errorf("got %v, want a *ChangedError with the changes since step 4", err)
	}
	var none *workspace.Ledger
	none.Add(1, shown)
	none.Reset()
	if _, ok := none.Shown(shown); ok {
		t.Error("a nil ledger has readings")
	}
}
