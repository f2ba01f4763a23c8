package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// connectable is a fake of what connects providers. It accepts the key sk-right.
type connectable struct {
	keyring bool
	kept    []string // "PROVIDER URL KEY COMMAND PLACE"
	tests   int
}

func (f *connectable) options() screen.Connect {
	return screen.Connect{
		Providers: func(context.Context) []screen.Provider {
			return []screen.Provider{
				{Name: "ollama", What: "runs at http://127.0.0.1:11434/v1 with 1 model", Local: true, Runs: true, URL: "http://127.0.0.1:11434/v1"},
				{Name: "acme", What: "Acme models", URL: "https://api.acme.example/v1", KeysAt: "https://acme.example/keys", Variable: "ACME_API_KEY"},
				{Name: "beta", What: "Beta\x1b[31m models", Connected: "API key: BETA_API_KEY", Keyed: true, URL: "https://beta.example", Variable: "BETA_API_KEY"},
				{Name: "custom", What: "any server with an OpenAI-compatible API, by its base URL", Other: true, NeedsURL: true, Keyless: true},
				{Name: "hub", What: "Hub models", URL: "https://hub.example", Program: "gh", Command: "/usr/bin/gh auth token"},
				{Name: "vllm", What: "local server, start it with: vllm serve MODEL", Local: true, URL: "http://127.0.0.1:8000/v1"},
			}
		},
		Test: func(_ context.Context, a *screen.Attempt) screen.Tested {
			f.tests++
			if a.Command != "" {
				a.Key = "sk-right"
			}
			in, out, yes := 1.25, 10.0, true
			models := []screen.Model{
				{Name: a.Provider + "/large", Context: 400_000, Input: &in, Output: &out, Tools: &yes, Images: &yes, Thinking: &yes, Default: true},
				{Name: a.Provider + "/small"},
			}
			switch {
			case strings.Contains(a.URL, "nothing"):
				return screen.Tested{Problem: "custom: nothing is listening on nothing"}
			case a.Provider == "vllm":
				return screen.Tested{Problem: "vllm: nothing is listening on 127.0.0.1:8000", Hint: "Start it in another terminal: vllm serve MODEL"}
			case a.Provider == "acme" && a.Key != "sk-right":
				return screen.Tested{Models: models, Problem: "acme answered 401: invalid key", Hint: "Check that the whole key was copied.", Key: true}
			case a.Provider == "custom":
				return screen.Tested{Models: models, Note: "The key is not verified."}
			}
			return screen.Tested{Models: models}
		},
		Places: func(screen.Attempt) ([]screen.Place, string) {
			session := screen.Place{ID: "session", Name: "Only until you quit", What: "in the memory of this program"}
			if f.keyring {
				return []screen.Place{{ID: "keyring", Name: "In the system keyring"}, session}, ""
			}
			return []screen.Place{{ID: "file", Name: "In the file", What: "not encrypted"}, session}, "The system keyring cannot be used: there is none.\nThe key can be stored in ~/secrets.json, which is not encrypted."
		},
		Keep: func(a screen.Attempt, place string) (string, error) {
			f.kept = append(f.kept, strings.Join([]string{a.Provider, a.URL, a.Key.Reveal(), a.Command, place}, " "))
			return "Connected " + a.Provider + ".", nil
		},
	}
}

// newConnecting returns the first screen of a session without a model.
func newConnecting(t *testing.T, width, height int, f *connectable) *driver {
	return newDriver(t, width, height, screen.Options{Connect: f.options(), Models: screen.Models{
		Name: "offline/guide", Why: "no model is connected", Welcome: "No model is connected. To connect one, press Enter or type /connect."}})
}

// Every step of /connect is shown, from Enter on the first screen to the model.
func TestConnect(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		f := &connectable{}
		d := newConnecting(t, w, h, f)
		step := func(name string, keys ...string) {
			t.Helper()
			d.press(keys...)
			d.golden("connect-" + name + "-" + size)
		}
		step("providers", "enter")
		d.typeText("ac")
		step("key", "enter")
		d.press("enter")
		d.send(tea.PasteMsg{Content: " sk-wrong\n"})
		step("field")
		step("failed", "enter")
		d.press("enter")
		d.typeText("sk-right")
		step("places", "enter")
		step("models", "enter")
		d.press("enter")
		d.wantCommands(event.SetModel{Model: "acme/large"})
		d.shows("Connected acme.")
		if want := "[acme  sk-right  file]"; fmt.Sprint(f.kept) != want {
			t.Errorf("kept %s, want %s", f.kept, want)
		}
	})
}

// lacks checks that a text is not on the screen.
func (d *driver) lacks(text string) {
	d.t.Helper()
	if strings.Contains(d.screen(), text) {
		d.t.Errorf("%q is on the screen:\n%s", text, d.screen())
	}
}

// The other ways to connect: a keyring, a local server, a server by its URL, a command, the
// current key, and settings that the test did not confirm.
func TestConnectWays(t *testing.T) {
	for name, row := range map[string]struct {
		keyring bool
		typed   []string // a text, or a key if it is the name of one
		kept    string
		model   string
	}{
		"keyring":      {true, []string{"/connect acme", "enter", "enter", "sk-right", "enter", "enter"}, "acme  sk-right  keyring", "acme/large"},
		"until quit":   {false, []string{"/connect acme", "enter", "enter", "sk-right", "enter", "only", "enter", "sm", "enter"}, "acme  sk-right  session", "acme/small"},
		"local server": {false, []string{"/connect", "enter", "enter", "enter"}, "ollama    ", "ollama/large"},
		"a URL":        {false, []string{"/connect", "enter", "another", "enter", "http://127.0.0.1:1/v1", "enter", "no key", "enter", "enter"}, "custom http://127.0.0.1:1/v1   ", "custom/large"},
		"a command":    {false, []string{"/login acme", "enter", "command", "enter", "pass show acme", "enter", "enter"}, "acme  sk-right pass show acme ", "acme/large"},
		"a login":      {false, []string{"/connect hub", "enter", "enter", "enter"}, "hub  sk-right /usr/bin/gh auth token ", "hub/large"},
		"current key":  {false, []string{"/connect beta", "enter", "enter", "enter"}, "beta    ", "beta/large"},
		"kept anyway":  {true, []string{"/connect acme", "enter", "enter", "sk-odd", "enter", "keep", "enter", "enter"}, "acme  sk-odd  keyring", "acme/large"},
		"typed model":  {true, []string{"/connect acme", "enter", "enter", "sk-right", "enter", "acme/huge-2", "enter"}, "acme  sk-right  keyring", "acme/huge-2"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &connectable{keyring: row.keyring}
			d := newConnecting(t, 80, 24, f)
			for _, typed := range row.typed {
				if typed == "enter" {
					d.press(typed)
				} else {
					d.typeText(typed)
				}
			}
			if got := strings.Join(f.kept, "|"); got != row.kept {
				t.Errorf("kept %q, want %q", got, row.kept)
			}
			d.wantCommands(event.SetModel{Model: row.model})
		})
	}
}

// Esc goes back one step and ctrl+c closes all, at each step. Nothing is kept, and the draft
// stays.
func TestConnectCancelled(t *testing.T) {
	steps := []struct {
		typed, on, back string // back is on the screen after esc
	}{
		{"/connect\r", "Connect a model provider", ""},
		{"acme\r", "To create one", "Connect a model provider"},
		{"\r", "enter test the key", "Paste a key"},
		{"sk-wrong\r", "the test failed", "Paste a key"},
		{"\rsk-right\r", "where to keep the key", "Paste a key"},
		{"\r", "select a model", "Use the current key"},
	}
	for i, s := range steps {
		for _, key := range []string{"esc", "ctrl+c"} {
			t.Run(s.on+" "+key, func(t *testing.T) {
				f := &connectable{}
				d := newConnecting(t, 80, 24, f)
				for _, s := range steps[:i+1] {
					for _, r := range s.typed {
						if r == '\r' {
							d.press("enter")
						} else {
							d.typeText(string(r))
						}
					}
				}
				d.shows(s.on)
				d.press(key)
				if key == "esc" && s.back != "" {
					d.shows(s.back)
				} else {
					d.lacks("Connect acme")
					d.lacks("Connect a model provider")
				}
				if i < len(steps)-1 && len(f.kept) > 0 {
					t.Errorf("kept %q", f.kept)
				}
				d.wantCommands()
			})
		}
	}
}

// A draft is still there after a model was connected with the palette. The key is in no draft.
func TestConnectKeepsDraft(t *testing.T) {
	f := &connectable{keyring: true}
	d := newConnecting(t, 80, 24, f)
	d.typeText("fix the parser")
	d.press("ctrl+p")
	d.typeText("connect")
	d.press("enter")
	d.typeText("acme")
	d.press("enter", "enter")
	d.typeText("sk-right")
	d.press("left", "backspace") // sk-rigt
	d.typeText("h")
	d.lacks("sk-")
	d.press("enter", "enter")
	d.shows("› fix the parser")
	if want := "[acme  sk-right  keyring]"; fmt.Sprint(f.kept) != want {
		t.Errorf("kept %s, want %s", f.kept, want)
	}
	for _, draft := range d.savedDrafts {
		if strings.Contains(fmt.Sprintf("%#v", draft), "sk-") {
			t.Errorf("the key is in the draft %v", draft)
		}
	}
	d.press("ctrl+c", "up")
	d.lacks("sk-")
}

// The list of models leads to the providers that are not connected.
func TestModelsConnect(t *testing.T) {
	f := &connectable{}
	d := newDriver(t, 80, 24, screen.Options{Connect: f.options(), Models: screen.Models{List: func(ctx context.Context, all bool) ([]screen.Model, error) {
		return []screen.Model{{Name: "acme", Needs: "set ACME_API_KEY"}}, nil
	}}})
	d.typeText("/model")
	d.press("enter")
	d.shows("acme is not connected. Enter connects it.")
	d.press("enter")
	d.shows("Connect acme: API key")
}

func TestConnectErrors(t *testing.T) {
	f := &connectable{}
	d := newConnecting(t, 80, 24, f)
	d.typeText("/connect acne")
	d.press("enter")
	d.shows("There is no provider “acne”. Did you mean /connect acme?")
	d.typeText("/connect acme sk-right")
	d.press("enter")
	d.shows("usage: /connect [PROVIDER]")
	d.press("ctrl+c")
	d.typeText("/connect vllm")
	d.press("enter")
	d.shows("nothing is listening on 127.0.0.1:8000")
	d.press("enter")
	if f.tests != 2 {
		t.Errorf("got %d tests, want another one after Enter", f.tests)
	}
	d.press("ctrl+c")
	d.typeText("/connect acme")
	d.press("enter")
	d.typeText("set")
	d.press("enter")
	d.shows("export ACME_API_KEY=…")
}

// In plain mode each step is printed, and a line after a field is its text, never a prompt.
func TestConnectPlain(t *testing.T) {
	f := &connectable{}
	o := screen.Options{Connect: f.options(), Models: screen.Models{Name: "offline/guide"}}
	got := runPlainTyped(t, o, exchange{"> ", "/connect"}, exchange{"to cancel", "acme"}, exchange{"Paste a key", "1"},
		exchange{"first to", "sk-wrong"}, exchange{"401: invalid key", "1"}, exchange{"first to", "sk-right"},
		exchange{"which is not encrypted", "1"}, exchange{"large", "1"}, exchange{"> ", "/connect acme"}, exchange{"Paste a key", "1"}, exchange{"first to", ""}, exchange{"> ", "/quit"})
	if want := "[acme  sk-right  file]"; fmt.Sprint(f.kept) != want {
		t.Errorf("kept %s, want %s", f.kept, want)
	}
	if !strings.Contains(got, "Connected acme.") || strings.Contains(got, "sk-") {
		t.Errorf("got %s", got)
	}
}

// A key that is pasted before its field is open is masked, too.
func TestConnectPastesIntoTheMenu(t *testing.T) {
	d := newConnecting(t, 80, 24, &connectable{})
	d.run("/connect acme")
	d.shows("Paste a key")
	d.send(tea.PasteMsg{Content: " sk-right\n"})
	d.shows("8 characters")
	if s := d.screen(); strings.Contains(s, "sk-") {
		t.Errorf("the key is on the screen:\n%s", s)
	}
	d.press("enter")
	d.shows("where to keep the key")
}

// Without a model, Enter on an empty prompt and the words connect and login open the list, also
// after the first answer. A model that is no provider finds its provider.
func TestConnectWithoutACommand(t *testing.T) {
	for _, typed := range []string{"", "connect", "Login"} {
		d := newConnecting(t, 80, 24, &connectable{})
		d.events(userSaid("hi"), &event.TurnEnd{Reason: event.Done})
		d.typeText(typed)
		d.press("enter")
		d.shows("Connect a model provider")
	}
	d := newConnecting(t, 80, 24, &connectable{})
	d.run("/connect Acme-models")
	d.shows("There is no provider")
	d.run("/connect OpenAI-compatible")
	d.shows("another server")
}
