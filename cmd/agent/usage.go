package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/cmd/agent/command"
)

// usesFlags is the annotation that names the global flags a command uses,
// separated by spaces. allFlags stands for all of them; without the annotation a
// command uses none.
const (
	usesFlags = "uses-flags"
	allFlags  = "*"
)

// withFlags marks cmd as using the named global flags.
func withFlags(cmd *cobra.Command, names string) *cobra.Command {
	cmd.Annotations = map[string]string{usesFlags: names}
	return cmd
}

// usageWithoutUnusedFlags prints the usage of cmd without the global flags that
// cmd ignores.
func usageWithoutUnusedFlags(cmd *cobra.Command) error {
	if uses := cmd.Annotations[usesFlags]; uses != allFlags {
		cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
			f.Hidden = f.Hidden || !slices.Contains(strings.Fields(uses), f.Name)
		})
	}
	if f := cmd.Flag("resume"); f != nil {
		f.NoOptDefVal = "" // the text of the flag says that the ID is optional
	}
	return new(cobra.Command).UsageFunc()(cmd)
}

// unknownCommand returns the error for a single word that is no command.
func unknownCommand(root *cobra.Command, word string) error {
	if near := command.Suggest(root, word); near != "" {
		return command.Usage("unknown command %q. Did you mean %q? To send a prompt of one word: agent run %s", word, near, word)
	}
	return command.Usage("unknown command %q. To send a prompt of one word: agent run %s", word, word)
}
