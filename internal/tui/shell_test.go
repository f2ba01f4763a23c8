package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/loop/event"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
)

func shellStart(id, line string, join bool) *event.ShellStart {
	return &event.ShellStart{ID: id, Line: line, Join: join}
}

func shellEnd(id, line string, join bool, outcome event.Outcome, summary, text string) *event.ShellEnd {
	return &event.ShellEnd{ID: id, Line: line, Join: join, Outcome: outcome, Summary: summary, Text: text, Duration: 300 * time.Millisecond}
}

// A shell command of the user runs at once and is shown with its output. A second one
// waits for the first.
func TestShellCommand(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.typeAndPress("!make test", "enter")
		d.typeAndPress("!! git status", "enter") // waits for the first
		d.wantCommands(event.RunShell{Line: "make test", Join: true})
		d.events(shellStart("a", "make test", true), event.Progress{ID: "a", Text: "compiling\x1b[31m\nlinking\n"})
		d.advance(time.Second)
		d.golden("shell-runs-" + size)
		d.events(shellEnd("a", "make test", true, event.Failed, "exit 2 · 41 lines", strings.Repeat("ok\n", 40)+"FAIL\n[exit 2]\n"))
		d.wantCommands(event.RunShell{Line: "make test", Join: true}, event.RunShell{Line: "git status"})
		d.events(shellStart("b", "git status", false), shellEnd("b", "git status", false, event.OK, "exit 0 · no output", "[exit 0]\n"))
		d.golden("shell-" + size)
		d.press("ctrl+o")
		d.press("up")
		d.shows("!!git status")
	})
}

// A prompt waits for a running ! command, whose output goes to the model, but not for a
// !! command.
func TestPromptWaitsForShellCommand(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeAndPress("!make", "enter")
	d.events(shellStart("a", "make", true))
	d.typeAndPress("fix that", "enter")
	d.shows("queued  1  “fix that”")
	d.events(shellEnd("a", "make", true, event.OK, "exit 0", "[exit 0]\n"))
	d.wantCommands(event.RunShell{Line: "make", Join: true}, prompted("fix that"))
	d.events(userSaid("fix that"), turnEnd(event.Done, time.Second))

	d.typeAndPress("!!top", "enter")
	d.events(shellStart("b", "top", false))
	d.typeAndPress("never mind", "enter")
	d.wantCommands(event.RunShell{Line: "make", Join: true}, prompted("fix that"), event.RunShell{Line: "top"}, prompted("never mind"))
}

// A shell command can run during a turn. Esc interrupts both, and messages that waited
// for the command are held.
func TestShellCommandIsInterrupted(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeAndPress("go", "enter")
	d.events(userSaid("go"), streamed("r1", "I am at it."))
	d.typeAndPress("!sleep 60", "enter")
	d.events(shellStart("a", "sleep 60", true))
	d.typeAndPress("!ls", "enter")
	d.press("esc")
	d.shows("interrupting")
	d.events(shellEnd("a", "sleep 60", true, event.Interrupted, "", "interrupted by the user"), turnEnd(event.UserInterrupt, time.Second))
	d.wantCommands(prompted("go"), event.RunShell{Line: "sleep 60", Join: true}, event.Interrupt{})
	d.shows("held    1  “!ls”", "interrupted")
	d.hides("interrupting")
}

// A shell command that could not be started returns to the prompt.
func TestShellCommandNotRun(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeAndPress("!x", "enter")
	d.events(event.NotRun{Line: "x", Join: true, Why: "commands cannot be run here"})
	d.shows("commands cannot be run here", "› !x")
	d.typeAndPress("", "enter")
	d.wantCommands(event.RunShell{Line: "x", Join: true}, event.RunShell{Line: "x", Join: true})
}

// An exclamation mark starts a command only at the beginning and with text after it.
func TestParseShell(t *testing.T) {
	for typed, want := range map[string]string{
		"!ls": "ls true", "! ls -l ": "ls -l true", "!!ls": "ls false", "!! ls\nwc": "ls\nwc false", "  !x": "x true",
		"!": "", "!!": "", "! ": "", "wow!": "", "": "",
	} {
		line, join, ok := prompt.ParseShell(typed)
		got := ""
		if ok {
			got = line + map[bool]string{true: " true", false: " false"}[join]
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}

// Exclamation marks without a command are neither run nor sent; the usage is shown.
func TestShellPrefixWithoutCommand(t *testing.T) {
	for _, typed := range []string{"!", "!!", " ! "} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.typeAndPress(typed, "enter")
		d.wantCommands()
		d.shows("Usage: !COMMAND", "›"+strings.TrimRight(" "+typed, " "))
	}
}
