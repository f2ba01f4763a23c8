package search_test

import (
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
