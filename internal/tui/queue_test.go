package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// prompted returns the command that sends a prompt.
func prompted(text string) event.Command { return event.Prompt{Text: text} }

// shows checks that the screen shows each of the texts.
func (d *driver) shows(words ...string) {
	d.t.Helper()
	for _, w := range words {
		if got := d.screen(); !strings.Contains(got, w) {
			d.t.Errorf("the screen does not show %q:\n%s", w, got)
		}
	}
}

func (d *driver) hides(words ...string) {
	d.t.Helper()
	for _, w := range words {
		if got := d.screen(); strings.Contains(got, w) {
			d.t.Errorf("the screen shows %q:\n%s", w, got)
		}
	}
}

// typeAndPress types text and presses key.
func (d *driver) typeAndPress(text, key string) {
	d.typeText(text)
	d.press(key)
}

// Messages queued during a turn are shown and saved. One is sent at the end of each
// turn.
func TestQueue(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.typeAndPress("go", "enter")
		d.events(userSaid("go"), streamed("r1", "I am at it."))
		d.typeAndPress("then update the README", "alt+enter")
		d.typeAndPress("and tag it", "alt+enter")
		d.golden("queue-" + size)
		d.wantCommands(prompted("go"))
		d.advance(2 * time.Second)
		d.wantDrafts(draft("", "then update the README", "and tag it"))

		d.events(turnEnd(event.Done, time.Second))
		d.wantCommands(prompted("go"), prompted("then update the README"))
		d.events(userSaid("then update the README"))
		d.hides("queued  1  “then")
		d.events(turnEnd(event.Done, time.Second), userSaid("and tag it"))
		d.wantCommands(prompted("go"), prompted("then update the README"), prompted("and tag it"))
		d.events(turnEnd(event.Done, time.Second))
		d.wantCommands(prompted("go"), prompted("then update the README"), prompted("and tag it"))
		d.hides("queued")
	})
}

// Queued messages can be edited and removed.
func TestQueueIsEdited(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeAndPress("go", "enter")
	d.events(userSaid("go"))
	d.typeAndPress("one", "alt+enter")
	d.typeAndPress("two", "alt+enter")
	d.press("up")
	d.shows("› two", "queued  1  “one”")
	d.typeAndPress(" and a half", "alt+enter")
	d.shows("2  “two and a half”")
	d.press("alt+q")
	d.hides("two and a half")
	d.press("alt+q", "alt+q")
	d.hides("queued")
	d.press("up")
	d.shows("› one") // removed messages are in the prompt history
	d.press("ctrl+c", "ctrl+c")
	d.events(turnEnd(event.Done, time.Second))
	d.wantCommands(prompted("go"), event.Interrupt{}, event.Interrupt{})
}

// After a turn that was interrupted or failed, the queue is held until the user presses
// enter.
func TestQueueIsHeldAfterInterruptOrError(t *testing.T) {
	for reason, why := range map[event.Reason]string{event.UserInterrupt: "interrupted", event.ProviderError: "the turn failed", event.MaxSteps: "the turn failed"} {
		d := newDriver(t, 100, 24, screen.Options{})
		d.typeAndPress("go", "enter")
		d.events(userSaid("go"), done(llm.Assistant, "r1", "Well"))
		d.typeAndPress("one", "alt+enter")
		d.typeAndPress("two", "alt+enter")
		d.events(turnEnd(reason, time.Second))
		d.wantCommands(prompted("go"))
		d.shows("held    1  “one”", why, "enter to send")
		d.typeAndPress("something else", "enter")
		d.events(userSaid("something else"), turnEnd(event.Done, time.Second))
		d.wantCommands(prompted("go"), prompted("something else"))
		d.press("enter")
		d.events(userSaid("one"))
		d.shows("queued  1  “two”")
		d.events(turnEnd(event.Done, time.Second))
		d.wantCommands(prompted("go"), prompted("something else"), prompted("one"), prompted("two"))
	}
}

// Messages that were queued when the program ended are restored and held.
func TestQueueIsRestored(t *testing.T) {
	d := newDriver(t, 100, 24, screen.Options{Session: screen.Session{Draft: draft("", "one", "!make")}})
	d.shows("held    1  “one”", "2  “!make”", "unsent")
	d.wantCommands()
	d.press("enter")
	d.events(userSaid("one"), turnEnd(event.Done, time.Second))
	d.wantCommands(prompted("one"), event.RunShell{Line: "make", Join: true})
}

// While no turn runs, the queue key sends at once.
func TestQueueKeySendsWhenIdle(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.press("alt+enter")
	d.typeAndPress("go", "alt+enter")
	d.wantCommands(prompted("go"))
	d.hides("queued")
}

// Sending a queued message does not scroll the transcript.
func TestQueueKeepsScrollPosition(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeAndPress("go", "enter")
	d.events(userSaid("go"), done(llm.Assistant, "r1", strings.Repeat("A line of it.\n\n", 60)))
	d.typeAndPress("one", "alt+enter")
	d.typeAndPress("!make", "alt+enter")
	d.press("ctrl+home")
	d.shows("agent 0.1")
	d.events(turnEnd(event.Done, time.Second), userSaid("one"), streamed("r2", "At it."), turnEnd(event.Done, time.Second))
	d.wantCommands(prompted("go"), prompted("one"), event.RunShell{Line: "make", Join: true})
	d.shows("agent 0.1", "more below")
}

// After an incomplete answer, enter sends the queue rather than continue the answer.
func TestQueueBeforeContinue(t *testing.T) {
	d := newDriver(t, 100, 24, screen.Options{})
	d.typeAndPress("go", "enter")
	d.events(userSaid("go"))
	d.typeAndPress("one", "alt+enter")
	end := turnEnd(event.ProviderError, time.Second)
	end.Cut = true
	d.events(end)
	d.shows("enter to send")
	d.hides("to continue")
	d.press("enter")
	d.wantCommands(prompted("go"), prompted("one"))
}

// Once the held messages are removed, the queue works as usual.
func TestQueueAfterHeldMessages(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Draft: draft("", "held")}})
	d.press("alt+q")
	d.typeAndPress("go", "enter")
	d.events(userSaid("go"))
	d.typeAndPress("next", "alt+enter")
	d.events(turnEnd(event.Done, time.Second))
	d.wantCommands(prompted("go"), prompted("next"))
}
