package tui

import (
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestEffort(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{Name: "openai/gpt-5"}})
	says := func(want string) {
		t.Helper()
		if got := d.screen(); !strings.Contains(got, want) {
			t.Errorf("the screen does not say %q:\n%s", want, got)
		}
	}
	d.typeText("/effort")
	d.press("enter")
	says("Reasoning effort of openai/gpt-5: default.")
	d.typeText("/effort high")
	d.press("enter")
	d.wantCommands(event.SetModel{Model: "openai/gpt-5", Effort: "high"})
	d.events(&event.ModelSet{Model: "openai/gpt-5", Effort: "high"})
	says("openai/gpt-5 high · ")
	d.typeText("/effort")
	d.press("enter")
	says("Reasoning effort of openai/gpt-5: high.")
}

// A command with wrong arguments stays in the prompt.
func TestMistypedCommandStays(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Export: func(string) (string, error) { return "", nil }}})
	d.events(userSaid("go"), done(llm.Assistant, "r", "There:\n```\nls\n```"), turnEnd(event.Done, 0))
	for _, typed := range []string{"/mode nosuch", "/theme pink", "/jobs halt", "/export pdf", "/copy that", "/copy code 7", "/rewind x", "/fork 99"} {
		d.typeText(typed)
		d.press("esc", "enter") // esc closes the suggestions
		d.promptIs(typed)
		d.press("ctrl+u")
	}
	d.wantCommands()
	d.typeText("/mode plan")
	d.press("esc", "enter")
	d.promptIs("")
	d.wantCommands(event.SetMode{Mode: "plan"})
}

// The model key opens the model picker and keeps the draft.
func TestModelKey(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Models: screen.Models{List: modelCatalog}})
	d.typeText("half a prompt")
	d.press("alt+p")
	if got := d.screen(); !strings.Contains(got, "Select a model") {
		t.Errorf("the model picker is missing:\n%s", got)
	}
	d.press("esc")
	if got := d.screen(); !strings.Contains(got, "half a prompt") {
		t.Errorf("the draft is lost:\n%s", got)
	}
}
