package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"agent/cmd/agent/command"
	"agent/cmd/agent/exit"
	"agent/internal/llm/phrase"
	"agent/internal/tools/mcp"
	"agent/internal/tui/ink"
)

func listRun(ctx context.Context, opts *Options) error {
	setup, err := opts.open()
	if err != nil {
		return err
	}
	if len(setup.Servers) == 0 {
		fmt.Fprintln(opts.IO.Out, "No MCP server is configured. To add one: agent mcp add NAME COMMAND|URL")
		return nil
	}
	var states map[string]mcp.Status
	if opts.Check {
		if states, err = opts.states(ctx, setup.Servers); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tFILE\tSERVER")
	bad := 0
	var notes []string
	note := func(name, why string) { notes = append(notes, ink.SanitizeLine(name+": "+why)+"\n") }
	for _, s := range setup.Servers {
		status, checked := states[s.Name]
		state := "configured"
		switch {
		case s.Waits:
			state = "not confirmed"
			if s.FromUser() {
				note(s.Name, s.Off)
			}
		case s.Off != "":
			state = "off"
			note(s.Name, s.Off)
		case checked && status.State == mcp.Ready:
			state = stateText(status)
		case checked:
			state = string(status.State)
			note(s.Name, status.Why)
			bad++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, ink.SanitizeLine(state), ink.SanitizeLine(s.File), ink.SanitizeLine(s.Target()))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprint(opts.IO.Out, strings.Join(notes, ""))
	for _, s := range setup.Servers {
		for _, problem := range states[s.Name].Rejected {
			opts.IO.Warn("not used: %s/%s", s.Name, problem)
		}
	}
	if bad > 0 {
		return &exit.Error{Code: exit.Failed}
	}
	return nil
}

// stateText describes the state of a server.
func stateText(s mcp.Status) string {
	if s.State == mcp.Ready {
		return "ready, " + phrase.Count(len(s.Tools), "tool")
	}
	return strings.TrimSuffix(string(s.State)+": "+s.Why, ": ")
}

// open is Open, and warns about the repository.
func (o *Options) open() (Setup, error) {
	setup, err := o.Open()
	if err == nil && setup.Problem != nil {
		o.IO.Warn("%v", setup.Problem)
	}
	return setup, err
}

// connect connects to servers and waits until each is ready or has failed. The caller calls
// end. A signal ends the programs of the servers.
func (o *Options) connect(ctx context.Context, all []Configured) (c *mcp.Connections, end func(), err error) {
	with := mcp.Options{Version: o.Version, Complete: true, Asks: true}
	for _, s := range all {
		with.Servers = append(with.Servers, s.Server)
	}
	c = mcp.New(with)
	forget := o.Cleanup(c.Close)
	end = func() { forget(); c.Close() }
	if err := c.Wait(ctx); err != nil {
		end()
		return nil, nil, err
	}
	return c, end, nil
}

// states connects to servers and returns their states by name.
func (o *Options) states(ctx context.Context, all []Configured) (map[string]mcp.Status, error) {
	c, end, err := o.connect(ctx, all)
	if err != nil {
		return nil, err
	}
	defer end()
	states := map[string]mcp.Status{}
	for _, s := range c.Servers() {
		states[s.Name] = s
	}
	return states, nil
}

// names returns the names of servers.
func names(servers []Configured) []string {
	var all []string
	for _, s := range servers {
		all = append(all, s.Name)
	}
	return all
}

// chosen returns the servers with the name of the options; all that are used if it is
// empty.
func (o *Options) chosen() ([]Configured, error) {
	setup, err := o.open()
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		return slices.DeleteFunc(setup.Servers, func(s Configured) bool { return s.Off != "" }), nil
	}
	i := slices.IndexFunc(setup.Servers, func(s Configured) bool { return s.Name == o.Name })
	switch {
	case i < 0:
		return nil, unknown(o.Name, names(setup.Servers))
	case setup.Servers[i].Off != "":
		return nil, fmt.Errorf("the MCP server %s is not used: %s", o.Name, setup.Servers[i].Off)
	}
	return setup.Servers[i : i+1], nil
}

func toolsRun(ctx context.Context, opts *Options) error {
	all, err := opts.chosen()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		opts.IO.Warn("No MCP server is used. To list those that are configured: agent mcp list")
		return nil
	}
	c, end, err := opts.connect(ctx, all)
	if err != nil {
		return err
	}
	defer end()
	if opts.Tool != "" {
		t, err := opts.tool(c)
		if err != nil {
			return err
		}
		return showTool(opts.IO.Out, t)
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	bad := false
	for _, s := range c.Servers() {
		if s.State != mcp.Ready {
			bad = true
			opts.IO.Warn("%s: %s", s.Name, stateText(s))
		}
		for _, problem := range s.Rejected {
			opts.IO.Warn("not used: %s/%s", s.Name, problem)
		}
		for _, t := range s.Tools {
			first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
			fmt.Fprintf(w, "%s\t%s\t%s\n", t.Server, ink.SanitizeLine(t.Tool), ink.Truncate(ink.SanitizeLine(first), 100))
		}
	}
	if err := w.Flush(); err != nil || !bad {
		return err
	}
	return &exit.Error{Code: exit.Failed}
}

// tool returns the tool of the options at the only server of c.
func (o *Options) tool(c *mcp.Connections) (mcp.Tool, error) {
	s := c.Servers()[0]
	if s.State != mcp.Ready {
		return mcp.Tool{}, fmt.Errorf("the MCP server %s is not available: %s", s.Name, stateText(s))
	}
	var names []string
	for _, t := range s.Tools {
		if t.Tool == o.Tool || t.Name == o.Tool {
			return t, nil
		}
		names = append(names, t.Tool)
	}
	hint := "To list its tools: agent mcp tools " + s.Name
	if near := phrase.Nearest(o.Tool, names); near != "" {
		hint = fmt.Sprintf("Did you mean %q?", near)
	}
	return mcp.Tool{}, command.Usage("the MCP server %s has no tool %q. %s", s.Name, o.Tool, hint)
}

// showTool prints a tool with the schema of its arguments.
func showTool(out command.Console, t mcp.Tool) error {
	var schema bytes.Buffer
	if err := json.Indent(&schema, t.Schema, "", "  "); err != nil {
		return err
	}
	out.Say(fmt.Sprintf("%s\n\n%s\n\n%s\n", t.Name, strings.TrimSpace(t.Description), &schema))
	return nil
}

func callRun(ctx context.Context, opts *Options) error {
	all, err := opts.chosen()
	if err != nil {
		return err
	}
	c, end, err := opts.connect(ctx, all)
	if err != nil {
		return err
	}
	defer end()
	t, err := opts.tool(c)
	if err != nil {
		return err
	}
	for _, callable := range (&mcp.Toolbox{Connections: c}).Callable() {
		if callable.Accepts().Name == t.Name {
			return opts.Run(ctx, callable, opts.Args)
		}
	}
	return fmt.Errorf("the MCP server %s has no tool %q anymore", opts.Name, opts.Tool)
}
