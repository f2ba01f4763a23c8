package tui

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// modelCatalog lists models like the program: first the connected ones, then all.
func modelCatalog(_ context.Context, all bool) ([]screen.Model, error) {
	in, out, free := 1.25, 10.0, 0.0
	models := []screen.Model{
		{Name: "acme/large", Context: 400_000, Input: &in, Output: &out, Why: "ACME_API_KEY is set", Default: true},
		{Name: "acme/small", Context: 128_000, Input: &free, Output: &free, Why: "ACME_API_KEY is set"},
		{Name: "ollama/\x1b[31mred", Why: "runs here"},
	}
	if all {
		models = append(models, screen.Model{Name: "beta", Needs: "set BETA_API_KEY"})
	}
	return models, nil
}

func TestModelPicker(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{Models: screen.Models{List: modelCatalog, Name: "acme/small"}})
		d.typeText("/model")
		d.press("enter")
		d.golden("models-" + size)
		d.typeText("bet")
		d.press("enter")
		if !strings.Contains(strings.Join(strings.Fields(d.screen()), " "), "beta is not connected. To connect it: set BETA_API_KEY") {
			t.Errorf("the instructions to connect the model are missing:\n%s", d.screen())
		}
		for _, typed := range []string{"lar", "nine/lives"} {
			d.typeText("/model")
			d.press("enter")
			d.typeText(typed)
			d.press("enter")
		}
		d.wantCommands(event.SetModel{Model: "acme/large"}, event.SetModel{Model: "nine/lives"})
	})
}

func TestModelNamesAreSuggested(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{List: modelCatalog}})
	d.typeText("/model acme/s")
	if !strings.Contains(d.screen(), "acme/small") {
		t.Errorf("no model is suggested:\n%s", d.screen())
	}
}

// The search of /keys also finds other forms of a word.
func TestKeySearchFindsOtherForms(t *testing.T) {
	for word, want := range map[string]string{
		"copies":    "copy the selection",
		"scrolling": "scroll up",
		"searches":  "search the transcript",
		"unqueue":   "remove the last queued message",
		"selecting": "extend the selection left",
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.typeText("/keys " + word)
		d.press("enter")
		d.shows(want)
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/keys nonsense")
	d.press("enter")
	d.shows("No matching key binding.")
}

func TestPalette(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		var kept []string
		d := newDriver(t, w, h, screen.Options{Recent: []string{"/cost"}, Remember: func(recent []string) { kept = recent }})
		d.press("ctrl+p")
		many := regexp.MustCompile(`  1 of \d+\n$`) // the number changes with every new key binding
		d.compare("palette-"+size, many.ReplaceAllString(d.screen(), "  1 of N\n"))
		d.checkOtherBackground()
		d.typeText("open-a") // an action of a key binding
		d.press("enter")
		d.press("ctrl+p")
		d.typeText("mouse")
		d.press("enter")
		if d.m.mouse.on {
			t.Error("mouse capture is still on")
		}
		d.typeText("a draft")
		d.press("ctrl+p")
		d.typeText("/ren")
		d.press("enter")
		if got := d.m.editor.Shown(); got != "/rename " {
			t.Errorf("got %q in the editor, want a command to complete", got)
		}
		d.press("ctrl+c", "ctrl+p")
		d.typeText("status")
		d.press("enter")
		if !strings.Contains(d.screen(), "mode       ask") {
			t.Errorf("the command did not run:\n%s", d.screen())
		}
		if diff := cmp.Diff(kept, []string{"/status", "/rename", "mouse", "open-all", "/cost"}); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRecentIsSavedAtTheEnd saves the action used last although the screen ends
// before its command ran, once and never over a newer one.
func TestRecentIsSavedAtTheEnd(t *testing.T) {
	var saved [][]string
	d := newDriver(t, 80, 24, screen.Options{Remember: func(recent []string) { saved = append(saved, recent) }})
	first, _ := d.m.slash.Run("cost", "")
	second, _ := d.m.slash.Run("status", "")
	d.m.slash.Palette.SaveRecent()
	d.runCmd(first)
	d.runCmd(second)
	d.m.slash.Palette.SaveRecent()
	if diff := cmp.Diff(saved, [][]string{{"/status", "/cost"}}); diff != "" {
		t.Error(diff)
	}
}

func TestPaletteKeepsTheDraftInHistory(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("a draft")
	d.press("ctrl+p")
	d.typeText("/rename")
	d.press("enter", "ctrl+c", "up", "up")
	if got := d.m.editor.Shown(); got != "a draft" {
		t.Errorf("got %q in the editor, want the draft", got)
	}
}

func TestKeySearch(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/keys suspend")
	d.press("enter")
	if s := d.screen(); !strings.Contains(s, "ctrl+z") || !strings.Contains(s, "named suspend in the configuration") || strings.Contains(s, "ctrl+o") {
		t.Errorf("want only the matching key binding:\n%s", s)
	}
	d.press("esc")
	if !strings.Contains(d.screen(), "? help") {
		t.Errorf("esc does not close the list:\n%s", d.screen())
	}
}

// A dialog that opens behind a list is announced in the list's last line.
func TestDialogBehindAList(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"))
	d.press("ctrl+p")
	d.events(call("r", "1", "edit"), event.Asked{Ask: event.Ask{ID: "1", Title: "edit a.go"}})
	if !strings.Contains(d.screen(), "a question waits · esc shows it") {
		t.Errorf("the waiting dialog is not announced:\n%s", d.screen())
	}
	d.press("esc")
	if !strings.Contains(d.screen(), "edit a.go") {
		t.Errorf("the dialog is not shown after esc:\n%s", d.screen())
	}
}

// connectText is the text of a session without a model.
const connectText = `No model is connected. The built-in offline guide answers simple requests:
read FILE · find WORD in *.go · replace A with B in FILE · run COMMAND.

To connect a model, do one of the following:
  export ANTHROPIC_API_KEY=… (or OPENAI_API_KEY, OPENROUTER_API_KEY, …)
  agent login anthropic          store an API key in the system keyring
  ollama serve                   local servers are detected automatically`

func TestWelcome(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{Models: screen.Models{List: modelCatalog, Name: "offline/guide", Welcome: connectText}})
		d.golden("welcome-" + size)
		d.typeText("hello")
		d.press("enter")
		d.wantCommands(event.Prompt{Text: "hello"})
	})
}

// TestWelcomeWaitsForSearch shows how to connect a model only once none was
// found.
func TestWelcomeWaitsForSearch(t *testing.T) {
	searching := func() *driver {
		d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{List: modelCatalog, Name: "offline/guide", Searching: true, Welcome: connectText}})
		if got := d.screen(); !strings.Contains(got, "Searching for a model") || strings.Contains(got, "No model is connected") || strings.Contains(got, "just type") {
			t.Errorf("during the search:\n%s", got)
		}
		return d
	}
	d := searching()
	d.events(event.Searched{})
	d.golden("welcome-80x24")
	d = searching()
	d.events(&event.ModelSet{Model: "ollama/tiny", Why: "it is there"}, event.Notice{Text: "ollama/tiny answers now."}, event.Searched{})
	if got := d.screen(); strings.Contains(got, "Searching for a model") || strings.Contains(got, "No model is connected") || !strings.Contains(got, "ollama/tiny answers now.") {
		t.Errorf("after a model was found:\n%s", got)
	}
	d.runCmd(d.m.slash.Models.Show()) // the list of models arrives late
	d.press("esc")
	if got := d.screen(); strings.Contains(got, "No model is connected") {
		t.Errorf("after the models were listed:\n%s", got)
	}
}

func TestStatusCommand(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{ID: "s1", Title: "the build", Path: "~/.local/state/agent/s1.jsonl"}, Files: screen.Files{Dir: "~/shop"}, Models: screen.Models{Name: "acme/one", Effort: "high", Host: "gpu.lan:8000", BaseURL: "http://***@gpu.lan:8000/v1"}})
	d.events(userSaid("one"), done(llm.Assistant, "r", "Yes."), &event.StepEnd{Reply: "r", Usage: llm.Usage{Input: 9000, Output: 1000}}, turnEnd(event.Done, time.Second))
	d.typeText("/status")
	d.press("enter")
	d.wantCommands(event.ListPermissions{})
	d.events(permissionsNow())
	d.golden("status")
	d.events(event.PermissionsNow{Permissions: []event.Permission{{Text: "nobody requested this"}}})
	if got := d.screen(); strings.Contains(got, "nobody requested this") || strings.Contains(got, "1 rule") {
		t.Errorf("permissions are shown twice:\n%s", got)
	}
}

// permissionsNow returns permissions of every source.
func permissionsNow() event.PermissionsNow {
	return event.PermissionsNow{Mode: event.ModeAuto, File: "~/.local/state/agent/projects/0a.json", Permissions: []event.Permission{
		{ID: "a", Text: "deny command: git push", Source: "/etc/agent/policy.json:4"},
		{ID: "b", Text: "allow command: go \x1b[31mtest", Source: "~/.config/agent/config.json:12"},
		{ID: "c", Text: "ask edit: docs/**", Source: "~/.local/state/agent/projects/0a.json:5", Removable: true},
		{ID: "d", Text: "always allow `make test` with common options in this project", Source: "this project", Granted: true, Removable: true},
		{ID: "e", Text: "always allow requests to example.org", Source: "this session", Granted: true, Removable: true},
	}}
}

// Without permissions, /permissions remove says so.
func TestNoPermissionsToRemove(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/permissions")
	d.press("enter")
	d.events(event.PermissionsNow{})
	d.typeText("/permissions remove 1")
	d.press("enter")
	d.shows("there are no permissions to remove")
}

// /permissions lists, explains and removes. The numbers are those of the list on the
// screen, also if the permissions have changed since.
func TestPermissionsCommand(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	run := func(text string) {
		t.Helper()
		d.typeText(text)
		d.press("enter")
	}
	run("/permissions remove 1")
	if got := d.screen(); !strings.Contains(got, "list the permissions first: /permissions") {
		t.Errorf("without a list:\n%s", got)
	}
	d.press("ctrl+u")
	run("/permissions")
	d.events(permissionsNow())
	d.golden("permissions")
	d.events(event.PermissionsNow{Mode: event.ModeAsk}) // requested by nobody
	run("/permissions remove 5")
	d.events(&event.PermissionRemoved{Text: "always allow requests to \x1b]0;evil\aexample.org"})
	run("/permissions remove 2")
	run("/permissions explain rm -rf 'a b' && ls")
	d.events(event.Explained{Lines: []string{"ask", "  rm -rf \"a b\": \x1b[8m`rm` deletes files", "  ls: only reads", "Decided by: mode ask: commands need approval unless they are known to be read-only"}})
	d.golden("permissions-changed")
	for _, wrong := range []string{"/permissions remove 6", "/permissions remove x", "/permissions explain", "/permissions all"} {
		run(wrong)
		if got := d.screen(); !strings.Contains(got, "usage: /permissions") && !strings.Contains(got, "there is no permission 6") {
			t.Errorf("%s:\n%s", wrong, got)
		}
		d.press("ctrl+u")
	}
	d.wantCommands(event.ListPermissions{}, event.RemovePermission{ID: "e"}, event.ExplainPermission{Line: "rm -rf 'a b' && ls"})
}

// Without rules and standing permissions the list says so.
func TestNoPermissions(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("/permissions")
	d.press("enter")
	d.events(event.PermissionsNow{Mode: event.ModeAsk})
	if got := d.screen(); !strings.Contains(got, "no rules and no standing permissions") {
		t.Errorf("without permissions:\n%s", got)
	}
}

// The mode key skips modes that the system policy excludes.
func TestModeKeySkipsExcludedModes(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Mode: "ask", Modes: []event.Mode{event.ModePlan, event.ModeAsk}}})
	d.press("shift+tab", "shift+tab")
	d.wantCommands(event.SetMode{Mode: event.ModePlan}, event.SetMode{Mode: event.ModeAsk})
}

func TestCommandsDuringATurn(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"))
	d.typeText("/new")
	d.press("enter")
	if d.quit || !strings.Contains(d.screen(), "interrupt it first") || d.m.editor.Shown() != "/new" {
		t.Errorf("/new leaves the session during a turn:\n%s", d.screen())
	}
}

// A list that does not fit shows the number of the marked row and the total. Its heading
// is not truncated.
func TestListShowsThePosition(t *testing.T) {
	d := newDriver(t, 40, 12, screen.Options{})
	d.events(userSaid("one"), turnEnd(event.Done, 0))
	d.typeText("/keys")
	d.press("enter")
	d.shows("1 of ")
	d.press("down", "down")
	d.shows("3 of ")
	d.typeText("vi")
	d.typeText("ew-top")
	d.hides(" of ")
	d.press("esc")
	d.typeText("/rewind")
	d.press("enter")
	d.hides("…", " of ")
	d.shows("Rewind the session to before a prompt\n")
}

// The dialog scrolls while the user types a comment.
func TestScrollWhileCommenting(t *testing.T) {
	d := newDriver(t, 40, 14, screen.Options{})
	url := "https://example.org/" + strings.Repeat("path/", 60)
	d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: "1", Title: "fetch " + url, Effect: "network"}})
	d.armDialog()
	d.typeText("not there")
	d.hides("the end")
	d.shows("pgup, pgdn")
	for range 9 {
		d.press("pgdown")
	}
	d.shows("the end ·", "not there")
	d.press("enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse, Note: "not there"})
}
