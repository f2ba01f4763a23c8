package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
	"agent/internal/tui/transcript"
)

// A long answer looks the same whether it is drawn at once or in parts.
func TestPartsLookLikeTheWhole(t *testing.T) {
	st := ink.Look{Dark: true}.Styles()
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "## Heading %d\n\nText with **bold**, `code` and a [link][there].\n\n1. one\n2. two\n\n   more of two\n3. three\n\n```go\nfunc main() {\n\n\treturn\n}\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n", i)
	}
	b.WriteString("[there]: http://example.org\n")
	draw := func(text string) []string {
		m := markdown.New(st)
		m.SetText(text)
		m.Finish()
		return m.Lines(60)
	}
	parts := transcript.MarkdownParts(b.String())
	if len(parts) < 4 {
		t.Fatalf("%d bytes are %d parts", b.Len(), len(parts))
	}
	var got []string
	for i, p := range parts {
		if i > 0 {
			got = append(got, "")
		}
		got = append(got, draw(p.Text)...)
	}
	if diff := cmp.Diff(got, draw(b.String())); diff != "" {
		t.Errorf("in parts (-got +want):\n%s", diff)
	}
}

func TestPartsOfCode(t *testing.T) {
	code := strings.Repeat("x := 1\n\n", 30_000)
	parts := transcript.MarkdownParts("Look:\n\n````go\n" + code + "````\n\nThat was it.\n")
	var all strings.Builder
	for i, p := range parts {
		if len(p.Text) > 2*transcript.FenceBytes {
			t.Errorf("part %d has %d bytes", i, len(p.Text))
		}
		if strings.Count(p.Text, "````")%2 != 0 {
			t.Errorf("part %d does not open and close its code", i)
		}
		all.WriteString(strings.NewReplacer("````go\n", "", "````\n", "").Replace(p.Text))
	}
	if got, want := all.String(), "Look:\n\n"+code+"\nThat was it.\n"; got != want {
		t.Errorf("%d bytes came of %d", len(got), len(want))
	}
}

// Whatever is in a session, a window of it is drawn soon: what is huge is drawn
// in parts, or as far as it may be.
func TestHugeItems(t *testing.T) {
	huge := strings.Repeat("A sentence of it with some words.\n\n", 20_000)
	var all []event.Event
	for i := range 3 {
		r, id := fmt.Sprint("r", i), fmt.Sprint("c", i)
		all = append(all, userSaid(huge), done(llm.Thinking, r, huge), done(llm.Assistant, r, huge), call(r, id, "shell"), start(id, "shell make", "execute"),
			result(id, "shell make", "execute", event.Failed, "exit code 1", huge, time.Second), &event.StepEnd{Reply: r}, turnEnd(event.Done, time.Second))
	}
	d := newDriver(t, 100, 30, Options{History: all})
	for _, key := range []string{"", "ctrl+t"} {
		if key != "" {
			d.press(key)
		}
		for range 60 {
			d.press("pgup")
		}
		d.press("ctrl+home")
		for range 60 {
			d.press("pgdown")
		}
		for _, p := range d.m.list.Pages {
			for _, r := range p.Rows {
				if n := len(r.Lines); n > 20_000 {
					t.Errorf("%T has %d lines at once", r.Item, n)
				}
			}
		}
	}
}
