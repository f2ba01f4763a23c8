package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
	"agent/internal/loop/session"
)

// describe returns a Situation that counts the earlier descriptions.
func describe(what string) func(context.Context, int, event.Mode, []string) string {
	return func(_ context.Context, window int, mode event.Mode, earlier []string) string {
		if what == "" {
			return ""
		}
		return fmt.Sprintf("%s, window %d, mode %s, earlier %q", what, window, mode, earlier)
	}
}

// userTexts returns the texts of the user messages in a request.
func userTexts(r llm.Request) (texts []string) {
	for _, m := range r.Messages {
		if m.Kind == llm.User {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// The situation is described once ahead of the first prompt; after a resume, only what
// changed is.
func TestTheSituationIsDescribedOnce(t *testing.T) {
	p := script.New(script.Say("one"), script.Say("two"))
	o := options(p)
	o.Prompt.Situation = describe("S1")
	events := play(t, o, []string{"a", "b"}, nil)
	first := `S1, window 128000, mode all, earlier []`
	if d := cmp.Diff(userTexts(p.Requests()[1]), []string{first, "a", "b"}); d != "" {
		t.Errorf("got (-), want (+): %s", d)
	}
	durable := durablesOf(events)
	for name, c := range map[string]struct {
		now  string
		want []string
	}{
		"changed":   {"S2", []string{first, "a", "b", fmt.Sprintf(`S2, window 128000, mode all, earlier %q`, []string{first}), "c", "d"}},
		"unchanged": {"", []string{first, "a", "b", "c", "d"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := script.New(script.Say("three"), script.Say("four"))
			o := options(p)
			o.Prompt.Situation, o.Log = describe(c.now), resumedLog(t, durable...)
			play(t, o, []string{"c", "d"}, nil)
			if d := cmp.Diff(userTexts(p.Requests()[1]), c.want); d != "" {
				t.Errorf("got (-), want (+): %s", d)
			}
		})
	}
}

// A session without the description gets it: one that was rewound to before it.
func TestARewoundSituationIsDescribedAgain(t *testing.T) {
	p := script.New(script.Say("one"), script.Say("two"))
	o := options(p)
	o.Prompt.Situation = describe("S")
	command(t, o, []event.Command{event.Prompt{Text: "a"}, event.Rewind{Keep: 0}, event.Prompt{Text: "b"}}, carriedOut)
	if d := cmp.Diff(userTexts(p.Requests()[1]), []string{`S, window 128000, mode all, earlier []`, "b"}); d != "" {
		t.Errorf("got (-), want (+): %s", d)
	}
}

// The description is no prompt of the user: it is in no title, list of prompts or export.
func TestTheSituationIsNotAPrompt(t *testing.T) {
	o := options(script.New(script.Say("done")))
	o.Prompt.Situation = func(context.Context, int, event.Mode, []string) string { return "secret words" }
	durable := durablesOf(play(t, o, []string{"hello"}, nil))
	records := recordsOf(t, durable...)
	outline := session.OutlineOf(of(records))
	if outline.Title != "hello" || outline.Messages != 2 {
		t.Errorf("got %+v", outline)
	}
	if got := slices.Collect(session.Prompts(t.Context(), of(records))); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("got the prompts %q", got)
	}
	var out strings.Builder
	if err := export.Markdown(&out, export.Session{Events: durable}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "secret") {
		t.Errorf("got %s", out.String())
	}
}
