package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func draft(text string, queue ...string) event.Draft {
	d := event.Draft{Text: text}
	for _, q := range queue {
		d.Queue = append(d.Queue, event.Waiting{Text: q})
	}
	return d
}

func TestDraftIsSaved(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("one")
	d.advance(500 * time.Millisecond)
	d.typeText(" two")
	d.wantDrafts()
	d.advance(time.Second)
	d.wantDrafts(draft("one two"))
	if len(d.timers) != 0 {
		t.Errorf("a timer runs although nothing is unsaved: %v", d.timers)
	}
	d.press("x", "backspace")
	d.advance(2 * time.Second)
	d.wantDrafts(draft("one two")) // unchanged, so not saved again
	d.press("ctrl+u")
	d.wantDrafts(draft("one two"), draft(""))
	d.typeText("   ")
	d.advance(2 * time.Second)
	d.wantDrafts(draft("one two"), draft(""))
}

// A long paste in the draft is saved in full and restored as a token.
func TestDraftOfPastes(t *testing.T) {
	pasted := strings.Repeat("a long line\n", 400)
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Draft: event.Draft{Text: pasted}}})
	if got := d.screen(); !strings.Contains(got, "[pasted 400 lines]") {
		t.Errorf("the paste is not a token:\n%s", got)
	}
	d.typeText("!")
	d.advance(2 * time.Second)
	d.wantDrafts(event.Draft{Text: pasted + "!", Pasted: []event.Span{{To: len(pasted)}}})
}

// A steering message is saved with the draft until it is in the conversation.
func TestDraftOfSteering(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"))
	d.typeText("faster")
	d.press("enter")
	d.typeText("and")
	d.advance(2 * time.Second)
	d.press("ctrl+u")
	steered := userSaid("faster")
	steered.Steered = true
	d.events(steered)
	d.wantDrafts(draft("and", "faster"), draft(""))
}

func TestDraftIsRestored(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{
			Session: screen.Session{History: twoTurns(), Draft: event.Draft{
				Text: "and the changelog", Queue: []event.Waiting{{Text: "then update the README\x1b[2J\nof the shop"}, {Text: "and tag it"}},
			}},
		})
		d.golden("draft-" + size)
		d.advance(2 * time.Second)
		d.wantDrafts() // unchanged, so not saved again
	})
}

// An image that occurs twice in the draft is restored twice, even with a paste in
// between.
func TestDraftWithAnImageTwice(t *testing.T) {
	pasted := strings.Repeat("a line\n", 500)
	label := "[image 1: shot.png 3x2]"
	text := "see " + label + " " + pasted + " and " + label
	kept := event.Draft{Text: text, Images: []llm.Image{{MediaType: "image/png", Data: []byte("png")}}, Pasted: []event.Span{{From: len("see " + label + " "), To: len("see " + label + " " + pasted)}}}
	d := newDriver(t, 120, 24, screen.Options{Session: screen.Session{Draft: kept}})
	d.press("backspace")
	d.shows("see " + label + " [pasted 500 lines] and")
	if got := strings.Count(d.screen(), label); got != 1 {
		t.Errorf("after backspace the draft has %d images, want 1", got)
	}
	d.press("enter")
	d.wantCommands(event.Prompt{Text: strings.TrimSuffix(text, " "+label), Images: kept.Images})
}

// A comment that was not sent before the program ended is restored as the draft. If the
// same dialog opens again, it becomes the comment again.
func TestDraftOfAComment(t *testing.T) {
	which := event.Asked{Ask: event.Ask{ID: "2", Title: "ask Which one", Effect: "read", Question: "Which one?",
		Choices: []event.Choice{{Text: "this"}, {Text: "that"}}}}
	again := which
	again.Ask.ID = "9"
	for _, c := range []struct {
		name        string
		ask, again  event.Asked
		want        event.Answer
		asAnyPrompt bool
	}{
		{"rejection", askCommand("1", "make"), askCommand("9", "make"), event.Answer{ID: "9", Decision: event.Refuse, Note: "not yet, it runs"}, false},
		{"own words", which, again, event.Answer{ID: "9", Decision: event.Answered, Note: "not yet, it runs"}, false},
		{"other question", askCommand("1", "make"), askCommand("9", "make test"), event.Answer{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(userSaid("go"), call("r1", "1", "shell"), c.ask)
			d.armDialog()
			d.typeText("not yet, it ")
			d.advance(2 * time.Second)
			kept := event.Draft{Queue: []event.Waiting{{Text: "not yet, it ", About: c.ask.Ask.Title}}}
			d.wantDrafts(kept)

			d = newDriver(t, 120, 24, screen.Options{Session: screen.Session{Draft: kept}})
			d.promptIs("not yet, it ")
			if n := d.m.prompt.Queue.Len(); n > 0 {
				t.Errorf("%d messages are in the queue", n)
			}
			d.advance(2 * time.Second)
			d.wantDrafts()
			d.events(userSaid("continue"), call("r2", "9", "shell"), c.again)
			d.advance(time.Second)
			if c.asAnyPrompt {
				d.advance(2 * time.Second)
				d.press("1")
				d.wantCommands() // next to a draft a digit marks
				d.press("enter")
				d.events(turnEnd(event.Done, 0))
				d.press("enter")
				d.wantCommands(event.Answer{ID: "9", Decision: event.Allow}, prompted("not yet, it"))
				return
			}
			d.promptIs("")
			d.typeText("runs")
			d.press("enter")
			d.wantCommands(c.want)
			d.advance(2 * time.Second)
			if got := d.savedDrafts[len(d.savedDrafts)-1]; got.Text != "" || got.Queue != nil {
				t.Errorf("the comment is still saved: %v", got)
			}
		})
	}
}

// An unfinished comment survives tab, and becomes the draft if the turn ends.
func TestCommentSurvivesTheEndOfTheTurn(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
	d.armDialog()
	d.typeText("no, ")
	d.press("tab")
	d.typeText("because")
	d.shows("no, because")
	d.events(turnEnd(event.ProviderError, time.Second))
	d.promptIs("no, because")
}
