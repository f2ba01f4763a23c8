package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// longTexts are answers that are cut into parts.
func longTexts() map[string]string {
	var steps strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&steps, "%d. step\n", i)
	}
	return map[string]string{
		"paragraphs":          strings.Repeat("Some words of it.\n\n", 6000),
		"a line":              "Look: " + strings.Repeat("é", 60_000) + "\n\nThat was **it**.\n",
		"code":                "Look:\n\n```go\n" + strings.Repeat("\tx := 1\n", 8000) + "```\n\nThat was it.\n",
		"a table":             "| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 6000) + "\nThat was it.\n",
		"a list":              steps.String(),
		"quotes":              strings.Repeat("> > quoted\n", 8000),
		"line ends":           strings.Repeat("\n", 100_000) + "end",
		"a long line in code": "```\n" + strings.Repeat("x", 100_000) + "\n```\nend\n",
		"a long fence":        "```" + strings.Repeat("y", 40_000) + "\n" + strings.Repeat("code\n", 8000) + "```\nend\n",
	}
}

// A text is cut the same in whatever pieces it comes, no part is large, and all of
// the text is in one of them.
func TestPartsOfATextThatGrows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	for name, text := range longTexts() {
		want := transcript.MarkdownParts(text)
		if len(want) < 2 {
			t.Errorf("%s: it is not cut", name)
		}
		var all strings.Builder
		for i, p := range want {
			all.WriteString(p.Own())
			if len(p.Text) > transcript.MaxPart+transcript.FenceBytes {
				t.Errorf("%s: part %d has %d bytes", name, i, len(p.Text))
			}
		}
		if all.String() != text {
			t.Errorf("%s: the parts are not the text", name)
		}
		var got []transcript.Part
		var c transcript.Cutter
		open := ""
		for rest := text; rest != ""; {
			n := min(1+rnd.IntN(5000), len(rest))
			open, rest = open+rest[:n], rest[n:]
			for p, next, ok := c.Next(open); ok; p, next, ok = c.Next(open) {
				got, open = append(got, p), next
			}
		}
		got = append(got, c.Last(open))
		if diff := cmp.Diff(len(got), len(want)); diff != "" {
			t.Errorf("%s: the number of parts (-got +want):\n%s", name, diff)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: part %d is %d bytes of %+d, want %d of %+d", name, i, len(got[i].Text), got[i].Head, len(want[i].Text), want[i].Head)
			}
		}
	}
}

// A long answer looks the same once it is whole as when it streamed last, and is
// copied, rewound and searched as one.
func TestLongAnswerStreams(t *testing.T) {
	for name, text := range longTexts() {
		d, whole := newDriver(t, 80, 24, Options{}), newDriver(t, 80, 24, Options{})
		d.events(userSaid("go"))
		whole.events(userSaid("go"))
		for rest := text; rest != ""; {
			n := min(1500, len(rest))
			d.events(streamed("r", rest[:n]))
			rest = rest[n:]
		}
		ended := []event.Event{done(llm.Assistant, "r", text), &event.StepEnd{Reply: "r"}, turnEnd(event.Done, 0)}
		d.events(ended...)
		whole.events(ended...)
		if diff := cmp.Diff(d.screen(), whole.screen()); diff != "" {
			t.Errorf("%s: the end (-streamed +whole):\n%s", name, diff)
		}
		if d.m.feed.Answer != text {
			t.Errorf("%s: %d bytes would be copied, want %d", name, len(d.m.feed.Answer), len(text))
		}
		d.press("ctrl+home")
		whole.press("ctrl+home")
		if diff := cmp.Diff(d.screen(), whole.screen()); diff != "" {
			t.Errorf("%s: the beginning (-streamed +whole):\n%s", name, diff)
		}
	}
}

// An answer that ends without being told whole is kept as far as it came.
func TestLongAnswerThatBreaksOff(t *testing.T) {
	for name, text := range longTexts() {
		d := newDriver(t, 80, 24, Options{})
		d.events(userSaid("go"), streamed("r", text), turnEnd(event.ProviderError, 0))
		if d.m.feed.Answer != text {
			t.Errorf("%s: %d bytes would be copied, want %d", name, len(d.m.feed.Answer), len(text))
		}
	}
}

// Once the turn is to stop, what still streams is passed over: the finished message
// brings it.
func TestStreamIsPassedOverWhileItStops(t *testing.T) {
	d := newDriver(t, 80, 24, Options{})
	d.events(userSaid("go"), streamed("r", "It begins"))
	d.press("esc")
	d.events(streamed("r", " and goes on and on"))
	if got := d.screen(); strings.Contains(got, "on and on") || !strings.Contains(got, "stopping") {
		t.Errorf("while it stops:\n%s", got)
	}
	d.events(done(llm.Assistant, "r", "It begins and goes on and on"), turnEnd(event.UserInterrupt, 0))
	if got := d.screen(); !strings.Contains(got, "It begins and goes on and on") || !strings.Contains(got, "stopped") {
		t.Errorf("stopped:\n%s", got)
	}
}
