package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// timeoutPlan is a plan as the model presents it. Its text is hostile.
const timeoutPlan = `# Respect --timeout in the server

## Steps

1. Read how the flag gets to the listener
2. Set ` + "`ReadHeaderTimeout`" + ` from the configuration
3. Add a test with a slow client ` + "\x1b[2J" + `
4. Write the changelog

## Files

- server/server.go
- server/server_test.go

## Risks

- Clients that send headers slowly are disconnected now

## Checks

- go test ./server/...
`

func askPlan(id, text string) event.Asked {
	return event.Asked{Ask: event.Ask{ID: id, Title: "Approve this plan?", Effect: event.ReadEffect, Plan: text}}
}

// planned returns a turn in plan mode until the plan waits for an answer.
func planned(text string) []event.Event {
	return []event.Event{&event.ModeSet{Mode: "plan"}, userSaid("the server ignores --timeout, fix it"), call("r1", "1", "present_plan"),
		start("1", "plan Respect --timeout", event.ReadEffect), askPlan("1", text)}
}

// planDialog returns a screen on which a plan waits and takes keys.
func planDialog(t *testing.T, width, height int) *driver {
	t.Helper()
	d := newDriver(t, width, height, screen.Options{})
	d.events(planned(timeoutPlan)...)
	d.armDialog()
	return d
}

// planSizes runs a test at the sizes of the windows for which plans are drawn.
func planSizes(t *testing.T, f func(t *testing.T, size string, width, height int)) {
	for _, s := range [][2]int{{80, 24}, {100, 40}, {40, 12}} {
		size := fmt.Sprintf("%dx%d", s[0], s[1])
		t.Run(size, func(t *testing.T) { f(t, size, s[0], s[1]) })
	}
}

func TestPlanDialog(t *testing.T) {
	planSizes(t, func(t *testing.T, size string, w, h int) {
		d := planDialog(t, w, h)
		d.golden("plan-" + size)
		d.press("ctrl+g")
		d.golden("plan-full-" + size)
		d.press("esc", "end")
		d.golden("plan-end-" + size)
		d.typeText("keep the old default")
		d.golden("plan-comment-" + size)
		d.wantCommands()
	})
}

// Every row answers, by its digit and with the arrow keys.
func TestPlanAnswers(t *testing.T) {
	allow := func(mode event.Mode) event.Answer {
		return event.Answer{ID: "1", Decision: event.Allow, Mode: mode}
	}
	refuse := func(note string) event.Answer {
		return event.Answer{ID: "1", Decision: event.Refuse, Note: note}
	}
	for _, c := range []struct {
		keys string
		want event.Answer
	}{
		{"1", allow(event.ModeAsk)},
		{"enter", allow(event.ModeAsk)},
		{"y enter", allow(event.ModeAsk)},
		{"2", allow(event.ModeAuto)},
		{"down enter", allow(event.ModeAuto)},
		{"3", refuse("")},
		{"n enter", refuse("")},
		{"4 t e s t s enter", refuse("tests")},
		{"u s e enter", refuse("use")},
		{"n o space w a y enter", refuse("no way")},
		{"ctrl+e esc pause 2", allow(event.ModeAuto)},
		{"ctrl+e ctrl+s pause 2", allow(event.ModeAuto)},              // unchanged
		{"ctrl+e x backspace ctrl+s 2 pause 1", allow(event.ModeAsk)}, // the 2 comes too early
		{"ctrl+e ctrl+s enter y enter 2 1 3", refuse("")},
	} {
		t.Run(c.keys, func(t *testing.T) {
			d := planDialog(t, 80, 24)
			for _, k := range strings.Fields(c.keys) {
				if k == "pause" {
					d.advance(dialog.Quiet)
					continue
				}
				d.pressSlowly(k)
			}
			d.wantCommands(c.want)
			d.promptIs("")
			if d.m.dialog.Waits() {
				t.Error("the dialog is still open")
			}
		})
	}
}

// Keys go to the draft until the dialog takes keys, and esc rejects and interrupts.
func TestPlanDialogTakesNoKeysAtFirst(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(planned(timeoutPlan)...)
	d.typeText("1 also")
	d.press("ctrl+e")
	d.wantCommands()
	d.promptIs("1 also")
	d.armDialog()
	d.press("1")
	d.wantCommands() // next to a draft a digit marks
	d.press("esc")
	d.wantCommands(event.Interrupt{})
	if d.m.dialog.Waits() {
		t.Error("the dialog is still open")
	}
}

func TestEditPlan(t *testing.T) {
	planSizes(t, func(t *testing.T, size string, w, h int) {
		d := planDialog(t, w, h)
		d.press("ctrl+e")
		d.golden("plan-edit-" + size)
		d.press("down", "down", "down", "down", "end", "enter")
		d.typeText("2. Ask 1 user; y or n?")
		d.golden("plan-edit-typed-" + size)
		d.wantCommands()
		d.press("ctrl+s")
		d.golden("plan-edited-" + size)
		d.press("2") // too early: it may belong to the plan
		d.wantCommands()
		d.advance(dialog.Quiet)
		d.press("2")
		want := strings.Replace(timeoutPlan, "listener\n", "listener\n2. Ask 1 user; y or n?\n", 1)
		want = strings.ReplaceAll(strings.TrimSpace(want), "\x1b", "")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Allow, Mode: event.ModeAuto, Text: want})
		d.promptIs("")
	})
}

// Esc discards an edit. Undo in the next edit brings it back.
func TestDiscardAnEditOfAPlan(t *testing.T) {
	d := planDialog(t, 100, 30)
	d.press("ctrl+e")
	d.typeText("Please: ")
	d.press("esc")
	d.shows("your edit was discarded", "? Approve this plan?")
	d.hides("Please", "edited")
	d.press("ctrl+e", "ctrl+_")
	d.shows("› Please: ")
	d.press("ctrl+s")
	d.shows("edited")
	d.press("ctrl+e")
	d.typeText("Really ")
	d.press("esc") // keeps the finished edit
	d.hides("Really")
	d.advance(dialog.Quiet)
	d.press("1")
	if got := answersOf(d); len(got) != 1 || !strings.HasPrefix(got[0].Text, "Please: # Respect") {
		t.Errorf("got %v", got)
	}
}

// A plan that is empty or has no steps cannot be approved. It can be rejected, and
// what was typed is kept.
func TestPlanWithoutSteps(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"", "The plan is empty"},
		{"  \n\n", "The plan is empty"},
		{"# Title\n\nJust do it.\n\n## Files\n", "The plan has no steps"},
	} {
		t.Setenv("TMPDIR", t.TempDir())
		d := planDialog(t, 100, 30)
		d.edit(c.text, nil)
		d.press("ctrl+x", "ctrl+e")
		d.shows("warning: "+c.says, "edited")
		d.armDialog()
		d.pressSlowly("1", "2", "y", "enter")
		d.wantCommands()
		d.press("3")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse})
		d.promptIs(strings.TrimSpace(c.text))
	}
	for _, text := range []string{"- do it", "## Steps\ndo it", "### Step 1: do it", "* do it"} {
		d := planDialog(t, 100, 30)
		d.edit(text+"\n", nil)
		d.press("ctrl+x", "ctrl+e")
		d.armDialog()
		d.press("1")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Allow, Mode: event.ModeAsk, Text: text})
	}
}

// The plan is edited in the user's editor, from the dialog or while it is edited there.
func TestPlanInAnExternalEditor(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d := planDialog(t, 100, 30)
	was := d.edit("# Short\r\n\r\n1. Only this\r\n", nil)
	d.press("ctrl+e")
	d.typeText("My ")
	d.press("ctrl+x", "ctrl+e")
	if !strings.HasPrefix(*was, "My # Respect --timeout") {
		t.Errorf("the editor was given %q", *was)
	}
	d.shows("? Approve this plan?", "Only this", "edited")
	d.press("1") // a key meant for the editor
	d.wantCommands()
	d.armDialog()
	d.press("ctrl+u")

	d.edit("lost", errors.New("exit status 1"))
	d.advance(time.Second)
	d.press("down", "ctrl+x", "ctrl+e")
	d.shows("The editor failed: exit status 1. The plan is unchanged.", "Only this")
	d.armDialog()
	d.m.Options.Files.Editor = nil
	d.press("down", "ctrl+x", "ctrl+e")
	d.shows("Cannot open an editor: $VISUAL and $EDITOR are not set. The plan is unchanged.")
	d.armDialog()
	d.press("2", "enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow, Mode: event.ModeAuto, Text: "# Short\n\n1. Only this"})
}

// A plan that is withdrawn while it is edited leaves the edited text in the prompt.
func TestEditedPlanIsNeverLost(t *testing.T) {
	edited := "Mine: " + strings.TrimSpace(strings.ReplaceAll(timeoutPlan, "\x1b", ""))
	for name, ev := range map[string]event.Event{
		"answered elsewhere": event.AskDone{ID: "1"},
		"call ended":         result("1", "present plan", event.ReadEffect, event.Interrupted, "", "interrupted", 0),
		"turn ended":         turnEnd(event.ProviderError, 0),
	} {
		for _, keys := range []string{"", "ctrl+s", "ctrl+s w h y"} {
			t.Run(name+" "+keys, func(t *testing.T) {
				d := planDialog(t, 100, 30)
				d.press("ctrl+e")
				d.typeText("Mine: ")
				d.press(strings.Fields(keys)...)
				d.events(ev)
				if d.m.dialog.Waits() {
					t.Error("the dialog is still open")
				}
				want := edited
				if strings.HasSuffix(keys, "y") {
					want += "\nwhy"
				}
				d.promptIs(strings.TrimSpace(want))
			})
		}
	}
	t.Run("interrupted", func(t *testing.T) {
		d := planDialog(t, 100, 30)
		d.press("ctrl+e")
		d.typeText("Mine: ")
		d.press("ctrl+c")
		d.wantCommands(event.Interrupt{})
		d.promptIs(edited)
	})
	t.Run("rejected", func(t *testing.T) {
		d := planDialog(t, 100, 30)
		d.press("ctrl+e")
		d.typeText("Mine: ")
		d.press("ctrl+s")
		d.typeText("not so")
		d.press("enter")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse, Note: "not so"})
		d.promptIs(edited)
	})
}

// A plan that is withdrawn while it is open in the user's editor leaves the text in
// the prompt.
func TestPlanWithdrawnDuringExternalEditor(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d := planDialog(t, 100, 30)
	var path string
	var end func(error) tea.Msg
	d.m.Options.Files.Editor = func(p string) *exec.Cmd { return exec.Command("editor", p) }
	d.m.prompt.External.Lend = func(c *exec.Cmd, _ string, done func(error) tea.Msg) tea.Cmd {
		path, end = c.Args[1], done
		return nil
	}
	d.press("ctrl+x", "ctrl+e")
	d.events(turnEnd(event.ProviderError, 0))
	if err := os.WriteFile(path, []byte("1. mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.send(end(nil))
	d.promptIs("1. mine")
	d.shows("The plan is no longer waiting for an answer. Your edited text is in the prompt.")
}

// An edited plan is saved with the draft, and restored if the same plan is presented
// again.
func TestDraftOfAPlan(t *testing.T) {
	d := planDialog(t, 100, 30)
	d.press("ctrl+e")
	d.typeText("Mine: ")
	d.advance(2 * time.Second)
	edited := "Mine: " + strings.TrimSpace(strings.ReplaceAll(timeoutPlan, "\x1b", ""))
	kept := event.Draft{Queue: []event.Waiting{{Text: edited, About: "edited plan: Respect --timeout in the server"}}}
	d.wantDrafts(kept)

	for text, again := range map[string]bool{timeoutPlan: true, "# Another plan\n\n1. Do it\n": false} {
		d = newDriver(t, 100, 30, screen.Options{Session: screen.Session{Draft: kept}})
		d.promptIs(strings.TrimSpace(edited))
		d.events(planned(text)...)
		if !again {
			d.promptIs(strings.TrimSpace(edited))
			d.hides("edited")
			continue
		}
		d.promptIs("")
		d.armDialog()
		d.shows("Mine: # Respect", "edited")
		d.press("ctrl+e", "ctrl+_")
		d.hides("Mine") // undo shows the plan of the model
		d.press("esc", "down")
		d.advance(dialog.Quiet)
		d.press("2")
		if got := answersOf(d); len(got) != 1 || got[0].Text != strings.TrimSpace(edited) {
			t.Errorf("got %v", got)
		}
	}
}

// planSet returns the events after the answer to the plan of planned.
func planSet(set *event.PlanSet) []event.Event {
	set.ID, set.Text, set.Plan.Title = "1", timeoutPlan, "Respect --timeout \x1b[2Jin the server"
	steps := &event.TodoSet{}
	if set.State == event.PlanApproved {
		steps = &event.TodoSet{ID: "1", Items: []event.TodoItem{{Text: "Read how the flag gets to the listener", State: event.TodoPending}, {Text: "Write the changelog", State: event.TodoPending}}}
	}
	return []event.Event{set, steps, result("1", "plan Respect --timeout", event.ReadEffect, event.OK, string(set.State), "The user decided.", time.Second),
		done(llm.Assistant, "r2", "Then I begin."), turnEnd(event.Done, time.Minute)}
}

// A plan stays in the transcript with the decision. A resumed session shows the same.
func TestPlanInTheTranscript(t *testing.T) {
	for name, set := range map[string]*event.PlanSet{
		"approved":  {State: event.PlanApproved, Mode: "edits", Edited: true},
		"asked":     {State: event.PlanApproved, Mode: "ask"},
		"rejected":  {State: event.PlanRejected, Note: "keep the\x1b[2J default"},
		"presented": {State: event.PlanPresented},
	} {
		t.Run(name, func(t *testing.T) {
			planSizes(t, func(t *testing.T, size string, w, h int) {
				evs := append(planned(timeoutPlan), planSet(set)...)
				d := newDriver(t, w, h, screen.Options{})
				d.events(evs...)
				d.golden("plan-" + name + "-" + size)
				stored := append(evs[:4:4], evs[5:]...)
				other := newDriver(t, w, h, screen.Options{Session: screen.Session{History: stored, Mode: "plan"}})
				d.sameScreen(other)
				if name == "approved" {
					d.press("ctrl+o")
					d.golden("plan-" + name + "-open-" + size)
				}
				d.press("ctrl+g", "g")
				d.shows("Respect --timeout")
				d.press("G")
				d.shows("go test ./server/...")
			})
		})
	}
}

// /plan shows the newest approved plan, also if it is not among the events that a
// resumed session reads at first.
func TestPlanCommand(t *testing.T) {
	run := func(d *driver) *driver {
		d.typeText("/plan")
		d.press("enter")
		return d
	}
	d := run(newDriver(t, 100, 30, screen.Options{}))
	d.shows("No plan is approved in this session. To make one, set the permission mode to plan (shift+tab or")
	d.events(planned(timeoutPlan)...)
	d.events(planSet(&event.PlanSet{State: event.PlanRejected})...)
	run(d).shows("To make one, describe the task.")
	approved := &event.PlanSet{State: event.PlanApproved, Mode: "ask"}
	d.events(planned(timeoutPlan)...)
	d.events(planSet(approved)...)
	run(d).golden("plan-command")

	resumed := newDriver(t, 100, 30, screen.Options{})
	resumed.events(event.Opened{Plan: approved})
	run(resumed).shows("approved · ask", "go test ./server/...")
}

// With vi keys, esc first leaves insert mode.
func TestEditPlanInVi(t *testing.T) {
	d := newDriver(t, 100, 30, screen.Options{Vi: true})
	d.events(planned(timeoutPlan)...)
	d.armDialog()
	d.press("ctrl+e")
	d.shows("insert")
	d.press("esc", "d", "d", "p", "j", "j", "j")
	d.shows("? Edit the plan")
	d.press("o")
	d.typeText("2. Twice")
	d.press("esc", "ctrl+s")
	d.advance(dialog.Quiet)
	d.press("2")
	if got := answersOf(d); len(got) != 1 || !strings.Contains(got[0].Text, "# Respect --timeout in the server\n## Steps") || !strings.Contains(got[0].Text, "\n2. Twice\n") {
		t.Errorf("got %v", got)
	}
}

// A click places the cursor in the plan, and the wheel moves it. A paste goes there too.
func TestEditPlanWithTheMouse(t *testing.T) {
	d := planDialog(t, 100, 30)
	d.press("ctrl+e")
	x, y := d.find("3. Add a test")
	d.click(x+3, y)
	d.send(tea.PasteMsg{Content: "Really add and "})
	d.shows("3. Really add and ▌dd a test")
	x, y = d.find("? Edit the plan")
	for range 3 {
		d.send(tea.MouseWheelMsg{X: x, Y: y + 3, Button: tea.MouseWheelUp})
	}
	d.send(tea.PasteMsg{Content: "Top"})
	d.shows("Top")
	d.press("ctrl+s")
	d.advance(dialog.Quiet)
	d.press("1")
	if got := answersOf(d); len(got) != 1 || !strings.Contains(got[0].Text, "\n3. Really add and Add a test") || !strings.Contains(strings.Split(got[0].Text, "\n")[0], "Top") {
		t.Errorf("got %v", got)
	}
}
