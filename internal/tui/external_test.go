package tui

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// edit is an editor that leaves text, and reads the file it was given.
func (d *driver) edit(leaves string, fails error) (was *string) {
	was = new(string)
	path := ""
	d.m.Options.Files.Editor = func(p string) *exec.Cmd {
		path = p
		return exec.Command("editor", p)
	}
	d.m.prompt.External.Lend = func(_ *exec.Cmd, _ string, done func(error) tea.Msg) tea.Cmd {
		b, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err = errors.Join(err, statErr, os.WriteFile(path, []byte(leaves), 0o600)); err != nil {
			d.t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
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
	d := newDriver(t, 80, 24, screen.Options{})
	was := d.edit("much better\n", nil)
	d.typeText("draft ")
	d.send(tea.PasteMsg{Content: long})
	d.press("ctrl+x", "ctrl+e")
	if diff := cmp.Diff(*was, "draft "+long); diff != "" {
		t.Errorf("the editor was given (-got +want):\n%s", diff)
	}
	d.promptIs("much better")
	d.press("ctrl+_")
	d.promptIs("draft [pasted 312 lines]")

	d.edit("lost", errors.New("exit status 1"))
	d.press("ctrl+x", "ctrl+e")
	d.promptIs("draft [pasted 312 lines]")
	d.shows("The editor failed: exit status 1. Your draft is unchanged.")

	d.press("ctrl+c")
	d.edit("by command", nil)
	d.typeText("/edit")
	d.press("enter")
	d.promptIs("by command")

	d.m.Options.Files.Editor = nil
	d.press("ctrl+x", "ctrl+e")
	d.shows("$VISUAL and $EDITOR are not set")
	d.promptIs("by command")
}

// While the draft is in the person's editor, all goes on: what was not sent
// comes back above it, and a question takes no key that follows the editor's.
func TestWhileInTheEditor(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{Editor: func(path string) *exec.Cmd { return exec.Command("editor", path) }}})
	var path string
	var end func(error) tea.Msg
	d.m.prompt.External.Lend = func(c *exec.Cmd, _ string, told func(error) tea.Msg) tea.Cmd {
		path, end = c.Args[1], told
		return nil
	}
	d.events(userSaid("go"), call("r1", "1", "shell"))
	d.typeText("draft")
	d.press("ctrl+x", "ctrl+e")
	d.events(event.Unsent{Text: "faster"}, askCommand("1", "make"))
	d.advance(time.Minute)
	if err := os.WriteFile(path, []byte("better\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.send(end(nil))
	d.promptIs("faster\nbetter")
	d.typeText("y") // a key too many
	d.wantCommands()
	d.armDialog()
	d.press("1", "enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	d.promptIs("faster\nbettery")
}

// The keys pressed twice open one editor, and leave no file behind.
func TestOneEditorAtATime(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{Editor: func(path string) *exec.Cmd { return exec.Command("editor", path) }}})
	var ends []func(error) tea.Msg
	d.m.prompt.External.Lend = func(_ *exec.Cmd, _ string, told func(error) tea.Msg) tea.Cmd {
		ends = append(ends, told)
		return nil
	}
	d.typeText("draft")
	d.press("ctrl+x", "ctrl+e", "ctrl+x", "ctrl+e")
	if len(ends) != 1 {
		t.Fatalf("the terminal was lent %d times, want once", len(ends))
	}
	d.send(ends[0](nil))
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	d.press("ctrl+x", "ctrl+e")
	if len(ends) != 2 {
		t.Error("the editor does not open again")
	}
	d.send(ends[1](nil))
}
