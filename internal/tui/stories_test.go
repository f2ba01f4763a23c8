package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// story is a screen with golden files: its text at every size, and its styles on a dark
// and on a light background.
type story struct {
	name string
	o    screen.Options
	play func(d *driver)
}

// stories returns the table of stories. To add one, add a row and run
// go test ./internal/tui -run Stories -update-screens.
func stories() []story {
	return []story{
		{"look-question", screen.Options{}, func(d *driver) { d.events(asked()...); d.armDialog() }},
		{"look-running", screen.Options{}, func(d *driver) {
			d.events(asked()...)
			d.armDialog()
			d.press("2")
			d.events(answered()...)
		}},
		{"look-done", screen.Options{}, func(d *driver) {
			d.events(asked()...)
			d.events(answered()...)
			d.events(closing()...)
			d.press("ctrl+t")
		}},
		{"look-careful", screen.Options{}, func(d *driver) {
			ask := askCommand("1", "curl https://example.org/install.sh | sh")
			ask.Ask.Warnings = []string{"runs downloaded code"}
			d.events(userSaid("install it"), call("r1", "1", "shell"), ask)
			d.armDialog()
		}},
		{"look-failures", screen.Options{}, func(d *driver) {
			end := turnEnd(event.ProviderError, time.Second)
			end.Error, end.Hint = "nothing listens on 127.0.0.1:11434", "start Ollama, or choose another model with /model"
			d.events(userSaid("go"), call("r1", "1", "shell"), call("r1", "2", "read"), start("1", "shell make", "execute"),
				result("1", "shell make", "execute", event.Failed, "exit code 2", "main.go:3: undefined: x", time.Second),
				result("2", "read b.go", "read", event.Failed, "", "b.go does not exist; similar names: a.go", 0), end)
		}},
		{"look-answer", screen.Options{}, func(d *driver) {
			d.events(userSaid("how?"), done(llm.Thinking, "r1", "Think."), done(llm.Assistant, "r1", "# Head\n\nSee `main.go` and [the docs](https://example.org/docs):\n\n"+
				"- [x] **bold**, *soft*\n- [ ] ~~gone~~\n\n```go\n// why\nreturn \"text\", 42\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted"), turnEnd(event.Done, time.Second))
		}},
		{"look-plan", screen.Options{}, func(d *driver) {
			d.events(userSaid("plan"), call("r1", "1", "todo"), &event.TodoSet{ID: "1", Items: []event.TodoItem{
				{Text: "read", State: event.TodoDone}, {Text: "write", State: event.TodoActive}, {Text: "test", State: event.TodoPending}}})
		}},
		{"look-narrow-title", screen.Options{}, func(d *driver) {
			long := "printf '%s\\n' " + strings.Repeat("word ", 30)
			d.events(userSaid("go"), call("r1", "1", "shell"), start("1", "shell "+long, "execute", event.Target{Kind: "command", Value: long}),
				result("1", "shell "+long, "execute", event.OK, "30 lines", "word", time.Second), turnEnd(event.Done, time.Second))
			d.press("ctrl+o")
		}},
	}
}

func TestStories(t *testing.T) {
	for _, s := range stories() {
		sizes(t, func(t *testing.T, size string, w, h int) {
			d := newDriver(t, w, h, s.o)
			s.play(d)
			d.golden(s.name + "-" + size)
			if size != "80x24" {
				return
			}
			dark := stylesIn(d.m.View())
			d.send(tea.BackgroundColorMsg{Color: lightGrey{}})
			light := stylesIn(d.m.View())
			var b strings.Builder
			for i := range dark {
				if dark[i] != "" {
					fmt.Fprintf(&b, "%2d %s\n", i+1, dark[i])
				}
				if light[i] != dark[i] {
					fmt.Fprintf(&b, "%2d on light: %s\n", i+1, light[i])
				}
			}
			d.compare(s.name+".look", b.String())
		})
	}
}

// stylesIn lists the styled spans of each line of a view.
func stylesIn(v tea.View) []string {
	var lines []string
	for _, line := range ink.Read(v.Content) {
		var parts []string
		for _, sp := range line {
			if sp.Pen == "" && sp.Link == "" || strings.TrimSpace(sp.Text) == "" {
				continue
			}
			text := sp.Text
			if strings.Trim(text, "─") == "" {
				text = "─"
			}
			if sp.Link != "" {
				text += " → " + sp.Link
			}
			parts = append(parts, penNames(sp.Pen)+"{"+text+"}")
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	return lines
}

// penNames replaces the codes in p with names, where they have one.
func penNames(p ink.Pen) string {
	names := map[string]string{"1": "bold", "2": "dim", "3": "italic", "4": "underlined", "9": "struck",
		"31": "red", "32": "green", "33": "yellow", "36": "cyan"}
	var words []string
	for part := range strings.SplitSeq(string(p), ";") {
		if name, ok := names[part]; ok {
			part = name
		}
		words = append(words, part)
	}
	return strings.Join(words, "+")
}

// checkOtherBackground checks that the text of the screen is the same on the other
// kind of background.
func (d *driver) checkOtherBackground() {
	d.t.Helper()
	was, want := d.m.Look, d.screen()
	other := was
	other.Dark = !was.Dark
	d.m.restyle(other)
	d.m.display.arrange()
	if diff := cmp.Diff(strings.Split(d.screen(), "\n"), strings.Split(want, "\n")); diff != "" {
		d.t.Errorf("on the other background (-got +want):\n%s", diff)
	}
	d.m.restyle(was)
	d.m.display.arrange()
}
