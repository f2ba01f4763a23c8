package delegate

import (
	"errors"
	"strings"

	"agent/internal/tools/intake"
)

// form returns the forms of calls that the tool accepts besides its schema.
func form() intake.Form {
	return intake.Form{
		// A model may call an agent like a tool, because the description lists the agents.
		Names: append([]string{
			"task", "agent", "subagent", "run_subagent", "spawn_agent", "dispatch_agent", "delegate_to_agent", "delegate_task",
		}, builtInNames()...),
		Aliases: map[string][]string{
			"agent": {"subagent_type", "agent_type", "agent_name", "subagent"}, "prompt": {"task", "instructions", "message", "objective"},
			"background": {"run_in_background"}, "max_steps": {"max_turns"},
		},
		Harmless: []string{"description"},
		Rewrite:  rewrite,
	}
}

// rewrite converts calls in the form of other programs.
func rewrite(a *intake.Args) error {
	for _, name := range []string{"resume", "task_id"} {
		if a.Text(name) != "" {
			return errors.New("a delegate cannot be continued: start a new one, with all that it needs in the prompt, and leave out " + name)
		}
		a.Remove(name)
	}
	for _, name := range builtInNames() {
		if a.Called(name) && !a.Has("agent") {
			a.Set("agent", name)
		}
	}
	if a.Has("agent") {
		a.Ignore("name") // a name for the delegate
	} else if name := a.Text("name"); name != "" {
		a.Remove("name")
		a.Set("agent", name)
	}
	if v := a.Value("prompt"); len(v) > 0 && v[0] == '[' {
		var lines []string
		if a.Take("prompt", &lines) {
			a.Set("prompt", strings.Join(lines, "\n"))
		}
	}
	rewriteOptions(a)
	return nil
}

// rewriteOptions removes optional arguments whose value means the default: many models
// send all arguments.
func rewriteOptions(a *intake.Args) {
	if t := a.Text("tools"); t != "" {
		a.Set("tools", toolList(t))
	}
	switch string(a.Value("tools")) {
	case "[]", `""`, `["*"]`, `["all"]`:
		a.Remove("tools")
	}
	switch strings.ToLower(a.Text("model")) {
	case "inherit", "default":
		a.Remove("model")
	}
	in, isBool := a.Bool("isolation")
	switch {
	case isBool && in:
		a.Set("isolation", isolated)
	case isBool, strings.EqualFold(a.Text("isolation"), "none"):
		a.Remove("isolation")
	}
}

// called returns the built-in agent for the name of an agent in another program; empty
// if there is none.
func called(name string) string {
	switch foldKey(name) {
	case "generalpurpose", "default", "worker":
		return "general"
	case "explorer", "codebaseinvestigator":
		return "explore"
	case "reviewer", "codereviewer", "codereview":
		return "review"
	}
	return ""
}
