package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

func TestTyping(t *testing.T) {
	long := strings.Repeat("line of text\n", 312)
	for _, c := range []struct {
		name string
		do   func(d *driver)
		want string
	}{
		{"plain", func(d *driver) { d.typeText("hello") }, "hello"},
		{"shift+enter", func(d *driver) { d.typeText("a"); d.press("shift+enter"); d.typeText("b") }, "a\nb"},
		{"ctrl+j", func(d *driver) { d.typeText("a"); d.press("ctrl+j"); d.typeText("b") }, "a\nb"},
		{"backslash", func(d *driver) { d.typeText(`a\`); d.press("enter"); d.typeText("b") }, "a\nb"},
		{"backslash in the middle", func(d *driver) { d.typeText(`a\b`) }, `a\b`},
		{"short paste", func(d *driver) { d.send(tea.PasteMsg{Content: "a\r\nb\rc\n"}); d.typeText("d") }, "a\nb\nc\nd"},
		{"long paste", func(d *driver) { d.typeText("see "); d.send(tea.PasteMsg{Content: long}); d.typeText(" ok") }, "see " + long + " ok"},
		{"two long pastes", func(d *driver) {
			d.send(tea.PasteMsg{Content: long})
			d.send(tea.PasteMsg{Content: strings.ToUpper(long)})
		}, strings.TrimSpace(long + strings.ToUpper(long))},
		{"erased paste", func(d *driver) {
			d.typeText("x")
			d.send(tea.PasteMsg{Content: long})
			d.press("backspace")
			d.typeText("y")
		}, "xy"},
		{"words", func(d *driver) { d.typeText("one two"); d.press("ctrl+w", "ctrl+a"); d.typeText("0 ") }, "0 one"},
		{"path", func(d *driver) { d.typeText("/etc/hosts is wrong") }, "/etc/hosts is wrong"},
		{"wide", func(d *driver) { d.typeText("日本語 👩‍👩‍👧 é") }, "日本語 👩‍👩‍👧 é"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{})
			c.do(d)
			d.press("enter")
			d.wantCommands(event.Prompt{Text: c.want})
			if !d.m.editor.Empty() {
				t.Errorf("the prompt still holds %q", d.m.editor.Shown())
			}
		})
	}
}

func TestPasteNeverSends(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.send(tea.PasteMsg{Content: "rm -rf /\n\n"})
	d.wantCommands()
	d.press("ctrl+c")
	d.send(tea.PasteMsg{Content: strings.Repeat("line of text\n", 312)})
	d.golden("pasted")
}

func TestEmptyPromptIsNotSent(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.press("enter")
	d.typeText("  ")
	d.press("enter")
	d.wantCommands()
}

func TestPromptHistory(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: []event.Event{userSaid("one"), turnEnd(event.Done, 0), userSaid("two\nlines"), turnEnd(event.Done, 0)}}})
	d.typeText("draft")
	d.press("up")
	d.promptIs("two\nlines")
	d.press("up") // moves within the text
	d.promptIs("two\nlines")
	d.press("up")
	d.promptIs("one")
	d.press("up")
	d.promptIs("one")
	d.press("down")
	d.promptIs("two\nlines")
	d.press("down")
	d.promptIs("draft")
	d.press("down")
	d.promptIs("draft")
	d.press("ctrl+c")
	d.promptIs("")
	d.press("up")
	d.promptIs("draft")
}

func TestEditorGrows(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		for range 20 {
			d.typeText("some words that are typed ")
			d.press("ctrl+j")
		}
		d.golden("long-prompt-" + size)
	})
}

func TestQuit(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(d *driver)
		quit bool
	}{
		{"ctrl+d", func(d *driver) { d.press("ctrl+d") }, true},
		{"ctrl+d with text", func(d *driver) { d.typeText("x"); d.press("ctrl+d") }, false},
		{"ctrl+c once", func(d *driver) { d.press("ctrl+c") }, false},
		{"ctrl+c twice", func(d *driver) { d.press("ctrl+c"); d.advance(time.Second); d.press("ctrl+c") }, true},
		{"ctrl+c twice, slowly", func(d *driver) { d.press("ctrl+c"); d.advance(3 * time.Second); d.press("ctrl+c") }, false},
		{"ctrl+c, a letter, ctrl+c", func(d *driver) { d.press("ctrl+c", "x", "ctrl+c") }, false},
		{"ctrl+c on text, twice", func(d *driver) { d.typeText("x"); d.press("ctrl+c", "ctrl+c") }, false},
		{"ctrl+c in a turn, many times", func(d *driver) { d.events(userSaid("go")); d.press("ctrl+c", "ctrl+c", "ctrl+c") }, false},
		{"esc", func(d *driver) { d.press("esc", "esc", "esc") }, false},
		{"/quit", func(d *driver) { d.typeText("/quit"); d.press("enter") }, true},
		{"exit", func(d *driver) { d.typeText("exit"); d.press("enter") }, true},
		{"Quit with a space", func(d *driver) { d.typeText("Quit "); d.press("enter") }, true},
		{"exit in a sentence", func(d *driver) { d.typeText("exit the loop"); d.press("enter") }, false},
		{"exit in a turn", func(d *driver) { d.events(userSaid("go")); d.typeText("exit"); d.press("enter") }, false},
		{"the agent is gone", func(d *driver) { d.send(eventsClosed{}) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{})
			c.do(d)
			if d.quit != c.quit {
				t.Errorf("quit: %v, want %v", d.quit, c.quit)
			}
		})
	}
}

func TestQuitHint(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.press("ctrl+c")
	if !strings.Contains(d.screen(), "ctrl+c again to quit") {
		t.Errorf("screen:\n%s", d.screen())
	}
	d.advance(3 * time.Second)
	if strings.Contains(d.screen(), "again to quit") || d.m.ticker.needsTick() {
		t.Errorf("the hint or the ticker did not stop:\n%s", d.screen())
	}
}

func TestTypedCommands(t *testing.T) {
	for _, c := range []struct {
		typed string
		want  []event.Command
		says  string
	}{
		{"/model openai/gpt-5", []event.Command{event.SetModel{Model: "openai/gpt-5"}}, ""},
		{"/model", nil, "Model: anthropic/claude-sonnet (ANTHROPIC_API_KEY is set)."},
		{"/mode auto", []event.Command{event.SetMode{Mode: event.ModeAuto}}, "? help   auto"},
		{"/mode edits", []event.Command{event.SetMode{Mode: event.ModeAuto}}, "? help   auto"},
		{"/mode yolo", nil, "unknown permission mode"},
		{"/help", nil, "any key closes this"},
		{"/nonsense now", nil, "Unknown command /nonsense"},
		{"/etc/hosts is wrong", []event.Command{event.Prompt{Text: "/etc/hosts is wrong"}}, ""},
		{"/", []event.Command{event.Prompt{Text: "/"}}, ""},
	} {
		t.Run(c.typed, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{})
			d.typeText(c.typed)
			d.press("enter")
			d.wantCommands(c.want...)
			if !strings.Contains(d.screen(), c.says) {
				t.Errorf("the screen does not say %q:\n%s", c.says, d.screen())
			}
		})
	}
}

func TestModeCycles(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Mode: "all"}})
	d.events(&event.ModeSet{Mode: "ask"})
	d.press("shift+tab", "shift+tab", "shift+tab", "shift+tab")
	d.wantCommands(event.SetMode{Mode: event.ModeAuto}, event.SetMode{Mode: event.ModePlan}, event.SetMode{Mode: event.ModeAll}, event.SetMode{Mode: event.ModeAsk})
	d.events(&event.ModeSet{Mode: "plan"})
	if !strings.Contains(d.screen(), "? help   plan") {
		t.Errorf("screen:\n%s", d.screen())
	}
	d.events(&event.ModeSet{Mode: "all"})
	if !strings.Contains(d.screen(), "? help   all") {
		t.Errorf("screen:\n%s", d.screen())
	}
}

func TestChangedKeys(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Keys: map[string][]string{"send": {"ctrl+s"}, "newline": {"enter"}}})
	d.typeText("a")
	d.press("enter")
	d.typeText("b")
	d.press("ctrl+s")
	d.wantCommands(event.Prompt{Text: "a\nb"})
}

// A message that came too late for the turn returns to the prompt.
func TestUnsentMessageReturns(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"))
	d.typeText("and this")
	d.press("enter")
	d.typeText("draft")
	d.press("esc")
	d.events(turnEnd(event.UserInterrupt, time.Second), event.Unsent{Text: "and this"})
	if got, want := d.m.editor.Shown(), "and this\ndraft"; got != want {
		t.Errorf("the prompt is %q, want %q", got, want)
	}
	if strings.Contains(d.screen(), "goes in") {
		t.Errorf("the message is still shown as pending:\n%s", d.screen())
	}
}

func TestEnterContinuesAnIncompleteAnswer(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("one"), turnEnd(event.Done, 0))
	d.press("enter")
	d.wantCommands()
	end := turnEnd(event.ProviderError, 0)
	end.Error, end.Cut = "the answer is incomplete", true
	d.events(userSaid("two"), end)
	if !strings.Contains(d.screen(), "enter to continue") {
		t.Errorf("the continue hint is missing:\n%s", d.screen())
	}
	d.press("enter")
	d.wantCommands(event.Prompt{Text: event.ContinuePrompt})
}

// TestEnterRetriesAFailedTurn sends the same conversation again, once, and nothing
// after a turn that the user interrupted.
func TestEnterRetriesAFailedTurn(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	failed := turnEnd(event.ProviderError, 0)
	failed.Error = "p answered 500"
	d.events(userSaid("one"), failed)
	d.press("enter", "enter")
	d.wantCommands(event.Retry{})
	if !d.m.session.Feed.Running {
		t.Error("the screen does not show that the retry runs")
	}
	d.events(done(llm.Assistant, "r", "Well"), turnEnd(event.UserInterrupt, 0))
	d.press("enter")
	d.wantCommands(event.Retry{})
}

// Enter on an empty prompt does nothing after a turn that the user interrupted, also if its
// answer was cut, or that ended at a limit. It continues a turn during which the program
// exited.
func TestEnterAfterAnInterrupt(t *testing.T) {
	cut := turnEnd(event.UserInterrupt, 0)
	cut.Cut = true
	exited := turnEnd(event.UserInterrupt, 0)
	exited.Error, exited.Unanswered = "the program exited during this turn", true
	for name, c := range map[string]struct {
		end      *event.TurnEnd
		commands []event.Command
	}{
		"interrupted":        {end: cut},
		"at the step limit":  {end: turnEnd(event.MaxSteps, 0)},
		"the program exited": {exited, []event.Command{event.Retry{}}},
	} {
		history := []event.Event{userSaid("one"), done(llm.Assistant, "r", "Well"), c.end}
		live := newDriver(t, 80, 24, screen.Options{})
		live.events(history...)
		for _, d := range []*driver{live, newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: history}})} {
			if c.commands == nil {
				d.hides("enter to")
			} else {
				d.shows("enter to continue")
			}
			d.press("enter", "enter")
			if d.wantCommands(c.commands...); t.Failed() {
				t.Fatal(name)
			}
		}
	}
}

// If the user interrupts a turn before anything of the answer arrived, the prompt leaves
// the session and returns to the editor.
func TestInterruptedPromptReturns(t *testing.T) {
	for name, c := range map[string]struct {
		arrived []event.Event
		returns bool
	}{
		"nothing arrived":  {nil, true},
		"thinking arrived": {[]event.Event{done(llm.Thinking, "r", "Hm")}, true},
		"text arrived":     {[]event.Event{done(llm.Assistant, "r", "Well")}, false},
		"a call arrived":   {[]event.Event{call("r", "c1", "read")}, false},
		"a command ran":    {[]event.Event{&event.ShellStart{ID: "s", Line: "ls"}, &event.ShellEnd{ID: "s"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(userSaid("zero"), done(llm.Assistant, "r0", "Zero."), turnEnd(event.Done, 0), userSaid("one"))
			d.events(c.arrived...)
			d.typeText("draft")
			d.events(turnEnd(event.UserInterrupt, 0))
			if !c.returns {
				d.wantCommands()
				d.promptIs("draft")
				return
			}
			d.wantCommands(event.Rewind{Keep: 3})
			d.events(&event.Rewound{Keep: 3})
			d.promptIs("one\ndraft")
			d.shows("Zero.", "Interrupted before the answer began")
			d.hides("› one\n\n", "enter to continue", "enter to retry")
		})
	}
}

func TestIncompleteAnswerIsMarked(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	complete := llm.Message{Kind: llm.Assistant, Reply: "r1", Text: "A complete answer."}
	half := llm.Message{Kind: llm.Assistant, Reply: "r2", Text: "Half an", Cut: true}
	d.events(userSaid("one"), &event.MessageDone{Message: complete}, &event.MessageDone{Message: half})
	if got := d.screen(); strings.Count(got, "(incomplete)") != 1 || !strings.Contains(got, "Half an\n  (incomplete)") {
		t.Errorf("want only the second answer marked:\n%s", got)
	}
}

func TestScriptedPrompts(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Prompts: []screen.Prompt{{Text: "one"}, {Note: "The second of three.", Text: "two"}, {Text: "three"}}})
	d.wantCommands(event.Prompt{Text: "one"})
	if strings.Contains(d.screen(), "The second of three.") {
		t.Errorf("the note is shown before its prompt:\n%s", d.screen())
	}
	d.events(userSaid("one"), turnEnd(event.Done, 0))
	d.wantCommands(event.Prompt{Text: "one"}, event.Prompt{Text: "two"})
	if !strings.Contains(d.screen(), "The second of three.") {
		t.Errorf("the note is missing:\n%s", d.screen())
	}
	d.events(userSaid("two"), done(llm.Assistant, "r", "Well"), turnEnd(event.UserInterrupt, 0)) // an interrupt ends the script
	d.wantCommands(event.Prompt{Text: "one"}, event.Prompt{Text: "two"})
}
