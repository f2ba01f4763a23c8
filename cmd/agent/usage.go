package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agent/cmd/agent/command"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
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

// misspelled returns the error for a prompt that is probably meant as a command: a single word,
// a slash command, an API key, the name of a command in another assistant, or a command with an
// error in its spelling and an argument. For any other prompt it returns nil.
func misspelled(root *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" || strings.ContainsAny(args[0], " \n") {
		return nil
	}
	word := args[0]
	switch {
	case llm.IsAPIKey(word):
		return command.ErrAPIKey
	case len(args) == 1 && word[0] == '/' && !strings.Contains(word[1:], "/"):
		if word == "/init" {
			return command.Usage("commands with a slash are typed in a session. To write AGENTS.md: agent init")
		}
		return command.Usage("commands with a slash are typed in a session: start agent, then type %s", word)
	case len(args) == 1:
		return unknownCommand(root, word)
	case word == "exec", word == "auth":
		return command.Usage("unknown command %q. %s", word, command.OtherName(word))
	}
	const shortest = 4
	near := command.Suggest(root, word)
	if len(args) == 2 && len(word) >= shortest && near != "" && phrase.Distance(word, near) == 1 {
		return command.Usage("unknown command %q. Did you mean \"agent %s %s\"? To send this as a prompt: agent %q", word, near, args[1], strings.Join(args, " "))
	}
	return nil
}

// unknownCommand returns the error for a single word that is no command.
func unknownCommand(root *cobra.Command, word string) error {
	if hint := command.OtherName(word); hint != "" {
		return command.Usage("unknown command %q. %s", word, hint)
	}
	if near := command.Suggest(root, word); near != "" {
		return command.Usage("unknown command %q. Did you mean %q? To send a prompt of one word: agent run %s", word, near, word)
	}
	return command.Usage("unknown command %q. To send a prompt of one word: agent run %s", word, word)
}
