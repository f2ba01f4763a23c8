package acp

import (
	"slices"
	"strings"

	"github.com/coder/acp-go-sdk"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/slash"
)

// builtin are the slash commands of the program that make sense in an editor. The other
// ones are options or buttons of the editor, or need the screen.
var builtin = []struct {
	name, args, what string
	command          func(args string) event.Command
}{
	{"compact", "what to keep", "summarize the conversation to free the context window", func(args string) event.Command { return event.Compact{Focus: args} }},
	{"undo", "", "restore files to before the last turn that changed files", func(string) event.Command { return event.PlanUndo{} }},
	{"redo", "", "redo what the last undo undid", func(string) event.Command { return event.PlanUndo{Redo: true} }},
}

// commands returns the slash commands for the editor.
func (s *session) commands() []acp.AvailableCommand {
	out := []acp.AvailableCommand{}
	add := func(name, args, what string) {
		c := acp.AvailableCommand{Name: name, Description: clean(what)}
		if args != "" {
			c.Input = &acp.AvailableCommandInput{Unstructured: &acp.UnstructuredCommandInput{Hint: clean(args)}}
		}
		out = append(out, c)
	}
	for _, c := range builtin {
		add(c.name, c.args, c.what)
	}
	for _, c := range s.opened.Commands {
		add(c.Name, c.Args, c.What)
	}
	return out
}

// slashCommand splits a prompt that begins with a slash command.
func slashCommand(text string) (name, args string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	end := strings.IndexAny(rest, " \n")
	if end < 0 {
		end = len(rest)
	}
	return rest[:end], strings.TrimSpace(rest[end:]), true
}

// unknown returns the error for a slash command that there is not.
func (s *session) unknown(name string) error {
	var names []string
	for _, c := range s.commands() {
		names = append(names, c.Name)
	}
	list := ". Commands in an editor: /" + strings.Join(names, ", /")
	if slices.ContainsFunc(slash.BuiltIn(), func(c slash.Command) bool { return c.Name == name || c.Also == name }) {
		return invalid("/%s is a command of the terminal%s", name, list)
	}
	if near := phrase.Nearest(name, names); near != "" {
		return invalid("unknown command /%s: did you mean /%s?", name, near)
	}
	return invalid("unknown command /%s%s", name, list)
}

// slash returns the command for a slash command; nil if there is none of that name.
func (s *session) slash(name, args string) event.Command {
	for _, c := range builtin {
		if c.name == name {
			return c.command(args)
		}
	}
	for _, c := range s.opened.Commands {
		if c.Name == name {
			return event.Prompt{Text: strings.TrimSpace(c.Prompt(args))}
		}
	}
	return nil
}
