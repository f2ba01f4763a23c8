// Package checks finds the tests, builds, linters and formatters in a command line of bash, and
// makes each of them report its own exit code. It is the only place that decides what a check is.
// Start reading at Classify and Find.
package checks

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
)

// Kind is a kind of check.
type Kind string

// The kinds of check.
const (
	Test   Kind = "test"
	Build  Kind = "build"
	Lint   Kind = "lint"
	Format Kind = "format"
)

// Words returns the words of a command. A word that depends on an expansion is empty.
func Words(line *bash.Line, c *syntax.CallExpr) []string {
	words := make([]string, len(c.Args))
	for i, arg := range c.Args {
		if w := line.Word(arg); w.Kind != bash.Unknown {
			words[i] = w.Text
		}
	}
	return words
}

// variables choose the programs that a command runs, or add options to them.
var variables = []string{"PATH", "BASH_ENV", "LD_PRELOAD", "GOROOT", "GOFLAGS", "MAKEFLAGS", "PYTEST_ADDOPTS"}

// setsVariable reports whether a word of a command may set one of the variables:
// "PATH=bin" after env, or PATH after read or unset.
func setsVariable(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return slices.Contains(variables, strings.TrimSuffix(name, "+"))
}

// Redefines reports whether a line gives its words or its exit code another meaning.
func Redefines(line *bash.Line) (yes bool) {
	syntax.Walk(line.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			yes = true
		case *syntax.Assign:
			yes = yes || n.Name != nil && slices.Contains(variables, n.Name.Value)
		case *syntax.CallExpr:
			if words := Words(line, n); len(words) > 0 {
				switch words[0] {
				case "alias", "trap", "eval", "enable", "hash", "shopt", "kill":
					yes = true
				}
				yes = yes || slices.ContainsFunc(words, setsVariable)
			}
		}
		return !yes
	})
	return yes
}

// has reports whether one of the options is among words.
func has(words []string, options ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(options, w) })
}
