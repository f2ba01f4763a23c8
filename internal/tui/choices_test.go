package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// choiceAsk returns a turn up to a multiple-choice question.
func choiceAsk(many bool) []event.Event {
	const text = "Which database should the sessions be kept in? The tests use SQLite today, production has PostgreSQL, and both would work."
	return []event.Event{
		userSaid("keep sessions in a database"),
		call("r1", "1", "ask"),
		start("1", "ask "+text, "read"),
		event.Asked{Ask: event.Ask{ID: "1", Title: "ask " + text, Effect: "read", Question: text, Many: many, Choices: []event.Choice{
			{Text: "SQLite", Explain: "one file, nothing to run"},
			{Text: "PostgreSQL", Explain: "what production has"},
			{Text: "both", Explain: "behind an \x1b[31minterface"},
		}}},
	}
}

func TestAskChoice(t *testing.T) {
	for name, many := range map[string]bool{"choice": false, "choices": true} {
		sizes(t, func(t *testing.T, size string, w, h int) {
			d := newDriver(t, w, h, screen.Options{})
			d.events(choiceAsk(many)...)
			d.armDialog()
			d.golden("ask-" + name + "-" + size)
			d.press("down")
			if many {
				d.press("space")
			}
			d.golden("ask-" + name + "-marked-" + size)
			d.typeText("but keep it small")
			d.golden("ask-" + name + "-words-" + size)
		})
	}
}

func TestAskChoiceLong(t *testing.T) {
	long := strings.Repeat("that is explained at some length ", 5)
	ask := event.Ask{ID: "1", Title: "ask Which?", Effect: "read", Question: "Which one of these should it be?\nThink well.",
		Choices: []event.Choice{{Text: "the first", Explain: long}, {Text: strings.Repeat("second ", 14), Explain: long}, {Text: "third", Explain: long}}}
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("go"), call("r1", "1", "ask"), start("1", "ask Which?", "read"), event.Asked{Ask: ask})
		d.armDialog()
		d.golden("ask-choice-long-" + size)
		d.press("down", "down", "down", "down", "down")
		d.golden("ask-choice-long-end-" + size)
		d.press("up", "enter", "x", "enter")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Answered, Note: "x"})
	})
}

func TestChoices(t *testing.T) {
	for _, c := range []struct {
		keys string
		many bool
		want event.Answer
	}{
		{"enter", false, event.Answer{Decision: event.Answered, Choices: []int{0}}},
		{"down down up enter", false, event.Answer{Decision: event.Answered, Choices: []int{1}}},
		{"up j j enter", false, event.Answer{Decision: event.Answered, Note: "jj"}},
		{"3", false, event.Answer{Decision: event.Answered, Choices: []int{2}}},
		{"9 7 0 enter", false, event.Answer{Decision: event.Answered, Note: "970"}},
		{"0 2", false, event.Answer{Decision: event.Answered, Choices: []int{1}}},
		{"y e s enter", false, event.Answer{Decision: event.Answered, Note: "yes"}},
		{"n o , space u s e space M y S Q L enter", false, event.Answer{Decision: event.Answered, Note: "no, use MySQL"}},
		{"n o enter", true, event.Answer{Decision: event.Answered, Note: "no"}},
		{"4 o k enter", false, event.Answer{Decision: event.Answered, Note: "ok"}},
		{"down down down enter enter o k enter", false, event.Answer{Decision: event.Answered, Note: "ok"}},
		{"o k tab 1", false, event.Answer{Decision: event.Answered, Choices: []int{0}}},
		{"5", false, event.Answer{Decision: event.Refuse}},
		{"5", true, event.Answer{Decision: event.Refuse}},
		{"down down down down down down enter", false, event.Answer{Decision: event.Refuse}},
		{"2", true, event.Answer{}},
		{"2 enter", true, event.Answer{Decision: event.Answered, Choices: []int{1}}},
		{"3 1 enter", true, event.Answer{Decision: event.Answered, Choices: []int{0, 2}}},
		{"3 1 3 enter", true, event.Answer{Decision: event.Answered, Choices: []int{0}}},
		{"down enter", true, event.Answer{}},
		{"1 4 o k enter", true, event.Answer{Decision: event.Answered, Choices: []int{0}, Note: "ok"}},
		{"1 4 enter", true, event.Answer{Decision: event.Answered, Choices: []int{0}}},
	} {
		t.Run(c.keys, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(choiceAsk(c.many)...)
			d.armDialog()
			d.pressSlowly(strings.Fields(c.keys)...)
			if c.want.Decision == "" {
				d.wantCommands()
				return
			}
			c.want.ID = "1"
			d.wantCommands(c.want)
			if d.m.dialog.Waits() {
				t.Error("the dialog is still open")
			}
		})
	}
}

// With several choices allowed, space toggles the marked one.
func TestChoicesToggle(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(choiceAsk(true)...)
	d.armDialog()
	space := tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	d.send(space)
	d.press("down")
	d.send(space)
	d.press("up")
	d.send(space)
	d.press("enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Answered, Choices: []int{1}})
}

// A question that appears while the user types takes keys only after a pause. Esc
// interrupts the turn.
func TestAskWhileTyping(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	evs := choiceAsk(false)
	d.events(evs[:3]...)
	d.typeText("also 1")
	d.events(evs[3])
	d.press("1", "enter")
	d.wantCommands(event.Prompt{Text: "also 11"})
	d.armDialog()
	d.press("esc")
	d.wantCommands(event.Prompt{Text: "also 11"}, event.Interrupt{})
}

// The answer to a question stays in the transcript, also after resuming.
func TestAnsweredChoice(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		rest := []event.Event{
			&event.Decided{ID: "1", Decision: event.Answered, Chosen: []string{"SQLite", "both"}, Note: "but keep it small"},
			result("1", choiceAsk(true)[2].(*event.ToolStart).Title, "read", event.OK, "", "The user chose", 12*time.Second),
			turnEnd(event.Done, 14*time.Second),
		}
		d.events(choiceAsk(true)...)
		d.events(rest...)
		d.golden("ask-answered-" + size)
		var kept []event.Event
		for _, e := range append(choiceAsk(true), rest...) {
			if _, ok := e.(event.Durable); ok {
				kept = append(kept, e)
			}
		}
		d.sameScreen(newDriver(t, w, h, screen.Options{Session: screen.Session{History: kept}}))
	})
}
