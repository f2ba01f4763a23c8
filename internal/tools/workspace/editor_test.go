package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// editor has the text of files open, by name. It rejects changes if broken is set.
type editor struct {
	texts  map[string]string
	broken bool
}

func (e *editor) Text(_ context.Context, path string) (string, bool) {
	text, ok := e.texts[filepath.Base(path)]
	return text, ok
}

func (e *editor) Replace(_ context.Context, path, text string) error {
	if e.broken {
		return errors.New("no such buffer")
	}
	e.texts[filepath.Base(path)] = text
	return nil
}

// Unsaved text gets the form of the saved file, and only another text counts as unsaved.
func TestUnsavedText(t *testing.T) {
	for name, c := range map[string]struct{ saved, editor, want string }{
		"same":               {"a\nb\n", "a\nb\n", ""},
		"no last newline":    {"a\nb\n", "a\nb", ""},
		"plain line ends":    {"a\r\nb\r\n", "a\nb\n", ""},
		"no byte order mark": {"\ufeffa\n", "a\n", ""},
		"binary":             {"a\x00b", "other", ""},
		"not UTF-8":          {"caf\xe9\n", "café\n", ""},
		"changed":            {"a\n", "b", "b\n"},
		"changed, CRLF":      {"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		"changed, mark":      {"\ufeffa\n", "b\n", "\ufeffb\n"},
		"emptied":            {"a\n", "", "-"},
	} {
		w := open(t, map[string]string{"f": c.saved})
		w.UseEditor(&editor{texts: map[string]string{"f": c.editor}})
		at, err := w.Find("f")
		if err != nil {
			t.Fatal(err)
		}
		text, unsaved := at.Unsaved(t.Context())
		if unsaved != (c.want != "") || strings.TrimPrefix(c.want, "-") != string(text) {
			t.Errorf("%s: got %q, %v, want %q", name, text, unsaved, c.want)
		}
	}
}

// A change of an unsaved file is written to disk and to the editor. A file that the editor
// does not take is reported, but only if its text was not saved.
func TestChangesReachTheEditor(t *testing.T) {
	e := &editor{texts: map[string]string{"f": "one\nunsaved\n", "g": "two\n"}}
	w := open(t, map[string]string{"f": "one\n", "g": "two\n"})
	w.UseEditor(e)
	change := func(name, content string) error {
		tx := w.Begin(nil)
		d, err := tx.OpenExisting(name)
		if err != nil {
			t.Fatal(err)
		}
		d.After = []byte(content)
		_, err = tx.Commit(t.Context(), map[string][]byte{name: d.After})
		return err
	}
	if err := change("f", "one\nagreed\n"); err != nil {
		t.Error(err)
	}
	saved, err := os.ReadFile(filepath.Join(w.Dir(), "f"))
	if err != nil || string(saved) != "one\nagreed\n" || e.texts["f"] != "one\nagreed\n" {
		t.Errorf("on disk %q, %v, in the editor %q", saved, err, e.texts["f"])
	}
	e.broken = true
	if err := change("g", "2\n"); err != nil {
		t.Errorf("a saved file that the editor does not take: %v", err)
	}
	e.texts["f"] = "unsaved again\n"
	if err := change("f", "last\n"); err == nil || !strings.Contains(err.Error(), "the editor still has its unsaved text of f") {
		t.Errorf("an unsaved file that the editor does not take: %v", err)
	}
}
