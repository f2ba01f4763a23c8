package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// promptIs compares the text shown in the prompt.
func (d *driver) promptIs(want string) {
	d.t.Helper()
	if got := d.m.editor.Shown(); got != want {
		d.t.Errorf("the prompt is %q, want %q", got, want)
	}
}

// findFiles returns the files of a small workspace whose path contains query.
func findFiles(_ context.Context, query string, limit int) (found []screen.Match, final bool) {
	for _, f := range []screen.Match{{Path: "main.go"}, {Path: "internal", Dir: true}, {Path: "internal/tui/editor.go"}, {Path: "a file.md"}, {Path: "shot.png"}} {
		if i := strings.Index(f.Path, query); i >= 0 && len(found) < limit {
			for n := range len(query) {
				f.At = append(f.At, i+n)
			}
			found = append(found, f)
		}
	}
	return found, true
}

func TestSuggestions(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(d *driver)
		want string // in the editor
		sent []event.Command
	}{
		{"tab accepts a file", func(d *driver) { d.typeText("see @mai"); d.press("tab") }, "see @main.go ", nil},
		{"enter accepts a file", func(d *driver) { d.typeText("see @edit"); d.press("enter") }, "see @internal/tui/editor.go ", nil},
		{"down marks the next", func(d *driver) { d.typeText("@int"); d.press("down", "tab") }, "@internal/tui/editor.go ", nil},
		{"no space after a directory", func(d *driver) { d.typeText("@int"); d.press("tab") }, "@internal/", nil},
		{"spaces are quoted", func(d *driver) { d.typeText("@fil"); d.press("tab") }, `@"a file.md" `, nil},
		{"quoted from the start", func(d *driver) { d.typeText(`@"a f`); d.press("tab") }, `@"a file.md" `, nil},
		{"esc closes", func(d *driver) { d.typeText("@mai"); d.press("esc"); d.press("enter") }, "", []event.Command{event.Prompt{Text: "@mai"}}},
		{"esc closes for the whole word", func(d *driver) { d.typeText("@ma"); d.press("esc"); d.typeText("i"); d.press("tab", "tab") }, "@main.go ", nil},
		{"not within a word", func(d *driver) { d.typeText("me@mai"); d.press("enter") }, "", []event.Command{event.Prompt{Text: "me@mai"}}},
		{"a bare @ is sent", func(d *driver) { d.typeText("a @"); d.press("enter") }, "", []event.Command{event.Prompt{Text: "a @"}}},
		{"enter sends a complete path", func(d *driver) { d.typeText("@main.go"); d.press("enter") }, "", []event.Command{event.Prompt{Text: "@main.go"}}},
		{"in the middle of a line", func(d *driver) {
			d.typeText("see  now")
			d.press("left", "left", "left", "left")
			d.typeText("@mai")
			d.press("tab")
		}, "see @main.go now", nil},
		{"tab completes a command", func(d *driver) { d.typeText("/mod"); d.press("down", "tab") }, "/mode ", nil},
		{"enter runs the completed command", func(d *driver) { d.typeText("/cos"); d.press("enter") }, "", nil},
		{"arguments", func(d *driver) { d.typeText("/mode au"); d.press("enter") }, "", []event.Command{event.SetMode{Mode: "edits"}}},
		{"up without suggestions", func(d *driver) { d.typeText("one"); d.press("enter"); d.events(userSaid("one")); d.press("up") }, "one", []event.Command{event.Prompt{Text: "one"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{Find: findFiles}})
			c.do(d)
			d.promptIs(c.want)
			d.wantCommands(c.sent...)
		})
	}
}

func TestSuggestionsAreShown(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{Files: screen.Files{Find: findFiles}, Session: screen.Session{History: twoTurns()}})
		d.typeText("look at @in")
		d.golden("files-" + size)
		d.press("ctrl+c")
		d.typeText("/re")
		d.press("down")
		d.golden("commands-" + size)
	})
}

// Esc closes the suggestions before it interrupts a turn.
func TestEscClosesSuggestionsFirst(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{Find: findFiles}})
	d.events(userSaid("go"))
	d.typeText("@mai")
	d.press("esc")
	d.press("ctrl+r", "x", "esc")
	d.wantCommands()
	d.press("esc")
	d.wantCommands(event.Interrupt{})
}

// A late result does not replace that of a newer query. While results are not final, the
// query is repeated.
func TestLateFiles(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	var queries []string
	final := false
	d.m.Options.Files.Find = func(_ context.Context, query string, _ int) ([]screen.Match, bool) {
		queries = append(queries, query)
		if query == "" {
			return []screen.Match{{Path: "late.go"}}, true
		}
		return []screen.Match{{Path: query + ".go"}}, final
	}
	_, late := d.m.Update(keyPress("@"))
	d.typeText("a")
	d.runCmd(late)
	d.shows("a.go")
	d.hides("late.go")
	final = true
	d.advance(time.Second)
	if diff := cmp.Diff(queries, []string{"a", "", "a"}); diff != "" {
		t.Errorf("queries (-got +want):\n%s", diff)
	}
}

// A canceled search returns nothing, and does not close the list of the one before it:
// enter accepts the file that is shown.
func TestCanceledSearchKeepsSuggestions(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.m.Options.Files.Find = func(ctx context.Context, query string, limit int) ([]screen.Match, bool) {
		if ctx.Err() != nil {
			return nil, true
		}
		return findFiles(ctx, query, limit)
	}
	d.typeText("@mai")
	_, canceled := d.m.Update(keyPress("n"))
	d.m.Update(keyPress("."))
	d.runCmd(canceled)
	d.press("enter")
	d.promptIs("@main.go ")
	d.wantCommands()
}

func TestSearchingPrompts(t *testing.T) {
	history := []event.Event{userSaid("Fix the parser"), turnEnd(event.Done, 0), userSaid("why is the build slow"), turnEnd(event.Done, 0),
		userSaid("fix the build"), turnEnd(event.Done, 0)}
	for _, c := range []struct{ name, keys, want string }{
		{"the latest match", "ctrl+r b u i l d enter", "fix the build"},
		{"again, an older one", "ctrl+r b u i l d ctrl+r enter", "why is the build slow"},
		{"and back", "ctrl+r b u i l d ctrl+r down enter", "fix the build"},
		{"stays at the oldest", "ctrl+r b u i l d ctrl+r ctrl+r ctrl+r enter", "why is the build slow"},
		{"shorter again", "ctrl+r s l backspace backspace f i x enter", "fix the build"},
		{"capitals count", "ctrl+r F i x enter", "Fix the parser"},
		{"in other sessions", "ctrl+r o t h e r enter", "in another session"},
		{"esc restores the draft", "ctrl+r b u i l d esc", "draft"},
		{"ctrl+c too", "ctrl+r b u i l d ctrl+c", "draft"},
		{"no match keeps the draft", "ctrl+r z z enter", "draft"},
		{"undo restores the draft", "ctrl+r b u i l d enter ctrl+_", "draft"},
		{"another key edits the match", "ctrl+r s l o w home x", "xwhy is the build slow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: history, Earlier: func(context.Context, int) []string { return []string{"in another session"} }}})
			d.typeText("draft")
			d.press(strings.Fields(c.keys)...)
			d.promptIs(c.want)
			d.wantCommands()
		})
	}
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: history}})
	d.press("ctrl+r")
	d.send(tea.PasteMsg{Content: " slow\nand more"})
	d.promptIs("why is the build slow")
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{Session: screen.Session{History: history}})
		d.press("ctrl+r")
		d.typeText("buil")
		d.golden("search-prompts-" + size)
	})
}

func TestHistoryOfEarlierSessions(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Earlier: func(context.Context, int) []string { return []string{"older", "old"} }}})
	d.press("up")
	d.promptIs("old")
	d.press("up")
	d.promptIs("older")
	d.press("up", "down")
	d.promptIs("old")
	d.press("down")
	d.promptIs("")
}

// The prompt history skips repetitions of the same prompt.
func TestHistorySkipsRepetitions(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Earlier: func(context.Context, int) []string { return []string{"a", "b", "b", "b", "c", "c"} }}})
	var got []string
	for range 4 {
		d.press("up")
		got = append(got, d.m.editor.Shown())
	}
	for range 3 {
		d.press("down")
		got = append(got, d.m.editor.Shown())
	}
	if diff := cmp.Diff(got, []string{"c", "b", "a", "a", "b", "c", ""}); diff != "" {
		t.Errorf("prompts (-got +want):\n%s", diff)
	}
}

func TestUndoKeys(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("one two")
	d.press("ctrl+_")
	d.promptIs("one ")
	d.press("alt+/")
	d.promptIs("one two")
	d.press("ctrl+w", "ctrl+u", "ctrl+y")
	d.promptIs("one two")
	d.press("ctrl+a", "ctrl+k", "ctrl+c", "ctrl+y", "alt+y")
	d.promptIs("one two")
	d.press("ctrl+c", "ctrl+_") // a cleared prompt is in the history
	d.promptIs("")
	d.press("up")
	d.promptIs("one two")
}

// The cursor is at the right column after characters of any width.
func TestCursor(t *testing.T) {
	for text, want := range map[string]int{"": 2, "ab": 4, "日本": 6, "👩‍👩‍👧": 4, "e\u0301": 3, "\t": 6, "🇩🇪x": 5, "می\u200cخواهم": 9} {
		d := newDriver(t, 40, 12, screen.Options{})
		d.send(tea.PasteMsg{Content: text})
		if c := d.m.View().Cursor; c == nil || c.X != want {
			t.Errorf("%q: the cursor is at %v, want %d", text, c, want)
		}
	}
}

// The cost of a key press does not depend on the size of the draft. The limit only
// catches a hang.
func TestPastesDoNotBlock(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	huge := strings.Repeat("a line of some length, as usual\n", 300_000)
	begin := time.Now()
	d.send(tea.PasteMsg{Content: huge})
	for range 100 {
		d.press("x", "backspace")
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("200 keys after a paste of %d bytes took %v", len(huge), took)
	}
	d.shows(fmt.Sprintf("[pasted %s]", phrase.Count(300_000, "line")))
}

// Keys that move the caret have another meaning at the start or end of the text.
func TestKeysAtTheEdgesOfTheText(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.typeText("one")
	d.press("ctrl+j")
	d.typeText("two")
	d.press("ctrl+p", "ctrl+a", "ctrl+f")
	d.typeText("X")
	d.promptIs("oXne\ntwo")
	d.press("ctrl+n")
	d.typeText("Y")
	d.promptIs("oXne\ntwYo")
	d.press("alt+>", "ctrl+f")
	d.shows("search")
	d.press("esc", "alt+<", "ctrl+p")
	d.shows("Command palette")
	d.press("esc")
	d.promptIs("oXne\ntwYo")
}

// Keys change the case of words and transpose letters and words.
func TestCaseAndTransposeKeys(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"alt+< alt+u alt+c", "ONE Two three"},
		{"alt+< alt+u alt+< alt+l", "one two three"},
		{"alt+t", "one three two"},
		{"left left ctrl+x ctrl+t", "one two there"},
		{"alt+t ctrl+_", "one two three"},
	} {
		d := newDriver(t, 80, 24, screen.Options{})
		d.typeText("one two three")
		d.press(strings.Fields(c.keys)...)
		if got := d.m.editor.Shown(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, got, c.want)
		}
	}
}
