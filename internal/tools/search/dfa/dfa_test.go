package dfa_test

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"agent/internal/tools/search/dfa"
)

// text has lines that the patterns below match and nearly match.
const text = "alpha beta\nAlpha\r\n\nfoo_bar foo\nюникод 世界\nabababac\nnothing"

// TestNextFindsTheLinesOfRegexp compares the lines with those of package regexp,
// for patterns with a literal, without one, and too large for an automaton.
func TestNextFindsTheLinesOfRegexp(t *testing.T) {
	for _, pattern := range []string{
		"foo", "alpha|foo", "(?i:alpha)", "(?m:^a)", `\bfoo\b`, `[а-я]{3}`, `\pL+ \pL+`, "[^\n]a[^\n]", "(?m:c$)", "(?m:^$)", "(?m:^)", "zzz", "[0-9]",
		"(?:ab?){1,500}(?:ab?){0,500}(?:ab?){0,500}(?:ab?){0,500}c",
	} {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		p, err := dfa.Compile(tree, false)
		if err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile(pattern)
		var want []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); re.MatchString(line) {
				want = append(want, line)
			}
		}
		if got := linesOf(p.Matcher(), text); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// linesOf returns the lines of all matches in text.
func linesOf(m *dfa.Matcher, text string) (lines []string) {
	m.Reset()
	for from := 0; ; {
		start, at, stop := m.Next([]byte(text), from)
		if start < 0 {
			return lines
		}
		if at < start || at > stop {
			lines = append(lines, "index outside the line")
		}
		lines = append(lines, text[start:stop])
		from = stop + 1
	}
}

func TestNextSpansLines(t *testing.T) {
	tree, err := syntax.Parse(`foo\s+\S+\nabab`, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	p, err := dfa.Compile(tree, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := linesOf(p.Matcher(), "x foo\n\nbar\nababab\nfoo"); len(got) != 1 || got[0] != "x foo\n\nbar\nababab" {
		t.Errorf("got %q, want one match on four lines", got)
	}
}

func TestCompileRejectsLargePatterns(t *testing.T) {
	tree, err := syntax.Parse(strings.Repeat("(?:a{100}b){9}", 20), syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dfa.Compile(tree, false); err == nil {
		t.Error("a pattern of 18,000 instructions was accepted")
	}
}
