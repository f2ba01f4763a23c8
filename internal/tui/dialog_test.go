package tui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

func askCommand(id, command string) event.Asked {
	return event.Asked{Ask: event.Ask{ID: id, Title: "shell " + command, Effect: "execute",
		Targets: []event.Target{{Kind: "command", Value: command}},
		Why:     "commands run with your full user permissions", Scope: "`" + command + "`"}}
}

func TestAskCommand(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		ask := askCommand("1", "rm -rf ./build && make\techo \u202egnp.exe\necho \x1b[2Jdone; sed -i 's/a very long expression/another very long expression/' one.go two.go three.go")
		ask.Ask.Warnings = []string{"build is a link to /srv/build"}
		ask.Ask.Scope = ""
		d.events(userSaid("build it"), call("r1", "1", "shell"), ask)
		d.armDialog()
		d.golden("ask-command-" + size)
		d.press("2") // not offered
		d.wantCommands()
		d.press("end", "y")
		d.advance(dialog.Quiet)
		d.press("enter")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	})
}

func TestAnswers(t *testing.T) {
	yes, no := event.Answer{ID: "1", Decision: event.Allow}, event.Answer{ID: "1", Decision: event.Refuse}
	because := func(note string) event.Answer { return event.Answer{ID: "1", Decision: event.Refuse, Note: note} }
	for _, c := range []struct {
		keys string
		want event.Answer
	}{
		{"1", yes},
		{"enter", yes},
		{"y enter", yes},
		{"Y enter", yes},
		{"n up up enter", yes},
		{"y e s enter enter", yes},
		{"2", event.Answer{ID: "1", Decision: event.Always}},
		{"down enter", event.Answer{ID: "1", Decision: event.Always}},
		{"3", no},
		{"n enter", no},
		{"n o enter enter", no},
		{"4 enter enter", no},
		{"4 u s e enter", because("use")},
		{"down down down down enter u s e enter", because("use")},
		{"u s e enter", because("use")},
		{"a l s o enter", because("also")},
		{"n o space w a y enter", because("no way")},
		{"y o u enter", because("you")},
		{"Y e p enter", because("Yep")},
		{"ä enter", because("ä")},
		{"5 enter", because("5")},
		{"w 1 2 y n ? enter", because("w12yn?")},
		{"w y ctrl+j n enter", because("wy\nn")},
		{"w esc a enter", because("wa")},
		{"w tab a up b enter", because("wab")},
		{"w a esc down enter b enter", because("wab")},
		{"space z enter", because("z")},
	} {
		t.Run(c.keys, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{})
			d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
			d.armDialog()
			d.pressSlowly(strings.Fields(c.keys)...)
			d.wantCommands(c.want)
			if d.m.dialog.Waits() {
				t.Error("the dialog is still open")
			}
		})
	}
}

// A comment that is not sent with the answer becomes the draft.
func TestCommentOfAnotherAnswer(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
	d.armDialog()
	d.typeText("maybe later")
	d.press("esc")
	d.shows("4  No, and tell the model why: maybe later")
	d.press("1")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	d.promptIs("maybe later")
}

// Enter does nothing while no row is marked.
func TestEnterWithoutAMarkedRow(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("also fix")
	d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
	d.armDialog()
	d.hides(ink.MarkRow)
	d.shows("› also fix", "your draft")
	d.press("enter")
	d.wantCommands()
	d.shows("choose a row: ↑↓ or its digit")
	d.press("down", "enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	d.promptIs("also fix")
}

// A paste into a dialog never answers: it goes into the comment.
func TestPasteIntoADialog(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
	d.send(tea.PasteMsg{Content: "1\n"}) // too early
	d.promptIs("1\n")
	d.press("ctrl+u", "backspace", "backspace")
	d.promptIs("")
	d.armDialog()
	d.send(tea.PasteMsg{Content: "1\ny"})
	d.send(tea.PasteMsg{Content: "es"})
	d.wantCommands()
	d.press("enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse, Note: "1\nyes"})
}

func TestRejectWithComment(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(asked()...)
		d.armDialog()
		d.typeText("keep the handler's name")
		d.send(tea.PasteMsg{Content: " as it is"})
		d.golden("reject-with-message-" + size)
	})
}

// A dialog that opens while the user types takes keys only after a pause in typing.
// Until then, keys go into the draft.
func TestDialogWaitsForAPauseInTyping(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"))
	d.advance(time.Minute)
	d.typeText("also ")
	d.advance(100 * time.Millisecond)
	d.events(askCommand("1", "make"))
	for range 5 { // always sooner than the pause
		d.typeText("y")
		d.advance(600 * time.Millisecond)
	}
	d.wantCommands()
	d.golden("dialog-while-typing")
	d.advance(100 * time.Millisecond)
	d.golden("dialog-after-typing")
	d.press("1", "enter")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	if !strings.Contains(d.screen(), "› also yyyyy▌") {
		t.Errorf("the draft is missing:\n%s", d.screen())
	}
}

// A dialog ignores keys right after it opened, even if the user was not typing.
func TestNewDialogIgnoresKeys(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"))
	d.advance(time.Minute)
	d.events(askCommand("1", "make"))
	d.advance(600 * time.Millisecond)
	d.press("1")
	d.advance(600 * time.Millisecond)
	d.press("y")
	d.wantCommands()
	d.promptIs("1y")
}

// Keys right after an answer neither answer the next dialog nor go into the draft.
func TestSecondDialog(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), call("r1", "2", "shell"), askCommand("1", "make"))
	d.armDialog()
	d.press("1")
	d.events(result("1", "shell make", "execute", event.OK, "", "", 0), askCommand("2", "rm -rf /"))
	for range 20 { // keys that are held down
		d.advance(30 * time.Millisecond)
		d.press("1", "enter", "y")
	}
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	d.advance(dialog.QuietNext)
	d.press("3")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow}, event.Answer{ID: "2", Decision: event.Refuse})
	if !d.m.editor.Empty() {
		t.Errorf("keys went into the draft: %q", d.m.editor.Shown())
	}
}

// Consecutive dialogs can be answered at typing speed.
func TestFourDialogsInARow(t *testing.T) {
	for name, ask := range map[string]func(d *driver, i int){
		"together": func(d *driver, i int) {
			if i == 0 {
				d.events(askCommand("0", "one"), askCommand("1", "two"), askCommand("2", "three"), askCommand("3", "four"))
			}
		},
		"one by one": func(d *driver, i int) { d.events(askCommand(strconv.Itoa(i), "make")) },
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.events(userSaid("go"))
		var want []event.Command
		for i := range 4 {
			ask(d, i)
			d.advance(map[bool]time.Duration{true: dialog.Quiet, false: dialog.QuietNext}[i == 0])
			d.press("1")
			want = append(want, event.Answer{ID: strconv.Itoa(i), Decision: event.Allow})
		}
		d.advance(dialog.QuietNext)
		d.wantCommands(want...)
		if t.Failed() {
			t.Fatalf("%s: not all dialogs were answered", name)
		}
	}
}

// A sentence that is typed right after an answer goes into the draft and answers
// nothing.
func TestSentenceAfterAnAnswer(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"), askCommand("2", "rm -rf /"))
	d.armDialog()
	d.press("1")
	for _, r := range "and 1 more" {
		d.advance(100 * time.Millisecond)
		d.typeText(string(r))
	}
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow})
	d.promptIs("and 1 more")
}

func TestDialogsQueue(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), askCommand("1", "one"), askCommand("2", "two"), askCommand("3", "three"))
	if !strings.Contains(d.screen(), "1 of 3") {
		t.Errorf("the number of open dialogs is missing:\n%s", d.screen())
	}
	d.events(result("2", "shell two", "execute", event.Interrupted, "", "", 0))
	d.armDialog()
	d.press("1")
	d.advance(time.Second)
	d.press("3")
	d.wantCommands(event.Answer{ID: "1", Decision: event.Allow}, event.Answer{ID: "3", Decision: event.Refuse})
}

func TestStepsDialog(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: event.StepsAsk, Title: "50 steps so far. Continue?", Why: "a turn pauses every 50 steps (--max-steps)"}})
	d.armDialog()
	d.golden("ask-steps")
	if d.m.ticker.needsTick() {
		t.Error("the ticker runs while a dialog is open")
	}
	d.press("2", "4")          // the rows do not exist
	d.typeText("no, continue") // text goes into the draft
	d.armDialog()
	d.press("enter")
	d.wantCommands()
	d.press("y", "enter")
	d.wantCommands(event.Answer{ID: event.StepsAsk, Decision: event.Allow})
	d.promptIs("no, continue")
}

func TestInterruptInADialog(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		for _, before := range []string{"", "early", "ctrl+g esc"} {
			t.Run(before+" "+key, func(t *testing.T) {
				d := newDriver(t, 80, 24, screen.Options{})
				d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
				if before != "early" {
					d.armDialog()
					d.press(strings.Fields(before)...)
				}
				d.wantCommands()
				d.press(key)
				d.wantCommands(event.Interrupt{})
				if !strings.Contains(d.screen(), "interrupting · 0 s") {
					t.Errorf("screen:\n%s", d.screen())
				}
				d.press(key, key)
				d.wantCommands(event.Interrupt{}, event.Interrupt{})
				if !strings.Contains(d.screen(), "killing") || strings.Contains(d.screen(), "1  Yes") {
					t.Errorf("screen:\n%s", d.screen())
				}
				d.events(result("1", "shell make", "execute", event.Interrupted, "", "", 0), turnEnd(event.UserInterrupt, time.Second))
				d.golden("interrupted")
			})
		}
	}
}

// A long diff scrolls, as does any dialog in a low window.
func TestLongDiff(t *testing.T) {
	var b strings.Builder
	b.WriteString("@@ -0,0 +1,200 @@\n")
	for i := range 200 {
		b.WriteString("+line " + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "\n")
	}
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: "1", Title: "write long.txt", Effect: "write",
			Diffs: []event.Diff{{Path: "long.txt", Unified: b.String(), Added: 200, Created: true}}, Why: "it changes files"}})
		d.armDialog()
		d.golden("long-diff-" + size)
		for range 250 {
			d.press("pgdown")
		}
		if !strings.Contains(d.screen(), "line xxxr") || !strings.Contains(d.screen(), "1  Yes") {
			t.Errorf("scrolling does not reach the end of the diff:\n%s", d.screen())
		}
		d.press("home")
		if !strings.Contains(d.screen(), "more lines below") {
			t.Errorf("home does not scroll to the start:\n%s", d.screen())
		}
		d.press("end", "3")
		d.wantCommands(event.Answer{ID: "1", Decision: event.Refuse})
	})
}

// The full text of a dialog can be read in any window.
func TestDialogsAreNotTruncated(t *testing.T) {
	url := "https://example.org/" + strings.Repeat("a-very-long-path/", 12) + "?and=a&query=too#end"
	command := "printf '%s\\n' " + strings.Repeat("one-more-word ", 20) + "| tee last.txt"
	path := "internal/" + strings.Repeat("deep/er/", 15) + "file.go"
	scope := "requests to " + strings.Repeat("sub.", 30) + "example.org"
	for name, ask := range map[string]event.Ask{
		"url":     {Title: "fetch " + url, Effect: "network", Why: "sends a request to the network", Scope: scope},
		"command": {Title: "shell " + command[:70] + "…", Effect: "execute", Targets: []event.Target{{Kind: "command", Value: command}}, Scope: "`" + command + "`"},
		"path":    {Title: "edit " + path, Effect: "write", Diffs: []event.Diff{{Path: path, Unified: hunk, Added: 2, Removed: 1}}},
		"paths": {Title: "edit 2 files", Effect: "write", Diffs: []event.Diff{{Path: path, Unified: hunk, Added: 2, Removed: 1},
			{Path: "b/" + path, Unified: hunk, Added: 2, Removed: 1}}},
		"question": {Title: "ask", Question: url, Choices: []event.Choice{{Text: command, Explain: scope}, {Text: path}}},
	} {
		sizes(t, func(t *testing.T, size string, w, h int) {
			d := newDriver(t, w, h, screen.Options{})
			ask.ID = "1"
			d.events(userSaid("go"), event.Asked{Ask: ask}, askCommand("2", "make"))
			d.armDialog()
			var seen strings.Builder
			for range 60 {
				from := strings.Index(d.screen(), "\n?")
				seen.WriteString(strings.Join(strings.Fields(d.screen()[from:]), ""))
				d.press("pgdown")
			}
			want := []string{ask.Scope, ask.Question}
			if dialog.ScopeIsCommand(ask) {
				want[0] = "this exact command"
			}
			if ask.Question == "" && len(ask.Targets) == 0 {
				want = append(want, ask.Title[1:]+"?") // with a capital
			}
			for _, t := range ask.Targets {
				want = append(want, t.Value)
			}
			for _, d := range ask.Diffs {
				want = append(want, d.Path)
			}
			for _, c := range ask.Choices {
				want = append(want, c.Text, c.Explain)
			}
			// Scroll positions overlap and lines wrap, so compare pieces of words.
			for _, w := range want {
				for _, word := range strings.Fields(w) {
					for len(word) > 0 {
						n := min(len(word), 12)
						if !strings.Contains(seen.String(), word[:n]) {
							t.Fatalf("%s: %q of %q is never shown:\n%s", name, word[:n], w, d.screen())
						}
						word = word[n:]
					}
				}
			}
		})
	}
}

// A diff of any length can be read to its end. It is drawn only as far as the user
// scrolls.
func TestGiantDiffCanBeReadToTheEnd(t *testing.T) {
	var u strings.Builder
	u.WriteString("@@ -0,0 +1,9000 @@\n")
	for i := range 9_000 {
		u.WriteString("+line " + strconv.Itoa(i+1) + "\n")
	}
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(userSaid("go"), event.Asked{Ask: event.Ask{ID: "1", Title: "write giant.txt", Effect: "write",
		Diffs: []event.Diff{{Path: "giant.txt", Unified: u.String(), Added: 9_000, Created: true}}}})
	d.armDialog()
	d.shows("many more lines below")
	was := ""
	for d.screen() != was {
		was = d.screen()
		d.press("end", "pgup", "pgdown", "pgdown", "pgdown")
	}
	if !strings.Contains(was, "line 9000") || strings.Contains(was, "…") {
		t.Errorf("scrolling does not reach the end:\n%s", was)
	}
}

// An unfinished comment becomes part of the draft if the turn is interrupted.
func TestCommentSurvivesAnInterrupt(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("and then")
	d.events(asked()...)
	d.advance(time.Second)
	d.press("down", "up") // move the focus to the dialog
	d.typeText("not like this")
	d.press("esc")
	d.wantCommands()
	d.press("esc")
	d.wantCommands(event.Interrupt{})
	d.shows("› not like this\n  and then")
}

// Text typed into a search never answers a dialog. The dialog takes keys again after
// the search is closed.
func TestSearchTextDoesNotAnswer(t *testing.T) {
	for name, open := range map[string]func(d *driver){
		"dialog first": func(d *driver) { d.events(asked()...); d.advance(time.Second); d.press("ctrl+f") },
		"search first": func(d *driver) { d.press("ctrl+f"); d.advance(time.Second); d.events(asked()...) },
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		open(d)
		d.typeText("the")
		d.advance(2 * time.Second)
		d.typeText("y")
		d.shows("search  they", "the question waits until the search is closed")
		d.press("enter", "esc")
		if d.wantCommands(); t.Failed() {
			t.Fatalf("%s: the search text answered", name)
		}
		d.armDialog()
		d.press("1")
		d.wantCommands(event.Answer{ID: "5", Decision: event.Allow})
	}
}
