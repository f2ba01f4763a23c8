package search_test

import (
	"strings"
	"testing"

	"agent/internal/tools/search"
)

func TestGrepPatternsHaveAnRE2Form(t *testing.T) {
	for pattern, want := range map[string]string{
		`foo\|bar`:            `foo|bar`,
		`\(foo\|bar\)s`:       `(foo|bar)s`,
		`\w\{2,3\}`:           `\w{2,3}`,
		`main(\|run(`:         `main\(|run\(`,
		`func \(s \*Server\)`: `func (s \*Server)`,
		`a\\|b\|c`:            `a\\|b|c`, // an escaped backslash, and an alternative
		`a|b`:                 "",
		`plain`:               "",
		`\d+\.`:               "",
		`\(`:                  "",
		`[a\|`:                "",
	} {
		got, ok := search.FromGrep(pattern)
		if got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", pattern, got, ok, want)
		}
	}
}

func TestLiteralFormsOfPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		`foo(bar)`:              `foo\(bar\)`,
		`Run\(ctx(`:             `Run\(ctx\(`,
		`func (a \*App\) Run\(`: `func \(a \*App\) Run\(`,
		`map[string]int{`:       `map\[string\]int\{`,
		`a.b*`:                  `a\.b\*`,
		`a.b`:                   "",
		`foo\(bar\)`:            "",
		`\w+(`:                  "",
		`x\`:                    "",
	} {
		got, ok := search.Literal(pattern)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// The error of a pattern in which one of several backslashes is missing shows the pattern with all
// of them.
func TestMissingBackslashes(t *testing.T) {
	for pattern, want := range map[string]string{
		`Run\(ctx, f(`:          `to match them literally: Run\(ctx, f\(`,
		`func \(a \*App) Run\(`: `to match them literally: func \(a \*App\) Run\(`,
		`main(\|run(`:           `With operators it is: main\(|run\(`,
		`(a|b`:                  "with a backslash to match them literally",
	} {
		if _, err := search.Compile(pattern, search.Syntax{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", pattern, err, want)
		}
	}
}
