package search_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/search"
)

// agrees checks that pattern matches the same lines of text as package regexp does,
// line by line.
func agrees(t *testing.T, pattern, text string, fold bool) {
	t.Helper()
	expr := "(?m)" + pattern
	if fold {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	n := 0
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimSuffix(l, "\n")
		// With and without a carriage return at its end.
		if cut, cr := strings.CutSuffix(l, "\r"); re.MatchString(l) || cr && re.MatchString(cut) {
			want = append(want, n)
		}
	}
	q, err := search.Compile(pattern, search.Syntax{IgnoreCase: fold})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tree(t, map[string]string{"f": text}).Grep(t.Context(), "f", q, search.Options{Max: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, f := range r.Files {
		for _, m := range f.Matches {
			got = append(got, m.Line)
		}
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%q, ignore case %v, in %.200q: got (-), want (+):\n%.1000s", pattern, fold, text, diff)
	}
}

// TestAgreesWithRegexp generates patterns and texts from the same few parts.
func TestAgreesWithRegexp(t *testing.T) {
	isolateGit(t)
	g, tries := expressions{rand.New(rand.NewPCG(3, 4))}, 250
	if testing.Short() {
		tries = 50
	}
	for range tries {
		pattern := g.expression(3)
		if _, err := regexp.Compile(pattern); err != nil {
			continue // invalid, such as too many repetitions
		}
		agrees(t, pattern, g.text(60), g.IntN(3) == 0)
	}
}

// expressions generates regular expressions, and texts that they may match.
type expressions struct{ *rand.Rand }

func (g expressions) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g expressions) text(lines int) string {
	var b strings.Builder
	for range lines {
		for range g.IntN(8) {
			b.WriteString(g.pick("a", "b", "ab", "A", "foo", "Foo", " ", "_", ".", "é", "É", "k", "\u212a", "s", "ſ", "я", "世", "1", "\xff", "\xe4\xb8", "\t"))
		}
		b.WriteString(g.pick("\n", "\n", "\n", "\r\n"))
	}
	return strings.TrimSuffix(b.String(), g.pick("", "\n"))
}

func (g expressions) expression(depth int) string {
	if depth == 0 || g.IntN(4) == 0 {
		return g.pick("a", "b", "ab", "foo", "é", "k", "s", "_", ".", `\.`, `\w`, `\W`, `\s`, `\d`, `\b`, `\B`, "^", "$", "[a-c]", "[^a]", "[я世]", `\pL`, `\PL`,
			"[^é]", "(?i:k)", "(?i:foo)", "(?s:.)", "()", `[\s\S]`, "世", `\x{fffd}`, "[kK]", "(?:foo|bar|a)", `\A`, `\z`)
	}
	sub := g.expression(depth - 1)
	switch g.IntN(8) {
	case 0:
		return "(?:" + sub + ")" + g.pick("*", "+", "?", "*?", "{2}", "{1,3}")
	case 1, 2:
		return "(" + sub + "|" + g.expression(depth-1) + ")"
	}
	return "(?:" + sub + ")" + "(?:" + g.expression(depth-1) + ")"
}

// TestPatternsOfManyStates has patterns whose automaton grows too large, so that the
// search finishes without it.
func TestPatternsOfManyStates(t *testing.T) {
	isolateGit(t)
	r := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for b.Len() < 100_000 {
		for range r.IntN(60) {
			b.WriteByte("ab"[r.IntN(2)])
		}
		b.WriteString("cd\n"[r.IntN(3):])
	}
	for _, p := range []string{`[ab]*a[ab]{18}c`, `(a[ab]{3}|b[ab]{5}){2}$`, `(?:ab?a){1,500}c`, `(abbabb?){400}`, `(?i)(ab|ba)[cd]$|\pL{30}d`} {
		t.Run(p, func(t *testing.T) { agrees(t, p, b.String(), false) })
	}
}

// FuzzAgreesWithRegexp looks for a pattern and a text with different matches.
func FuzzAgreesWithRegexp(f *testing.F) {
	f.Add(`\bfoo(\w+)$`, "foobar\nfoo\r\n\xffé", true)
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool) {
		if _, err := search.Compile(pattern, search.Syntax{IgnoreCase: fold}); err != nil || strings.Contains(text, "\x00") || len(text) > 10_000 {
			t.Skip()
		}
		if _, err := regexp.Compile("(?m)" + pattern); err != nil || strings.ContainsAny(pattern, "\r\n") {
			t.Skip()
		}
		isolateGit(t)
		agrees(t, pattern, text, fold)
	})
}

// TestSpansAgreeWithRegexp compares multiline matches with those of package regexp.
func TestSpansAgreeWithRegexp(t *testing.T) {
	isolateGit(t)
	g := expressions{rand.New(rand.NewPCG(7, 8))}
	for range 200 {
		pattern := g.expression(2) + g.pick("", `\n`, `\s+`, `\n*`, "(?s:.*?)", "[^b]*") + g.expression(1)
		re, err := regexp.Compile("(?m)" + strings.NewReplacer(`\A`, "^", `\z`, "$").Replace(pattern))
		if err != nil {
			continue
		}
		text := strings.ReplaceAll(g.text(30), "\r", "")
		var got []string
		for _, l := range lines(grepSpans(t, map[string]string{"f": text}, pattern)) {
			got = append(got, strings.TrimPrefix(l, "f:"))
		}
		if diff := cmp.Diff(got, spansIn(re, text)); diff != "" {
			t.Errorf("%q in %q: got (-), want (+):\n%s", pattern, text, diff)
		}
	}
}

// spansIn returns the lines of the matches. The search for a match starts after the
// last line of the previous one.
func spansIn(re *regexp.Regexp, text string) []string {
	var out []string
	all := strings.SplitAfter(text, "\n")
	for line := 0; line < len(all); {
		loc := re.FindStringIndex(strings.Join(all[line:], ""))
		if loc == nil {
			break
		}
		first, last, at := -1, -1, 0
		for i := line; i < len(all); i++ {
			end := at + len(all[i])
			if first < 0 && (loc[0] < end || i == len(all)-1) {
				first, last = i, i
			}
			if first >= 0 && loc[1] > at {
				last = i
			}
			at = end
		}
		if all[first] == "" {
			break // no line follows the last newline
		}
		shown := strings.ToValidUTF8(strings.TrimSuffix(strings.Join(all[first:last+1], ""), "\n"), "\ufffd")
		out = append(out, fmt.Sprintf("%d:%s", first+1, shown))
		line = last + 1
	}
	return out
}

func grepSpans(t *testing.T, files map[string]string, pattern string) search.Results {
	t.Helper()
	q, err := search.Compile(pattern, search.Syntax{Multiline: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tree(t, files).Grep(t.Context(), ".", q, search.Options{Max: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
