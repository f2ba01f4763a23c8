package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/ink"
)

// longTexts returns answers that are split into parts.
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

// A growing text is split in the same way as a complete one, no part is too large, and
// no text is lost.
func TestPartsOfATextThatGrows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	for name, text := range longTexts() {
		want := Parts(text)
		if len(want) < 2 {
			t.Errorf("%s: it is not cut", name)
		}
		var all strings.Builder
		for i, p := range want {
			all.WriteString(p.Own())
			if len(p.Text) > maxPart+fenceBytes {
				t.Errorf("%s: part %d has %d bytes", name, i, len(p.Text))
			}
		}
		if all.String() != text {
			t.Errorf("%s: the parts are not the text", name)
		}
		var got []Part
		var c Cutter
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
				t.Errorf("%s: part %d is %d bytes of %+d, want %d of %+d", name, i, len(got[i].Text), got[i].head, len(want[i].Text), want[i].head)
			}
		}
	}
}

// A long answer looks the same drawn at once and in parts.
func TestPartsLookLikeTheWhole(t *testing.T) {
	st := ink.Look{Dark: true}.Styles()
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "## Heading %d\n\nText with **bold**, `code` and a [link][there].\n\n1. one\n2. two\n\n   more of two\n3. three\n\n```go\nfunc main() {\n\n\treturn\n}\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n", i)
	}
	b.WriteString("[there]: http://example.org\n")
	draw := func(text string) []string {
		m := New(st)
		m.SetText(text)
		m.Finish()
		return m.Lines(60)
	}
	parts := Parts(b.String())
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
	parts := Parts("Look:\n\n````go\n" + code + "````\n\nThat was it.\n")
	var all strings.Builder
	for i, p := range parts {
		if len(p.Text) > 2*fenceBytes {
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
