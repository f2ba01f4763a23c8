package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// An API key that is entered as a prompt is never sent, drawn, or kept as a draft or in the
// history. It opens /connect, which tests and keeps it.
func TestKeyAsPrompt(t *testing.T) {
	const key = "sk-ant-api03-aBcDeFgHiJkLmNoP1234567890"
	for _, text := range []string{key, " " + key + "\n", "sk-proj1234567890abcdefghij", "/connect " + key} {
		f := &connectable{keyring: true}
		d := newConnecting(t, 80, 24, f)
		d.send(tea.PasteMsg{Content: text})
		d.press("enter")
		d.wantCommands()
		d.lacks("sk-")
		d.shows("Connect a model provider", "That looks like an API key, so it was not sent")
		d.typeText("acme")
		d.press("enter")
		d.shows("characters", "test the key")
		d.lacks("sk-")
		d.press("ctrl+c")
		d.press("up", "ctrl+z")
		d.lacks("sk-")
		for _, draft := range d.savedDrafts {
			if strings.Contains(fmt.Sprintf("%#v", draft), "sk-") {
				t.Errorf("the key is in the draft %v", draft)
			}
		}
	}
	for _, text := range []string{"sk-learn", "sk-learn-pipeline-refactoring-of-models", "use sk-ant-api03-aBcDeFgHiJkLmNoP1234567890"} {
		d := newConnecting(t, 80, 24, &connectable{})
		d.typeText(text)
		d.press("enter")
		d.lacks("API key, so")
	}
}

// A key that is typed or pasted into a list of /connect is masked.
func TestKeyInAList(t *testing.T) {
	d := newConnecting(t, 80, 24, &connectable{})
	d.run("/connect")
	d.typeText("sk-ant-api03-aBcDeFgHiJkLmNoP1234567890")
	d.lacks("sk-")
	d.shows("characters")
	d.press("enter")
	d.shows("That looks like an API key")
	d = newConnecting(t, 80, 24, &connectable{})
	d.run("/connect")
	d.send(tea.PasteMsg{Content: "sk-ant-api03-aBcDeFgHiJkLmNoP1234567890"})
	d.lacks("sk-")
	d.shows("That looks like an API key")
	d = newConnecting(t, 80, 24, &connectable{})
	d.run("/connect acme")
	d.typeText("sk-right")
	d.lacks("sk-")
	d.press("enter")
	d.shows("where to keep the key")
}

// The base URL is tested before the user enters a key.
func TestBaseURLIsTestedFirst(t *testing.T) {
	d := newConnecting(t, 80, 24, &connectable{})
	d.run("/connect custom")
	d.typeText("http://nothing")
	d.press("enter")
	d.shows("nothing is listening on nothing", "Change the base URL", "Continue anyway")
	d.press("enter")
	d.shows("http://nothing")
	d.press("esc")
	d.shows("Connect a model provider")
}
