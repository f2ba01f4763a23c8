package acp

import (
	"context"
	"reflect"
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
	for _, c := range slices.Concat(s.opened.Commands, s.opened.prompts()) {
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

// unknown returns the error for a slash command that does not exist.
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
func (s *session) slash(ctx context.Context, name, args string) (event.Command, error) {
	for _, c := range builtin {
		if c.name == name {
			return c.command(args), nil
		}
	}
	for _, c := range s.opened.Commands {
		if c.Name == name {
			p, err := c.Prompt(ctx, args)
			return p, err
		}
	}
	for _, c := range s.opened.prompts() {
		if c.Name == strings.ToLower(name) {
			return awaitedPrompt{get: func(ctx context.Context) (event.Prompt, error) { return c.Prompt(ctx, args) }}, nil
		}
	}
	return nil, nil
}

// prompts returns the prompts of MCP servers.
func (o *Opened) prompts() []Command {
	if o.Prompts == nil {
		return nil
	}
	return o.Prompts()
}

// sendCommands sends the slash commands to the editor, unless it has them. It is called in
// the loop.
func (s *session) sendCommands() {
	all := s.commands()
	if reflect.DeepEqual(all, s.announced) {
		return
	}
	s.announced = all
	s.feed.send(acp.SessionUpdate{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: all}})
}

// awaitedPrompt is a prompt that an MCP server must be asked for. Images are those of the
// editor.
type awaitedPrompt struct {
	event.Prompt
	get func(context.Context) (event.Prompt, error)
}

// await asks the server for a prompt and sends it. The turn or its cancellation ends ctx.
func (s *session) await(ctx context.Context, t *turn, p awaitedPrompt) {
	got, err := p.get(ctx)
	switch {
	case err != nil:
		s.turns.finish(t, ending{err: invalid("%s", clean(err.Error()))})
	case got.IsEmpty():
		s.turns.finish(t, ending{err: invalid("the MCP server answered with an empty prompt")})
	default:
		got.Images = append(got.Images, p.Images...)
		s.turns.send(t, got)
	}
}
