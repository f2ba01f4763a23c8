package tui

import (
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// The activity line names the slow hook that the turn waits for, and how long it has run.
func TestActivityOfHooks(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), done(llm.ToolCall, "r1", ""))
	d.advance(5 * time.Second)
	now := event.HookNow{ID: 1, Event: "before_tool", Command: "sh \x1b[2Jlint.sh", For: time.Second}
	d.events(event.HookNow{ID: 2, Event: "after_tool", Command: "true", Agent: "1", For: time.Second}, now)
	d.advance(2 * time.Second)
	d.shows("hook before_tool: sh ␛[2Jlint.sh · 3 s · esc to interrupt")
	now.Ended = true
	d.events(now)
	d.advance(time.Second)
	d.shows("thinking · 8 s")
	d.hides("hook")
}

// A prompt that a hook blocked is in the editor again, and there is nothing to retry.
func TestBlockedPrompt(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeAndPress("my secret", "enter")
	d.events(event.Unsent{Text: "my secret"}, &event.TurnEnd{Reason: event.Blocked, Error: "a hook blocked the prompt: no secrets"})
	d.shows("✗ a hook blocked the prompt: no secrets")
	d.promptIs("my secret")
	d.press("ctrl+c")
	d.hides("retry")
	d.press("enter")
	d.wantCommands(prompted("my secret"))
}
