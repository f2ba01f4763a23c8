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

// edit sets an external editor that writes text and ends with the error fails. It
// returns the text that the editor was given.
func (d *driver) edit(text string, fails error) (was *string) {
	was = new(string)
	path := ""
	d.m.Options.Files.Editor = func(p string) *exec.Cmd {
		path = p
		return exec.Command("editor", p)
	}
	d.m.prompt.External.Lend = func(_ *exec.Cmd, _ string, done func(error) tea.Msg) tea.Cmd {
		b, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err = errors.Join(err, statErr, os.WriteFile(path, []byte(text), 0o600)); err != nil {
			d.t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			d.t.Errorf("the file of the draft is readable by others: %v", info.Mode())
		}
		*was = string(b)
		msg := done(fails)
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			d.t.Errorf("the file was not removed: %v", err)
		}
		return func() tea.Msg { return msg }
	}
	return was
}

func TestExternalEditor(t *testing.T) {
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

// Events arrive while the external editor runs: an unsent message returns above the
// draft, and a dialog ignores keys right after the editor closed.
func TestEventsDuringExternalEditor(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{Editor: func(path string) *exec.Cmd { return exec.Command("editor", path) }}})
	var path string
	var end func(error) tea.Msg
	d.m.prompt.External.Lend = func(c *exec.Cmd, _ string, done func(error) tea.Msg) tea.Cmd {
		path, end = c.Args[1], done
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
	d.typeText("y") // a key meant for the editor
	d.wantCommands()
	d.armDialog()
	d.press("1", "enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	d.promptIs("faster\nbettery")
}

// Pressing the keys twice starts only one editor and leaves no file.
func TestOneExternalEditorAtATime(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{Editor: func(path string) *exec.Cmd { return exec.Command("editor", path) }}})
	var ends []func(error) tea.Msg
	d.m.prompt.External.Lend = func(_ *exec.Cmd, _ string, done func(error) tea.Msg) tea.Cmd {
		ends = append(ends, done)
		return nil
	}
	d.typeText("draft")
	d.press("ctrl+x", "ctrl+e", "ctrl+x", "ctrl+e")
	if len(ends) != 1 {
		t.Fatalf("the editor was started %d times, want once", len(ends))
	}
	d.send(ends[0](nil))
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
	d.press("ctrl+x", "ctrl+e")
	if len(ends) != 2 {
		t.Error("the editor does not open again")
	}
	d.send(ends[1](nil))
}
