package mcp

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
)

//go:embed mcp_call.md
var callText string

type callArgs struct {
	Tool      string `json:"tool" jsonschema:"name of the tool as tool_search returns it: mcp__SERVER__TOOL"`
	Arguments object `json:"arguments,omitempty" jsonschema:"arguments of that tool, one object that matches its schema"`
}

// object is a JSON object. It keeps the digits of large numbers.
type object map[string]any

// UnmarshalJSON decodes an object.
func (o *object) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode((*map[string]any)(o))
}

// callTool returns the tool that calls any tool.
func (b *Toolbox) callTool() tools.Tool {
	return tools.Indirect(tools.New(CallTool, callText, func(ctx context.Context, a callArgs) (tools.Call, error) {
		t, err := b.find(a.Tool)
		if err != nil {
			b.waitReady(ctx)
			t, err = b.find(a.Tool)
		}
		if err != nil {
			return tools.Call{}, err
		}
		args, err := json.Marshal(a.Arguments)
		if err != nil {
			return tools.Call{}, err
		}
		if a.Arguments == nil {
			args = json.RawMessage("{}")
		}
		c, err := t.Prepare(ctx, args)
		if err != nil && !strings.HasSuffix(err.Error(), "?") {
			err = advice.Add(err, `%s {"query": %q} returns its schema`, SearchTool, t.Name)
		}
		c.Effective = &tools.Effective{Tool: t.Name, Arguments: args, Wrap: func(args json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(map[string]any{"tool": t.Name, "arguments": args})
		}}
		return c, err
	}, intake.Form{
		Names:   []string{"call_mcp_tool", "use_mcp_tool", "mcp"},
		Covers:  b.covers,
		Aliases: map[string][]string{"arguments": {"args", "params", "parameters", "input", "tool_input"}},
		Rewrite: readCall,
	}))
}

// The names under which models send the tool and its server.
var (
	toolNames   = []string{"tool", "tool_name"}
	serverNames = []string{"server", "server_name", "mcp_server"}
)

// readCall understands other forms of a call: the server in an argument of its own,
// everything in one object, and the arguments of the tool next to its name.
func readCall(a *intake.Args) error {
	if v := string(a.Value("arguments")); v == "[]" || v == `""` {
		a.Remove("arguments")
	}
	var inner map[string]json.RawMessage
	given := a.Take("arguments", &inner)
	if !given && a.Has("arguments") {
		return nil // not an object
	}
	tool, server, name := firstText(a, toolNames), firstText(a, serverNames), a.Text("name")
	if tool+server+name == "" && inner["arguments"] != nil {
		for _, key := range append(toolNames, "name") {
			if json.Unmarshal(inner[key], &tool) == nil {
				a.Set("tool", tool)
				a.Set("arguments", inner["arguments"])
				return readCall(a)
			}
		}
	}
	a.Remove(toolNames...)
	if tool == "" || name != "" && given { // otherwise it is an argument of the tool
		a.Remove("name")
		if tool == "" {
			tool = name
		} else if server == "" && name != "" {
			tool = tool + "/" + name
		}
	}
	if tool != "" && server != "" && !strings.HasPrefix(tool, Prefix) {
		tool = server + "/" + tool
		a.Remove(serverNames...)
	} else if given {
		a.Remove(serverNames...)
	}
	if len(inner) == 0 {
		if beside := a.TakeAll(); len(beside) > 0 {
			inner, given = beside, true
		}
	}
	if tool != "" {
		a.Set("tool", tool)
	}
	if given {
		a.Set("arguments", inner)
	}
	return nil
}

// firstText returns the first argument with one of names that is a string.
func firstText(a *intake.Args, names []string) string {
	for _, n := range names {
		if t := a.Text(n); t != "" {
			return t
		}
	}
	return ""
}

// find returns the tool that name means: the name of a tool for the model, SERVER/TOOL, or
// the name at the server if only one has it. Case and the characters between the words do not
// count.
func (b *Toolbox) find(name string) (tool, error) {
	all := b.listable()
	wanted := letters(name)
	for _, is := range []func(t tool) bool{
		func(t tool) bool { return t.Name == name || t.Server+"/"+t.Tool.Tool == name },
		func(t tool) bool { return t.Tool.Tool == name },
		func(t tool) bool { return letters(t.Name) == wanted || letters(t.Server+t.Tool.Tool) == wanted },
		func(t tool) bool { return letters(t.Tool.Tool) == wanted || letters(t.Tool.Tool+t.Server) == wanted },
	} {
		var found []tool
		var names []string
		for _, t := range all {
			if is(t) {
				found, names = append(found, t), append(names, t.Name)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			err := fmt.Errorf("%d tools of MCP servers match %q", len(found), clipped(name))
			return tool{}, advice.Add(err, "Send one of these names: %s", strings.Join(names[:min(len(names), maxFound)], ", "))
		}
	}
	return tool{}, b.notFound(name, all)
}

// covers reports whether name can be that of a tool of a server that is used. Its tools may
// not be known yet.
func (b *Toolbox) covers(name string) bool {
	plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "_")) }
	return slices.ContainsFunc(b.names(), func(server string) bool {
		prefix := plain(Prefix + clean(server) + "__")
		return strings.HasPrefix(plain(name), prefix[:min(len(prefix), maxServer)])
	})
}

// notFound returns the error for a name that means no tool.
func (b *Toolbox) notFound(name string, all []tool) error {
	err := fmt.Errorf("no MCP server has the tool %q", clipped(name))
	for _, s := range b.Servers() {
		if s.State != Ready && s.State != Off && strings.Contains(letters(name), letters(s.Name)) {
			return advice.Add(err, "The server %s is not ready (%s). Continue without it, or tell the user", s.Name, s.State)
		}
	}
	var names []string
	for _, t := range all {
		names = append(names, t.Name)
	}
	if near := phrase.Nearest(name, names); near != "" {
		return advice.Add(err, "Did you mean %s?", near)
	}
	return advice.Add(err, "%s finds the names. Call tools that are not of an MCP server directly", SearchTool)
}

// letters returns the letters and digits of a name in lower case.
func letters(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, name))
}
