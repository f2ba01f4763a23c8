package markdown

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/ink"
	"agent/internal/tui/ink/inktest"
)

func drawFinished(st *ink.Styles, text string, width int) []string {
	m := New(st)
	m.SetText(text)
	m.Finish()
	return m.Lines(width)
}

// A streamed text looks like the complete text in the end, and final lines never
// change before.
func TestStreamIsCalm(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	st := inktest.Looks["dark"]
	for _, source := range corpus(t) {
		for range 6 {
			width := 20 + rnd.IntN(100)
			m := New(st)
			var frozen []string
			for rest := source.text; rest != ""; {
				n := min(1+rnd.IntN(40), len(rest))
				m.Append(rest[:n])
				rest = rest[n:]
				lines := m.Lines(width)
				inktest.CheckLines(t, lines, width)
				if len(lines) < len(frozen) {
					t.Fatalf("%s: %d lines, want at least the %d final ones", source.name, len(lines), len(frozen))
				}
				if !slices.Equal(lines[:len(frozen)], frozen) {
					t.Fatalf("%s: final lines changed (-got +want):\n%s", source.name, cmp.Diff(lines[:len(frozen)], frozen))
				}
				frozen = slices.Clone(lines[:m.live.frozen])
			}
			streamed := slices.Clone(m.Lines(width))
			m.Finish()
			want := drawFinished(st, source.text, width)
			if diff := cmp.Diff(m.Lines(width), want); diff != "" {
				t.Fatalf("%s: finished (-got +want):\n%s", source.name, diff)
			}
			// The corpus defines every link before its use.
			if diff := cmp.Diff(streamed, want); diff != "" {
				t.Errorf("%s at %d: the end changed streamed lines (-got +want):\n%s", source.name, width, diff)
			}
		}
	}
}

func TestFitsAnyWidth(t *testing.T) {
	for _, source := range corpus(t) {
		for width := 1; width <= 130; width += 1 + width/12 {
			inktest.CheckLines(t, drawFinished(inktest.Looks["dark"], source.text, width), width)
		}
	}
}

// Without color the text is the same, except for the backticks of inline code.
func TestTextWithoutColor(t *testing.T) {
	words := func(lines []string) []string {
		return strings.Fields(strings.NewReplacer("`", "", "─", "", "│", "").Replace(strings.Join(inktest.Bare(lines), " ")))
	}
	for _, source := range corpus(t) {
		color := drawFinished(inktest.Looks["dark"], source.text, 400) // nothing is wrapped
		none := drawFinished(inktest.Looks["nocolor"], source.text, 400)
		if diff := cmp.Diff(words(none), words(color)); diff != "" {
			t.Errorf("%s (-without color +with):\n%s", source.name, diff)
		}
		if all := strings.Join(none, "\n"); regexp.MustCompile("\x1b\\[[0-9;]*3[0-9]").MatchString(all) {
			t.Errorf("%s: there is color: %q", source.name, all)
		}
	}
}

func TestDraws(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"hyphens stay with their word", "run the thing with --time-out now please", "run the thing with\n--time-out now\nplease"},
		{"break", "one<br>two", "one\ntwo"},
		{"relative link", "[main](cmd/main.go)", "main (cmd/main.go)"},
		{"broken link", "[a](%zz)", "a (%zz)"},
		{"plain address", "[https://a.b/c](https://a.b/c)", "https://a.b/c"},
		{"lying address", "[https://a.b](http://c.d)", "https://a.b\n(http://c.d)"},
		{"user name in an address", "https://a.b@c.d/x", "https://a.b@c.d/x\n[host: c.d]"},
		{"user name in a link", "[x](https://a.b@c.d)", "x (https://a.b@c.d)\n[host: c.d]"},
		{"look-alike address", "http://аa.b", "http://аa.b [host:\nxn--a-7sb.b]"},
		{"look-alike in a table", "|a|\n|-|\n|[x](http://аa.b)|", "a\n────────────────────\nx (http://аa.b)\n[host: xn--a-7sb.b]"},
		{"misleading image", "![x](https:\\\\a.b)", "image: x\n(https:\\a.b)\n[misleading URL]"},
		{"entity", "&lt;a&gt; &amp;lt;", "<a> &lt;"},
		{"entity in code", "`&lt;`", "&lt;"},
		{"escape", `\*not\* \\n`, `*not* \n`},
		{"backslash in a table", "|a|\n|-|\n|`\\.`|", "a\n───\n\\."},
		{"marks of a stand-in", "\ue001 target:", `\ue001 target:`},
		{"mail", "<me@a.b>", "me@a.b"},
		{"numbers continue", "3. a\n3. b", "3. a\n4. b"},
		{"blank between items", "- a\n\n- b\n- c", "• a\n\n• b\n• c"},
		{"html", "<b>x</b>\n\n<p>\ny", "<b>x</b>\n\n<p>\ny"},
		{"unknown language", "```nonesuch\na\\*b\n```", "  a\\*b"},
		{"nothing", "", ""},
		{"only a definition", "[a]: http://b", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := inktest.Bare(drawFinished(inktest.Looks["dark"], test.text, 20))
			if diff := cmp.Diff(strings.Join(lines, "\n"), test.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
		})
	}
}

// The final drawing resolves links that are defined after their use.
func TestFinishResolvesLateLinks(t *testing.T) {
	m := New(inktest.Looks["nocolor"])
	m.Append("See [the docs][d].\n\nMore.\n")
	m.Lines(80)
	m.Append("\n[d]: https://example.org/d\n")
	if diff := cmp.Diff(inktest.Bare(m.Lines(80)), []string{"See [the docs][d].", "", "More."}); diff != "" {
		t.Errorf("while it streams (-got +want):\n%s", diff)
	}
	m.Finish()
	if diff := cmp.Diff(inktest.Bare(m.Lines(80)), []string{"See the docs (https://example.org/d).", "", "More."}); diff != "" {
		t.Errorf("finished (-got +want):\n%s", diff)
	}
}

// An incomplete end is not drawn as something that it will not become.
func TestPartialLine(t *testing.T) {
	for text, want := range map[string]string{
		"Steps:\n-":          "Steps:",
		"Steps:\n- ":         "Steps:",
		"some **bol":         "some bol",
		"some **bold*":       "some bold",
		"some **":            "some",
		"run `go te":         "run go te",
		"```go\nx := 1\n``":  "  x := 1",
		"```go\nx := 1\ny :": "  x := 1\n  y :",
		"caf\xc3":            "caf",
		"a\r":                "a",
		"👩\u200d":            "👩",
	} {
		m := New(inktest.Looks["dark"])
		m.Append(text)
		if diff := cmp.Diff(strings.Join(inktest.Bare(m.Lines(40)), "\n"), want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", text, diff)
		}
	}
}

func TestLinesFollowTheWidth(t *testing.T) {
	m := New(inktest.Looks["dark"])
	m.Append("one two three four\n\nfive six")
	for _, width := range []int{80, 10, 80, 5} {
		streamed := slices.Clone(m.Lines(width))
		if diff := cmp.Diff(streamed, drawFinished(inktest.Looks["dark"], m.Text(), width)); diff != "" {
			t.Errorf("at %d (-got +want):\n%s", width, diff)
		}
	}
}

// giants returns texts with one very long block.
func giants(size int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size] }
	return map[string]string{
		"fence":     "```go\n" + repeat("x := f(1, \"two\") // three\n"),
		"list":      repeat("- an item with `code` and **bold**\n"),
		"numbers":   repeat("1. an item with `code` and **bold**\n"),
		"nested":    "- a\n" + repeat("  - an item with `code` and **bold**\n"),
		"table":     "| a | b |\n|---|---|\n" + repeat("| one | two |\n"),
		"quote":     repeat("> quoted *text*\n"),
		"paragraph": repeat("words and more words\n"),
		"line":      repeat("words and more words "),
		"word":      repeat("x"),
		"wide":      repeat("日本語"),
		"html":      "<!--\n" + repeat("hidden\n"),
		"prose":     repeat("A paragraph with `code`, **bold** and [a link](https://example.org/x).\n\n"),
		"code line": "```\n" + repeat("x"),
		"brackets":  repeat("["),
		"stars":     repeat("*a **"),
		"ticks":     repeat("`a``"),
		"quotes":    repeat("> "),
		"refs":      repeat("[a]: b\n"),
	}
}

func TestGiants(t *testing.T) {
	for name, text := range giants(16 << 10) {
		t.Run(name, func(t *testing.T) {
			m := New(inktest.Looks["dark"])
			for rest := text; rest != ""; {
				n := min(1499, len(rest))
				m.Append(rest[:n])
				rest = rest[n:]
				inktest.CheckLines(t, m.Lines(60), 60)
			}
			m.Finish()
			inktest.CheckLines(t, m.Lines(60), 60)
		})
	}
}

func FuzzText(f *testing.F) {
	for _, source := range corpus(f) {
		f.Add(source.text, 60)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 1 + min(max(width, 0), 200)
		m := New(inktest.Looks["dark"])
		var frozen []string
		for rest := text; rest != ""; {
			n := min(1+len(text)/50, len(rest))
			m.Append(rest[:n])
			rest = rest[n:]
			lines := m.Lines(width)
			inktest.CheckLines(t, lines, width)
			if len(lines) < len(frozen) || !slices.Equal(lines[:len(frozen)], frozen) {
				t.Fatalf("final lines changed:\n%q\n%q", lines, frozen)
			}
			frozen = slices.Clone(lines[:m.live.frozen])
		}
		m.Finish()
		inktest.CheckLines(t, m.Lines(width), width)
	})
}

// BenchmarkStream streams a text in pieces of 20 bytes and draws it after every
// fourth piece, about what a fast model sends per frame.
func BenchmarkStream(b *testing.B) {
	for _, size := range []int{25 << 10, 100 << 10, 400 << 10} {
		texts := giants(size)
		for _, name := range []string{"prose", "fence", "list", "table", "line", "nested"} {
			b.Run(fmt.Sprintf("%s/%dKB", name, size>>10), func(b *testing.B) {
				for b.Loop() {
					m := New(inktest.Looks["dark"])
					for i, rest := 0, texts[name]; rest != ""; i++ {
						n := min(20, len(rest))
						m.Append(rest[:n])
						rest = rest[n:]
						if i%4 == 0 {
							m.Lines(100)
						}
					}
					m.Finish()
					m.Lines(100)
				}
			})
		}
	}
}

// A terminal with 16 colors uses its own palette in every theme.
func TestSixteenColors(t *testing.T) {
	for _, name := range ink.ThemeNames() {
		st := ink.Look{Theme: name, Dark: true, Can: colorprofile.ANSI}.Styles()
		if all := strings.Join(drawFinished(st, "`x` [a](http://b.c)\n\n```go\nfunc f() int { return 1 } // so\n```\n", 60), "\n") +
			st.Green.Render("x") + st.Dim.Render("y"); strings.Contains(all, "38;") || strings.Contains(all, "48;") {
			t.Errorf("%s: %q", name, all)
		}
	}
}
