package main

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// ownName is the name of the program in texts, unless it was started by another one.
const ownName = "agent"

// startedAs returns the name by which the program was started.
func startedAs(arg0 string) string {
	return strings.TrimSuffix(filepath.Base(arg0), ".exe")
}

// rename makes cmd and its commands call the program by name. It returns a function that does the
// same in another text.
func rename(cmd *cobra.Command, name string) (named func(text string) string) {
	if name == ownName {
		return func(text string) string { return text }
	}
	named = callsOf(cmd, name)
	for _, c := range cmd.Commands() {
		c.Long, c.Example = named(c.Long), named(c.Example)
	}
	cmd.Use = strings.Replace(cmd.Use, ownName, name, 1)
	cmd.Example = named(cmd.Example)
	cmd.SetVersionTemplate(name + " {{.Version}}\n")
	return named
}

// callsOf returns a function that writes name in the calls of the program in a text, such as
// agent run.
func callsOf(root *cobra.Command, name string) func(string) string {
	words := []string{"-", `"`, "help", "COMMAND"}
	for _, c := range root.Commands() {
		words = append(words, regexp.QuoteMeta(c.Name()))
	}
	calls := regexp.MustCompile(`\b` + ownName + ` (` + strings.Join(words, "|") + `)`)
	alone := regexp.MustCompile(`(?m)^  ` + ownName + ` `)
	return func(text string) string {
		return alone.ReplaceAllString(calls.ReplaceAllString(text, name+" $1"), "  "+name+" ")
	}
}
