package tui

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
)

// edit is an editor that leaves text, and reads the file it was given.
func (d *driver) edit(leaves string, fails error) (was *string) {
	was = new(string)
	path := ""
	d.m.o.Editor = func(p string) *exec.Cmd {
		path = p
		return exec.Command("editor", p)
	}
	d.m.exec = func(_ *exec.Cmd, done tea.ExecCallback) tea.Cmd {
		b, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err = errors.Join(err, statErr, os.WriteFile(path, []byte(leaves), 0o600)); err != nil {
			d.t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			d.t.Errorf("others can read the draft: %v", info.Mode())
		}
		*was = string(b)
		msg := done(fails)
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			d.t.Errorf("the file is still there: %v", err)
		}
		return func() tea.Msg { return msg }
	}
	return was
}

func TestEditingElsewhere(t *testing.T) {
	long := strings.Repeat("line of text\n", 312)
	t.Setenv("TMPDIR", t.TempDir())
	d := newDriver(t, 80, 24, Options{})
	was := d.edit("much better\n", nil)
	d.enter("draft ")
	d.send(tea.PasteMsg{Content: long})
	d.press("ctrl+x", "ctrl+e")
	if diff := cmp.Diff(*was, "draft "+long); diff != "" {
		t.Errorf("the editor was given (-got +want):\n%s", diff)
	}
	d.holds("much better")
	d.press("ctrl+_")
	d.holds("draft [pasted 312 lines]")

	d.edit("lost", errors.New("exit status 1"))
	d.press("ctrl+x", "ctrl+e")
	d.holds("draft [pasted 312 lines]")
	d.shows("The draft is as it was: the editor ended with exit status 1.")

	d.press("ctrl+c")
	d.edit("by command", nil)
	d.enter("/edit")
	d.press("enter")
	d.holds("by command")

	d.m.o.Editor = nil
	d.press("ctrl+x", "ctrl+e")
	d.shows("Set VISUAL or EDITOR")
	d.holds("by command")
}
