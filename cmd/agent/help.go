package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/desktop"
	"agent/cmd/agent/help"
	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
)

// helpOptions holds what `agent help` needs.
type helpOptions struct {
	IO    command.IO
	Root  *cobra.Command
	Words []string // a topic or a command; empty lists both
}

// newCmdHelp returns `agent help`.
func newCmdHelp(f *command.Factory, runF command.RunFunc[helpOptions]) *cobra.Command {
	return &cobra.Command{
		Use:   "help [TOPIC | COMMAND]",
		Short: "show a help topic, or list all topics",
		Long: `Show a help topic. On a terminal it is formatted for its width and shown with $PAGER,
or less if it is installed; a pipe gets plain Markdown. Without a topic, list the topics
and the commands. For a command that is not also a topic, show its usage, like
agent COMMAND --help.`,
		Example: "  agent help\n  agent help permissions\n  agent help keys | grep vim",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return helpCompletions(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.Or(runF, helpRun)(cmd.Context(), &helpOptions{IO: f.IO, Root: cmd.Root(), Words: args})
		},
	}
}

func helpRun(_ context.Context, opts *helpOptions) error {
	out := opts.IO.Out
	name := strings.Join(opts.Words, " ")
	if name == "" {
		return listHelp(out, opts.Root)
	}
	if text, ok := help.Text(strings.ToLower(name)); ok {
		if !out.Terminal {
			_, err := io.WriteString(out, text)
			return err
		}
		return drawHelp(out, text)
	}
	if c, rest, err := opts.Root.Find(opts.Words); err == nil && c != opts.Root && len(rest) == 0 {
		c.InitDefaultHelpFlag()
		return c.Help()
	}
	return unknownTopic(name, opts.Root)
}

// listHelp prints the topics in their groups and the commands, with a line each.
func listHelp(out io.Writer, root *cobra.Command) error {
	groups := help.Groups()
	commands := help.Group{Name: "Commands"}
	for _, c := range listedCommands(root) {
		commands.Topics = append(commands.Topics, help.Topic{Name: c.Name(), Summary: c.Short})
	}
	groups = append(groups, commands)
	column := 0
	for _, g := range groups {
		for _, t := range g.Topics {
			column = max(column, len(t.Name))
		}
	}
	var b strings.Builder
	for _, g := range groups {
		b.WriteString(g.Name + ":\n")
		for _, t := range g.Topics {
			fmt.Fprintf(&b, "  %-*s  %s\n", column, t.Name, t.Summary)
		}
		b.WriteString("\n")
	}
	b.WriteString("Run 'agent help TOPIC' to read a topic, 'agent COMMAND --help' for the usage of a command.\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// listedCommands returns the commands of the program that are not hidden.
func listedCommands(root *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
}

// helpCompletions returns the topics and commands that can follow args, with
// descriptions.
func helpCompletions(root *cobra.Command, args []string) []string {
	var all []string
	above := root
	if len(args) == 0 {
		for _, t := range help.Topics() {
			all = append(all, cobra.CompletionWithDesc(t.Name, t.Summary))
		}
	} else if c, rest, err := root.Find(args); err == nil && len(rest) == 0 {
		above = c
	} else {
		return nil
	}
	for _, c := range listedCommands(above) {
		if above != root || !slices.Contains(help.Names(), c.Name()) {
			all = append(all, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return all
}

// unknownTopic returns the error for a name that is neither a topic nor a
// command. It suggests the nearest name and the topics that mention it.
func unknownTopic(name string, root *cobra.Command) error {
	names := append(help.Names(), "help")
	for _, c := range listedCommands(root) {
		names = append(names, c.Name())
	}
	hint := "Run 'agent help' for a list"
	mentions := help.Mentions(name)
	if near := phrase.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("Did you mean %q?", near)
	} else if len(mentions) > 0 {
		hint = "These topics mention it: " + strings.Join(mentions, ", ")
	}
	return command.Usage("there is no help topic %q. %s", name, hint)
}

// drawHelp prints Markdown as the screen draws it, at the width of the terminal. It runs the
// user's pager, if there is one.
func drawHelp(out command.Console, text string) error {
	profile := colorprofile.Detect(out.Writer, os.Environ())
	styles := ink.Look{Dark: true, Can: profile, ASCII: desktop.ASCIIOnly(os.Getenv)}.Styles()
	m := markdown.New(styles)
	m.SetText(topicLink.ReplaceAllString(text, "$1"))
	m.Finish()
	var drawn bytes.Buffer
	w := &colorprofile.Writer{Forward: &drawn, Profile: profile}
	for _, line := range m.Lines(terminalWidth(out.Writer)) {
		if _, err := io.WriteString(w, styles.Letters.Write(line)+"\n"); err != nil {
			return err
		}
	}
	if pager := desktop.Pager(os.LookupEnv); pager != nil {
		pager.Stdin = bytes.NewReader(drawn.Bytes())
		err := pager.Run()
		const notFound = 127 // of a shell
		if failed := (*exec.ExitError)(nil); err == nil || errors.As(err, &failed) && failed.ExitCode() != notFound {
			return nil // the pager reports its own errors
		}
	}
	_, err := out.Write(drawn.Bytes())
	return err
}

// topicLink matches a link to a file, which leads nowhere in a terminal.
var topicLink = regexp.MustCompile(`\[([^\[\]]*)\]\([a-z./]+\.md(?:#[a-z-]*)?\)`)

// terminalWidth returns the columns of a terminal, 80 if they are unknown.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
			return width
		}
	}
	return 80
}
