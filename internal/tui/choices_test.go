package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop"
)

// question is a turn up to a question of the model's.
func question(many bool) []loop.Event {
	const text = "Which database should the sessions be kept in? The tests use SQLite today, production has PostgreSQL, and both would work."
	return []loop.Event{
		userSaid("keep sessions in a database"),
		call("r1", "1", "ask"),
		start("1", "ask "+text, "read"),
		loop.Asked{Ask: loop.Ask{ID: "1", Title: "ask " + text, Effect: "read", Question: text, Many: many, Choices: []loop.Choice{
			{Text: "SQLite", Explain: "one file, nothing to run"},
			{Text: "PostgreSQL", Explain: "what production has"},
			{Text: "both", Explain: "behind an \x1b[31minterface"},
		}}},
	}
}

func TestAskChoice(t *testing.T) {
	for name, many := range map[string]bool{"choice": false, "choices": true} {
		sizes(t, func(t *testing.T, size string, w, h int) {
			d := newDriver(t, w, h, Options{})
			d.events(question(many)...)
			d.arms()
			d.golden("ask-" + name + "-" + size)
			d.press("down")
			if many {
				d.press("space")
			}
			d.golden("ask-" + name + "-marked-" + size)
			d.enter("but keep it small")
			d.golden("ask-" + name + "-words-" + size)
		})
	}
}

func TestAskChoiceLong(t *testing.T) {
	long := strings.Repeat("that is explained at some length ", 5)
	ask := loop.Ask{ID: "1", Title: "ask Which?", Effect: "read", Question: "Which one of these should it be?\nThink well.",
		Choices: []loop.Choice{{Text: "the first", Explain: long}, {Text: strings.Repeat("second ", 14), Explain: long}, {Text: "third", Explain: long}}}
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, Options{})
		d.events(userSaid("go"), call("r1", "1", "ask"), start("1", "ask Which?", "read"), loop.Asked{Ask: ask})
		d.arms()
		d.golden("ask-choice-long-" + size)
		d.press("down", "down", "down", "down", "down")
		d.golden("ask-choice-long-end-" + size)
		d.press("up", "enter", "x", "enter")
		d.commands(loop.Answer{ID: "1", Decision: loop.Answered, Note: "x"})
	})
}

func TestChoices(t *testing.T) {
	for _, c := range []struct {
		keys string
		many bool
		want loop.Answer
	}{
		{"enter", false, loop.Answer{Decision: loop.Answered, Choices: []int{0}}},
		{"down down up enter", false, loop.Answer{Decision: loop.Answered, Choices: []int{1}}},
		{"up j j enter", false, loop.Answer{Decision: loop.Answered, Note: "jj"}},
		{"3", false, loop.Answer{Decision: loop.Answered, Choices: []int{2}}},
		{"9 7 0 enter", false, loop.Answer{Decision: loop.Answered, Note: "970"}},
		{"0 2", false, loop.Answer{Decision: loop.Answered, Choices: []int{1}}},
		{"y e s enter", false, loop.Answer{Decision: loop.Answered, Note: "yes"}},
		{"n o , space u s e space M y S Q L enter", false, loop.Answer{Decision: loop.Answered, Note: "no, use MySQL"}},
		{"n o enter", true, loop.Answer{Decision: loop.Answered, Note: "no"}},
		{"4 o k enter", false, loop.Answer{Decision: loop.Answered, Note: "ok"}},
		{"down down down enter enter o k enter", false, loop.Answer{Decision: loop.Answered, Note: "ok"}},
		{"o k tab 1", false, loop.Answer{Decision: loop.Answered, Choices: []int{0}}},
		{"5", false, loop.Answer{Decision: loop.Refuse}},
		{"5", true, loop.Answer{Decision: loop.Refuse}},
		{"down down down down down down enter", false, loop.Answer{Decision: loop.Refuse}},
		{"2", true, loop.Answer{}},
		{"2 enter", true, loop.Answer{Decision: loop.Answered, Choices: []int{1}}},
		{"3 1 enter", true, loop.Answer{Decision: loop.Answered, Choices: []int{0, 2}}},
		{"3 1 3 enter", true, loop.Answer{Decision: loop.Answered, Choices: []int{0}}},
		{"down enter", true, loop.Answer{Decision: loop.Answered, Choices: []int{1}}},
		{"1 4 o k enter", true, loop.Answer{Decision: loop.Answered, Choices: []int{0}, Note: "ok"}},
		{"1 4 enter", true, loop.Answer{Decision: loop.Answered, Choices: []int{0}}},
	} {
		t.Run(c.keys, func(t *testing.T) {
			d := newDriver(t, 80, 24, Options{})
			d.events(question(c.many)...)
			d.arms()
			d.press(strings.Fields(c.keys)...)
			if c.want.Decision == "" {
				d.commands()
				return
			}
			c.want.ID = "1"
			d.commands(c.want)
			if d.m.dialog.waits() {
				t.Error("the question still waits")
			}
		})
	}
}

// Space takes and gives back the marked choice, where several may be taken.
func TestChoicesToggle(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.events(question(true)...)
	d.arms()
	space := tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	d.send(space)
	d.press("down")
	d.send(space)
	d.press("up")
	d.send(space)
	d.press("enter")
	d.commands(loop.Answer{ID: "1", Decision: loop.Answered, Choices: []int{1}})
}

// A question that comes while somebody types waits as any other does, and esc
// ends the turn.
func TestAskWhileTyping(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	evs := question(false)
	d.events(evs[:3]...)
	d.enter("also 1")
	d.events(evs[3])
	d.press("1", "enter")
	d.commands(loop.Prompt{Text: "also 11"})
	d.arms()
	d.press("esc")
	d.commands(loop.Prompt{Text: "also 11"}, loop.Interrupt{})
}

// What was answered is to be seen afterwards, and on resume.
func TestAnsweredChoice(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, Options{})
		rest := []loop.Event{
			&loop.Decided{ID: "1", Decision: loop.Answered, Chosen: []string{"SQLite", "both"}, Note: "but keep it small"},
			result("1", question(true)[2].(*loop.ToolStart).Title, "read", loop.OK, "", "The person chose", 12*time.Second),
			turnEnd(loop.Done, 14*time.Second),
		}
		d.events(question(true)...)
		d.events(rest...)
		d.golden("ask-answered-" + size)
		var kept []loop.Event
		for _, e := range append(question(true), rest...) {
			if _, ok := e.(loop.Durable); ok {
				kept = append(kept, e)
			}
		}
		d.same(newDriver(t, w, h, Options{History: kept}))
	})
}
