package tui

import (
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop"
)

func askCommand(id, command string) loop.Asked {
	return loop.Asked{Ask: loop.Ask{ID: id, Title: "shell " + command, Effect: "execute",
		Targets: []loop.Target{{Kind: "command", Value: command}},
		Why:     "a command can do anything that you can do", Scope: "this very command: " + command}}
}

func TestAskCommand(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, Options{})
		ask := askCommand("1", "rm -rf ./build && make\techo \u202egnp.exe\necho \x1b[2Jdone; sed -i 's/a very long expression/another very long expression/' one.go two.go three.go")
		ask.Ask.Warnings = []string{"build is a link to /srv/build"}
		ask.Ask.Scope = ""
		d.events(userSaid("build it"), call("r1", "1", "shell"), ask)
		d.golden("ask-command-" + size)
		d.press("a") // not offered
		d.commands()
		d.press("y")
		d.commands(loop.Answer{ID: "1", Decision: loop.Allow})
	})
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		keys string
		want loop.Answer
	}{
		{"y", loop.Answer{ID: "1", Decision: loop.Allow}},
		{"n", loop.Answer{ID: "1", Decision: loop.Refuse}},
		{"a", loop.Answer{ID: "1", Decision: loop.Always}},
		{"tab u s e enter", loop.Answer{ID: "1", Decision: loop.Refuse, Note: "use"}},
		{"tab y ctrl+j n enter", loop.Answer{ID: "1", Decision: loop.Refuse, Note: "y\nn"}},
		{"tab x tab y", loop.Answer{ID: "1", Decision: loop.Allow}},
		{"enter space z y", loop.Answer{ID: "1", Decision: loop.Allow}},
	} {
		t.Run(c.keys, func(t *testing.T) {
			d := newDriver(t, 80, 24, Options{})
			d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
			d.press(strings.Fields(c.keys)...)
			d.commands(c.want)
			if d.m.dialog.waits() {
				t.Error("the question still waits")
			}
		})
	}
}

func TestSayWithRefusal(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, Options{})
		d.events(asked()...)
		d.press("tab")
		d.enter("keep the handler's name")
		d.send(tea.PasteMsg{Content: " as it is"})
		d.golden("refuse-with-words-" + size)
	})
}

// A dialog that arrives while somebody types takes no key until half a second
// without one has passed. The draft stays.
func TestFocus(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"))
	d.pass(time.Minute)
	d.enter("also ")
	d.pass(100 * time.Millisecond)
	d.events(askCommand("1", "make"))
	for range 5 { // typing on, never half a second without a key
		d.enter("y")
		d.pass(400 * time.Millisecond)
	}
	d.commands()
	d.golden("dialog-while-typing")
	d.pass(200 * time.Millisecond)
	d.golden("dialog-after-typing")
	d.press("y")
	d.commands(loop.Answer{ID: "1", Decision: loop.Allow})
	if !strings.Contains(d.screen(), "› also yyyyy▌") {
		t.Errorf("the draft did not come back:\n%s", d.screen())
	}
}

// What follows an answer at once is not taken for the answer to the next
// question, nor for text.
func TestSecondQuestion(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.events(userSaid("go"), call("r1", "1", "shell"), call("r1", "2", "shell"), askCommand("1", "make"))
	d.press("y")
	d.events(result("1", "shell make", "execute", loop.OK, "", "", 0), askCommand("2", "rm -rf /"))
	d.press("y", "y")
	d.commands(loop.Answer{ID: "1", Decision: loop.Allow})
	d.pass(600 * time.Millisecond)
	d.press("n")
	d.commands(loop.Answer{ID: "1", Decision: loop.Allow}, loop.Answer{ID: "2", Decision: loop.Refuse})
	if !d.m.editor.empty() {
		t.Errorf("keys went astray: %q", d.m.editor.value())
	}
}

func TestQuestionsQueue(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.events(userSaid("go"), askCommand("1", "one"), askCommand("2", "two"), askCommand("3", "three"))
	if !strings.Contains(d.screen(), "2 more questions") {
		t.Errorf("what waits is not told:\n%s", d.screen())
	}
	d.events(result("2", "shell two", "execute", loop.Interrupted, "", "", 0))
	d.press("y")
	d.pass(time.Second)
	d.press("n")
	d.commands(loop.Answer{ID: "1", Decision: loop.Allow}, loop.Answer{ID: "3", Decision: loop.Refuse})
}

func TestStepsQuestion(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.events(userSaid("go"), loop.Asked{Ask: loop.Ask{ID: loop.StepsAsk, Title: "50 steps so far. Go on?", Why: "a turn stops every 50 steps (--max-steps)"}})
	d.golden("ask-steps")
	if d.m.moves() {
		t.Error("something moves while the person is asked")
	}
	d.press("y")
	d.commands(loop.Answer{ID: loop.StepsAsk, Decision: loop.Allow})
}

func TestInterruptWhileAsked(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		for _, before := range []string{"", "tab"} {
			t.Run(before+" "+key, func(t *testing.T) {
				d := newDriver(t, 80, 24, Options{})
				d.events(userSaid("go"), call("r1", "1", "shell"), askCommand("1", "make"))
				d.press(strings.Fields(before)...)
				d.press(key)
				d.commands(loop.Interrupt{})
				if !strings.Contains(d.screen(), "stopping · esc again kills") {
					t.Errorf("screen:\n%s", d.screen())
				}
				d.press(key, key)
				d.commands(loop.Interrupt{}, loop.Interrupt{})
				if !strings.Contains(d.screen(), "killing") || strings.Contains(d.screen(), "y run") {
					t.Errorf("screen:\n%s", d.screen())
				}
				d.events(result("1", "shell make", "execute", loop.Interrupted, "", "", 0), turnEnd(loop.UserInterrupt, time.Second))
				d.golden("interrupted")
			})
		}
	}
}

// A long diff scrolls; so does a question in a low window.
func TestLongDiff(t *testing.T) {
	var b strings.Builder
	b.WriteString("@@ -0,0 +1,200 @@\n")
	for i := range 200 {
		b.WriteString("+line " + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "\n")
	}
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, Options{})
		d.events(userSaid("go"), loop.Asked{Ask: loop.Ask{ID: "1", Title: "write long.txt", Effect: "write",
			Diffs: []loop.Diff{{Path: "long.txt", Unified: b.String(), Added: 200, Created: true}}, Why: "it changes files"}})
		d.golden("long-diff-" + size)
		for range 100 {
			d.press("pgdown")
		}
		if !strings.Contains(d.screen(), "line xxxr") || !strings.Contains(d.screen(), "y apply") {
			t.Errorf("the end of the diff is out of reach:\n%s", d.screen())
		}
		d.press("pgdown", "down", "down", "up")
		d.press("n")
		d.commands(loop.Answer{ID: "1", Decision: loop.Refuse})
	})
}

// Whatever a person says yes to can be read whole, in any window.
func TestNothingIsCutFromAQuestion(t *testing.T) {
	url := "https://example.org/" + strings.Repeat("a-very-long-path/", 12) + "?and=a&query=too#end"
	command := "printf '%s\\n' " + strings.Repeat("one-more-word ", 20) + "| tee last.txt"
	path := "internal/" + strings.Repeat("deep/er/", 15) + "file.go"
	scope := "requests to " + strings.Repeat("sub.", 30) + "example.org"
	for name, ask := range map[string]loop.Ask{
		"url":     {Title: "fetch " + url, Effect: "network", Why: "it reaches the network", Scope: scope},
		"command": {Title: "shell " + command[:70] + "…", Effect: "execute", Targets: []loop.Target{{Kind: "command", Value: command}}, Scope: "this very command: " + command},
		"path":    {Title: "edit " + path, Effect: "write", Diffs: []loop.Diff{{Path: path, Unified: hunk, Added: 2, Removed: 1}}},
		"paths": {Title: "edit 2 files", Effect: "write", Diffs: []loop.Diff{{Path: path, Unified: hunk, Added: 2, Removed: 1},
			{Path: "b/" + path, Unified: hunk, Added: 2, Removed: 1}}},
		"question": {Title: "ask", Question: url, Choices: []loop.Choice{{Text: command, Explain: scope}, {Text: path}}},
	} {
		sizes(t, func(t *testing.T, size string, w, h int) {
			d := newDriver(t, w, h, Options{})
			ask.ID = "1"
			d.events(userSaid("go"), loop.Asked{Ask: ask}, askCommand("2", "make"))
			var seen strings.Builder
			for range 60 {
				from := strings.Index(d.screen(), "\n?")
				seen.WriteString(strings.Join(strings.Fields(d.screen()[from:]), ""))
				d.press("pgdown")
			}
			want := []string{ask.Scope, ask.Question}
			if ask.Question == "" && len(ask.Targets) == 0 {
				want = append(want, ask.Title)
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
			// A window shows a part, and the next one goes on a line below it: all is
			// seen if every word of it is.
			for _, w := range want {
				for _, word := range strings.Fields(w) {
					for len(word) > 0 {
						n := min(len(word), 12)
						if !strings.Contains(seen.String(), word[:n]) {
							t.Fatalf("%s: %q of %q is never seen:\n%s", name, word[:n], w, d.screen())
						}
						word = word[n:]
					}
				}
			}
		})
	}
}

// A diff of any length can be read to its end, and is drawn as far as somebody
// scrolls.
func TestGiantDiffIsReadToItsEnd(t *testing.T) {
	var u strings.Builder
	u.WriteString("@@ -0,0 +1,9000 @@\n")
	for i := range 9_000 {
		u.WriteString("+line " + strconv.Itoa(i+1) + "\n")
	}
	d := newDriver(t, 80, 24, Options{})
	d.events(userSaid("go"), loop.Asked{Ask: loop.Ask{ID: "1", Title: "write giant.txt", Effect: "write",
		Diffs: []loop.Diff{{Path: "giant.txt", Unified: u.String(), Added: 9_000, Created: true}}}})
	if n := len(d.m.dialog.body); n > openLines+10 {
		t.Errorf("%d lines are drawn before anybody scrolls", n)
	}
	was := ""
	for d.screen() != was {
		was = d.screen()
		d.m.dialog.scroll = len(d.m.dialog.body) // as far as it goes
		d.press("up", "down", "down", "pgdown")
	}
	if !strings.Contains(was, "line 9000") || strings.Contains(was, "…") {
		t.Errorf("the end is out of reach:\n%s", was)
	}
}

// What is being said with a refusal is not lost when the turn is stopped.
func TestNoteOutlivesAStop(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.enter("and then")
	d.events(asked()...)
	d.pass(time.Second)
	d.press("tab")
	d.enter("not like this")
	d.press("esc")
	d.commands(loop.Interrupt{})
	d.sees("› not like this\n  and then")
}

// What one searches for answers no question, not even after a pause: one that
// waits or comes meanwhile takes keys again once the search is closed.
func TestSearchBeforeQuestion(t *testing.T) {
	for name, open := range map[string]func(d *driver){
		"it waits": func(d *driver) { d.events(asked()...); d.pass(time.Second); d.press("ctrl+f") },
		"it comes": func(d *driver) { d.press("ctrl+f"); d.pass(time.Second); d.events(asked()...) },
	} {
		d := newDriver(t, 80, 24, Options{})
		open(d)
		d.enter("the")
		d.pass(2 * time.Second)
		d.enter("y")
		d.sees("find  they", "waits until the search is closed")
		d.press("enter", "esc")
		if d.commands(); t.Failed() {
			t.Fatalf("%s: the search has answered", name)
		}
		d.pass(time.Second)
		d.press("y")
		d.commands(loop.Answer{ID: "5", Decision: loop.Allow})
	}
}
