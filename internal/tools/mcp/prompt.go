package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/tools"
)

const (
	// maxPrompts limits the prompts of a server, and maxPromptArguments their arguments.
	maxPrompts         = 500
	maxPromptArguments = 30
)

// Prompt is a prompt of a server, which the user runs as a slash command. Its texts are
// untrusted.
type Prompt struct {
	Name        string // of the command, in lower case: mcp__SERVER__PROMPT
	Server      string
	Prompt      string // its name at the server
	Description string // on one line; may be empty
	Arguments   []Argument
}

// Argument is an argument of a prompt.
type Argument struct {
	Name, Description string // on one line
	Required          bool
}

// Usage returns the arguments for display: "article [count]".
func (p Prompt) Usage() string {
	var all []string
	for _, a := range p.Arguments {
		if a.Required {
			all = append(all, a.Name)
		} else {
			all = append(all, "["+a.Name+"]")
		}
	}
	return strings.Join(all, " ")
}

// listPrompts returns the prompts of a server, sorted by name.
func (s *server) listPrompts(ctx context.Context, session *sdk.ClientSession) (found []Prompt, err error) {
	seen := map[string]bool{}
	for p, err := range session.Prompts(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list the prompts: %w", err)
		}
		if len(found) == maxPrompts {
			_, _ = fmt.Fprintf(&s.log, "[agent] all prompts after the first %d are not used\n", maxPrompts)
			break
		}
		if p == nil || p.Name == "" || len(p.Name) > maxToolName || seen[p.Name] {
			continue
		}
		seen[p.Name] = true
		one := Prompt{Server: s.Name, Prompt: p.Name, Description: oneLine(p.Description)}
		for _, a := range p.Arguments {
			if a == nil || a.Name == "" || len(a.Name) > maxToolName || len(one.Arguments) == maxPromptArguments {
				_, _ = fmt.Fprintf(&s.log, "[agent] the prompt %q has too many arguments, or one without a valid name\n", p.Name)
				break
			}
			one.Arguments = append(one.Arguments, Argument{a.Name, oneLine(a.Description), a.Required})
		}
		found = append(found, one)
	}
	namePrompts(found)
	slices.SortFunc(found, func(a, b Prompt) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// Prompts returns the prompts of all servers that are ready, sorted by name.
func (c *Connections) Prompts() (all []Prompt) {
	for _, s := range c.servers {
		s.mu.Lock()
		all = append(all, s.offers.prompts...)
		s.mu.Unlock()
	}
	return all
}

// Prompt runs the prompt of a slash command with the words of the user. The Text of the
// result is for the model, and its Source is the server. See tools.Call for ctx. The error
// is for the user, and contains untrusted text.
func (c *Connections) Prompt(ctx context.Context, command string, words []string) (tools.Result, error) {
	all := c.Prompts()
	i := slices.IndexFunc(all, func(p Prompt) bool { return p.Name == command })
	if i < 0 {
		return tools.Result{}, errors.New("no MCP server that is ready has the prompt " + command)
	}
	p := all[i]
	args, err := p.fill(words)
	if err != nil {
		return tools.Result{}, err
	}
	s, err := c.find(p.Server)
	if err != nil {
		return tools.Result{}, err
	}
	got, err := request(ctx, s, func(ctx context.Context, session *sdk.ClientSession) (*sdk.GetPromptResult, error) {
		return session.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Prompt, Arguments: args})
	})
	if err != nil {
		return tools.Result{}, err
	}
	out := content{Result: tools.Result{Source: s.Name}}
	dialog := slices.ContainsFunc(got.Messages, func(m *sdk.PromptMessage) bool { return m != nil && m.Role != "user" })
	for _, m := range got.Messages {
		if m == nil {
			continue
		}
		if dialog {
			out.add("\n[" + clipped(string(m.Role)) + "]")
		}
		out.addPart(ctx, m.Content)
	}
	return out.fit(s, mostResult, ""), nil
}

// fill returns the arguments of the prompt. A word is NAME=VALUE, or the value of the first
// argument that has none. Words after the last argument are added to it.
func (p Prompt) fill(words []string) (map[string]string, error) {
	args := map[string]string{}
	last := ""
	for _, word := range words {
		name, value, named := strings.Cut(word, "=")
		if named && slices.ContainsFunc(p.Arguments, func(a Argument) bool { return a.Name == name }) {
			args[name] = value
			continue
		}
		next := slices.IndexFunc(p.Arguments, func(a Argument) bool { _, has := args[a.Name]; return !has })
		switch {
		case next >= 0:
			last = p.Arguments[next].Name
			args[last] = word
		case last != "":
			args[last] += " " + word
		default:
			return nil, fmt.Errorf("too many arguments. Usage: /%s", strings.TrimSpace(p.Name+" "+p.Usage()))
		}
	}
	for _, a := range p.Arguments {
		if _, has := args[a.Name]; has || !a.Required {
			continue
		}
		what := "the argument " + a.Name + " is missing"
		if a.Description != "" {
			what += " (" + a.Description + ")"
		}
		return nil, fmt.Errorf("%s. Usage: /%s %s", what, p.Name, p.Usage())
	}
	return args, nil
}
