package tui

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"agent/internal/elicit"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// formAsk returns a turn up to a question of an MCP server.
func formAsk(f elicit.Form) []event.Event {
	target := event.Target{Kind: event.MCPTarget, Value: "desk/book", Input: "{}"}
	return []event.Event{
		userSaid("book a table"),
		call("r1", "1", "mcp__desk__book"),
		start("1", "call desk/book", "network"),
		event.Asked{Ask: event.Ask{ID: "1", Title: "call desk/book", Effect: "network", Targets: []event.Target{target}, Form: &f}},
	}
}

// booking has a field of each kind.
func booking() elicit.Form {
	n := func(f float64) *float64 { return &f }
	return elicit.Form{Server: "desk", Tool: "book", Message: "Which table?\n\x1b[2JType your \x1b[31mpassword\x1b[0m, please.", Fields: []elicit.Field{
		{Name: "name", Title: "Name\x1b[31m", Description: "for the list at the door", Kind: elicit.Text, Required: true, Min: n(2)},
		{Name: "guests", Kind: elicit.Integer, Required: true, Min: n(1), Max: n(12)},
		{Name: "room", Title: "Room", Kind: elicit.One, Choices: []elicit.Choice{{Value: "g", Title: "Garden"}, {Value: "h", Title: "Hall"}}},
		{Name: "with", Title: "With", Kind: elicit.Some, Choices: []elicit.Choice{{Value: "d", Title: "Dog"}, {Value: "c", Title: "Child seat"}}},
		{Name: "smoke", Title: "Smoking", Kind: elicit.YesNo, Default: false},
	}}
}

func TestForm(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(formAsk(booking())...)
		d.armDialog()
		d.golden("form-" + size)
		d.typeText("Ann")
		d.press("enter")
		d.typeText("13")
		d.press("enter")
		d.golden("form-invalid-" + size)
		d.press("backspace", "enter", "2", "down")
		d.golden("form-choices-" + size)
		d.press("2", "down", "y", "down", "down")
		d.advance(dialog.Quiet) // the end of the form came into view
		d.press("up")
		d.pressSlowly("enter")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Answered, Values: map[string]any{"name": "Ann", "guests": 1.0, "room": "h", "with": []any{"c"}, "smoke": true}})
	})
}

// A form is not sent before its values are valid, and the marker goes to the first that is
// not.
func TestFormIsChecked(t *testing.T) {
	d := newDriver(t, 100, 30, screen.Options{})
	d.events(formAsk(booking())...)
	d.armDialog()
	d.press("down", "down", "down", "down", "down")
	d.pressSlowly("enter")
	d.shows("a value is required")
	d.wantCommands()
	d.typeText("Bo")
	d.press("enter")
	d.typeText("3")
	d.press("down", "down", "down", "down", "down")
	d.pressSlowly("enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse})
}

// In a low window, the marked choice of a long list, the number of choices to select, a
// problem and the complete text of a long label are on the screen.
func TestFormShowsTheMarkedChoice(t *testing.T) {
	var tags []elicit.Choice
	for i := range 30 {
		tags = append(tags, elicit.Choice{Value: "tag" + strconv.Itoa(i), Title: "a label of many words that does not fit on a line, number " + strconv.Itoa(i)})
	}
	least, most := 2.0, 3.0
	d := newDriver(t, 60, 20, screen.Options{})
	d.events(formAsk(elicit.Form{Server: "desk", Tool: "book", Fields: []elicit.Field{
		{Name: "tags", Title: "The table with a view of the garden, and no refund", Kind: elicit.Some, Choices: tags, Min: &least, Max: &most, Required: true},
		{Name: "one", Kind: elicit.One, Choices: tags},
	}})...)
	d.armDialog()
	d.shows("garden, and no refund *")
	d.shows("2 to 3 of the choices")
	d.shows("space or digit select")
	d.press("enter")
	d.shows("select at least 2 choices")
	d.press("left")
	d.shows("number 29")
	for range 12 {
		d.press("left")
	}
	d.press("space")
	d.shows("[x] a label")
	d.shows("number 17")
	d.press("down")
	for range 15 {
		d.press("right")
	}
	d.shows("(x) a label")
	d.shows("number 14")
}

// Keys that were meant for the draft fill in nothing, and send nothing.
func TestFormTakesNoKeysAhead(t *testing.T) {
	d := newDriver(t, 100, 30, screen.Options{})
	d.typeText("also ")
	d.events(formAsk(elicit.Form{Server: "desk", Tool: "book", Fields: []elicit.Field{{Name: "note", Kind: elicit.Text}}})...)
	d.typeText("tell me")
	d.armDialog()
	d.typeText(" more")
	d.wantCommands()
	d.armDialog()
	d.press("down", "x", "enter", "enter") // the second enter is too fast
	d.wantCommands()
	d.advance(dialog.Quiet)
	d.press("enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Answered, Values: map[string]any{"note": "x"}})
	d.promptIs("also tell me more")
}

func TestFormIsCancelled(t *testing.T) {
	d := newDriver(t, 100, 30, screen.Options{})
	d.events(formAsk(booking())...)
	d.armDialog()
	d.press("A", "esc")
	d.wantCommands(event.Interrupt{})
	ask := formAsk(booking())[3].(event.Asked)
	ask.Ask.Agent = "explore 2"
	d = newDriver(t, 100, 30, screen.Options{})
	d.events(userSaid("look"), ask)
	d.armDialog()
	d.press("esc")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse})
}

// A form without fields is a message to confirm.
func TestFormWithoutFields(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(formAsk(elicit.Form{Server: "desk", Tool: "book", Message: "Delete all tables?"})...)
	d.armDialog()
	d.shows("│ Delete all tables?")
	d.pressSlowly("enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Answered, Values: map[string]any{}})
}

// What the user entered into a form that closes is there again if the server asks again, but
// not what may be a secret, and not after the user has declined.
func TestFormThatClosesIsKept(t *testing.T) {
	form := booking()
	form.Fields = append(form.Fields, elicit.Field{Name: "pass", Title: "Passphrase", Kind: elicit.Text})
	d := newDriver(t, 100, 30, screen.Options{})
	d.events(formAsk(form)...)
	d.armDialog()
	d.typeText("Ann")
	d.press("enter", "x", "down", "2", "down", "down", "down")
	d.typeText("hunter2")
	d.press("esc")
	d.wantCommands(event.Interrupt{})
	d.events(turnEnd(event.UserInterrupt, 0))
	d.shows("The form of the MCP server desk has closed.")
	d.events(formAsk(form)...)
	d.armDialog()
	d.shows("› Ann")
	d.shows("  x")
	d.shows("  Hall")
	d.hides("hunter2")
	d.events(event.AskDone{ID: "1"}) // the server no longer waits
	d.events(formAsk(form)[3])
	d.armDialog()
	d.shows("› Ann")
	for range 8 {
		d.press("down")
	}
	d.pressSlowly("enter")
	d.wantCommands(event.Interrupt{}, event.Answer{ID: "1", Decision: event.Refuse})
	d.events(formAsk(form)[3])
	d.hides("Ann")
}

// A long message must be read to its end before the form is sent.
func TestFormWithALongMessage(t *testing.T) {
	f := elicit.Form{Server: strings.Repeat("desk", 30), Tool: strings.Repeat("t", 200), Message: strings.Repeat("Read all of this.\n", 200)}
	for i := range 30 {
		f.Fields = append(f.Fields, elicit.Field{Name: strings.Repeat("field", 30) + string(rune('a'+i%26)), Kind: elicit.Text, Description: strings.Repeat("long ", 90)})
	}
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(formAsk(f)...)
		d.armDialog()
		d.golden("form-long-" + size)
		d.press("up")
		d.golden("form-long-field-" + size)
		for range 31 {
			d.press("down")
		}
		d.golden("form-long-end-" + size)
	})
}

func TestPage(t *testing.T) {
	page := "https://xn--pypal-4ve.example/login?next=" + strings.Repeat("a", 90)
	ask := formAsk(elicit.Form{Server: "desk", Tool: "book", Message: "Log in to pay.", URL: page})
	opened := ""
	for _, c := range []struct {
		key, opened string
		fails       error
		shows       string
	}{
		{"1", page, nil, "Opening this page in your browser"},
		{"1", page, errors.New("no xdg-open"), "Cannot open a browser: no xdg-open. Open this page yourself:"},
		{"2", "", nil, "Open this page in your browser:"},
		{"3", "", nil, ""},
	} {
		opened = ""
		d := newDriver(t, 100, 30, screen.Options{MCP: screen.MCP{Browse: func(url string) error { opened = url; return c.fails }}})
		d.events(ask...)
		d.armDialog()
		d.golden("form-page-100x30")
		d.pressSlowly(c.key)
		want := event.Allow
		if c.key == "3" {
			want = event.Refuse
		}
		d.wantCommands(event.Answer{ID: "1", Decision: want})
		if d.shows(c.shows); opened != c.opened {
			t.Errorf("%s opened %q", c.key, opened)
		}
	}
}
