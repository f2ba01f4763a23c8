package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
)

func TestStreaming(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("explain"),
			event.Streamed{Reply: "r1", Delta: llm.ThinkingDelta{Index: 0, Text: "First the cause.\nThen the "}},
			event.Streamed{Reply: "r1", Delta: llm.ThinkingDelta{Index: 0, Text: "cure"}},
		)
		d.advance(300 * time.Millisecond)
		d.golden("thinking-" + size)
		d.events(
			event.Streamed{Reply: "r1", Delta: llm.TextDelta{Index: 1, Text: "The flag is parsed, "}},
			event.Streamed{Reply: "r1", Delta: llm.TextDelta{Index: 1, Text: "but never used.\n\n"}},
			&event.Partial{Reply: "r1", Kind: llm.Assistant, Text: "The flag is parsed, "},
			event.Streamed{Reply: "r1", Delta: llm.CallDelta{Index: 2, Name: "write", Args: `{"path": "a.go", "con`}},
		)
		d.typeText("and the changelog")
		d.golden("streaming-" + size)
		d.press("enter")
		d.golden("steering-" + size)
		d.events(
			done(llm.Thinking, "r1", "First the cause.\nThen the cure."),
			done(llm.Assistant, "r1", "The flag is parsed, but never used."),
			call("r1", "1", "write"),
			&event.UserSaid{Text: "and the changelog", Steered: true},
		)
		d.golden("streamed-" + size)
		d.wantCommands(event.Prompt{Text: "and the changelog"})
	})
}

// A finished message replaces its streamed text, even if the text differs.
func TestFinishedMessageReplacesStreamedText(t *testing.T) {
	live := newDriver(t, 80, 24, screen.Options{})
	live.events(userSaid("hi"), streamed("r1", "half a tr"))
	live.events(event.Retrying{Attempt: 2, Of: 6, In: 3 * time.Second, Error: "the stream broke"})
	if !strings.Contains(live.screen(), "Retrying in 3 s (attempt 2 of 6)") {
		t.Errorf("the retry is not shown:\n%s", live.screen())
	}
	live.advance(2 * time.Second)
	if !strings.Contains(live.screen(), "Retrying in 1 s (attempt 2 of 6)") {
		t.Errorf("the delay does not count down:\n%s", live.screen())
	}
	live.events(streamed("r2", "half a trip"), streamed("r2", " to the moon"))
	rest := []event.Event{done(llm.Assistant, "r2", "Half a trip to the moon."), turnEnd(event.Done, time.Second)}
	live.events(rest...)

	resumed := newDriver(t, 80, 24, screen.Options{Session: screen.Session{History: append([]event.Event{userSaid("hi")}, rest...)}})
	if diff := cmp.Diff(live.screen(), resumed.screen()); diff != "" {
		t.Errorf("screen (-got +want):\n%s", diff)
	}
}

// A resumed session looks as it did before.
func TestResumeLooksTheSame(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		all := append(append(asked(), answered()...), closing()...)
		live := newDriver(t, w, h, screen.Options{})
		for _, ev := range all {
			live.events(ev)
			live.advance(50 * time.Millisecond)
		}
		var history []event.Event
		for _, ev := range all {
			if durable, ok := ev.(event.Durable); ok {
				history = append(history, durable)
			}
		}
		resumed := newDriver(t, w, h, screen.Options{Session: screen.Session{History: history}})
		for range 4 {
			if diff := cmp.Diff(strings.Split(resumed.screen(), "\n"), strings.Split(live.screen(), "\n")); diff != "" {
				t.Errorf("resumed (-got +want):\n%s", diff)
			}
			live.press("pgup", "ctrl+o")
			resumed.press("pgup", "ctrl+o")
		}
		if got, want := resumed.m.session.Feed.State.Answer, live.m.session.Feed.State.Answer; got != want || want == "" {
			t.Errorf("last answer %q, want %q", got, want)
		}
	})
}

func TestToolOutcomes(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		refused := result("3", "write notes.md", "write", event.Refused, "", "Rejected by the user: \"use the wiki\"", 0)
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("try things"),
			call("r1", "1", "read"), call("r1", "2", "read"), call("r1", "3", "write"), call("r1", "4", "shell"), call("r1", "5", "shell"), call("r1", "6", "shell"),
			start("1", "read a.go", "read", file("a.go")), start("2", "read b.go", "read", file("b.go")),
			result("1", "read a.go", "read", event.OK, "3 lines", "a", time.Millisecond),
			result("2", "read b.go", "read", event.Failed, "", "b.go does not exist; similar names: a.go", time.Millisecond),
			&event.Decided{ID: "3", Decision: event.Refuse, Note: "use the wiki"}, refused,
			start("4", "shell sleep 60", "execute"),
			result("4", "shell sleep 60", "execute", event.Interrupted, "", "interrupted by the user", 2*time.Second),
			result("5", "shell make", "execute", event.Uncertain, "", "interrupted: the program ended while this ran", 0),
			start("6", "shell printf '\\e[31m'", "execute"),
			event.Progress{ID: "6", Text: "10%\r50%\r99%\n\x1b[31mred\x1b[0m"},
		)
		d.golden("tools-" + size)
	})
}

func TestErrors(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		end := turnEnd(event.ProviderError, 2*time.Second)
		end.Error, end.Hint = "openai rejected the key in OPENAI_API_KEY", "set another one, or choose another model with /model"
		d := newDriver(t, w, h, screen.Options{})
		d.events(userSaid("hi"), end, userSaid("again"),
			event.Retrying{Attempt: 2, Of: 6, In: 12 * time.Second, Error: "openai answered 429: rate limit"},
			event.Notice{Text: "the configuration changed"})
		d.golden("errors-" + size)
	})
}

func TestHelp(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.press("?")
		d.golden("help-" + size)
		d.press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
		d.golden("help-end-" + size)
		d.press("q")
		if strings.Contains(d.screen(), "closes this") {
			t.Error("a key does not close the help")
		}
		d.typeText("why?")
		if !strings.Contains(d.screen(), "› why?▌") {
			t.Errorf("a question mark within text opens the help:\n%s", d.screen())
		}
	})
}

func TestKeysCommandListsEveryKey(t *testing.T) {
	d := newDriver(t, 120, 200, screen.Options{})
	d.typeText("/keys")
	d.press("enter")
	for _, k := range keys.Table(nil) {
		if !strings.Contains(d.screen(), k.Keys) {
			t.Errorf("/keys does not list %s (%s)", k.Keys, k.What)
		}
	}
}

// Without color the screen is the same, except for the backticks of inline code.
func TestWithoutColor(t *testing.T) {
	color, plain := newDriver(t, 80, 24, screen.Options{}), newDriver(t, 80, 24, screen.Options{Appearance: screen.Appearance{NoColor: true}})
	for _, d := range []*driver{color, plain} {
		d.events(asked()...)
		d.events(answered()...)
		d.events(closing()...)
	}
	if diff := cmp.Diff(strings.ReplaceAll(plain.screen(), "`", ""), color.screen()); diff != "" {
		t.Errorf("without color (-got +want):\n%s", diff)
	}
	if got := plain.m.View().Content; strings.Contains(got, "\x1b[3") || strings.Contains(got, "\x1b[4") {
		t.Errorf("NoColor draws colors: %q", got)
	}
}

func TestBackground(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{})
	d.events(asked()...)
	before := d.screen()
	d.send(tea.BackgroundColorMsg{Color: lightGrey{}})
	if d.m.Styles.Dark {
		t.Error("a light background is treated as dark")
	}
	if diff := cmp.Diff(d.screen(), before); diff != "" {
		t.Errorf("the text changed with the background (-got +want):\n%s", diff)
	}
}

type lightGrey struct{}

func (lightGrey) RGBA() (r, g, b, a uint32) { return 0xeeee, 0xeeee, 0xeeee, 0xffff }
