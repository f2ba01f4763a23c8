package settings

import (
	"fmt"
	"slices"
	"strings"
)

// Hooks are the commands that run at events of a session, by event.
type Hooks struct {
	SessionStart []Hook `json:"session_start,omitempty" what:"when a session begins or is resumed; their output is context for the model"`
	Prompt       []Hook `json:"prompt,omitempty" what:"before a prompt is sent to the model; they can block it or add context"`
	BeforeTool   []Hook `json:"before_tool,omitempty" what:"before the permission check of a tool call; they can block it or change its arguments"`
	AfterTool    []Hook `json:"after_tool,omitempty" what:"after a tool call that ran; they can add context for the model"`
	Approval     []Hook `json:"approval,omitempty" what:"when a call waits for your approval; for notifications"`
	TurnEnd      []Hook `json:"turn_end,omitempty" what:"when a turn ends; they can make the model continue once"`
	Compact      []Hook `json:"compact,omitempty" what:"after the conversation was compacted; for notifications"`
	SessionEnd   []Hook `json:"session_end,omitempty" what:"when a session ends; for notifications"`
}

// Hook is a command that runs at an event.
type Hook struct {
	Tool    string `json:"tool,omitempty" format:"glob" what:"tools to act on, such as shell, {edit,write} or mcp__*; only for before_tool and after_tool (default: all)"`
	Path    string `json:"path,omitempty" format:"glob" what:"act only on calls with such a path: *.go by name, web/**/*.ts by path; only for before_tool and after_tool"`
	Command string `json:"command" format:"command" what:"shell command, run in the working directory; it gets a JSON object on standard input"`
	Format  string `json:"format,omitempty" enum:"agent,claude" what:"form of the JSON: agent (default), or claude for commands written for Claude Code"`
	Timeout int    `json:"timeout_seconds,omitempty" min:"1" max:"600" what:"time limit in seconds (default 60)"`
	Sandbox *bool  `json:"sandbox,omitempty" what:"false runs the hook outside the sandbox; true in it (default: see agent help hooks)"`
}

// HookEvents are the names of the events, in the order in which they happen.
var HookEvents = []string{"session_start", "prompt", "before_tool", "after_tool", "approval", "turn_end", "compact", "session_end"}

// At returns the hooks of an event.
func (h *Hooks) At(event string) []Hook {
	lists := [][]Hook{h.SessionStart, h.Prompt, h.BeforeTool, h.AfterTool, h.Approval, h.TurnEnd, h.Compact, h.SessionEnd}
	if i := slices.Index(HookEvents, event); i >= 0 {
		return lists[i]
	}
	return nil
}

// ParseHooks decodes the hook file of a repository, which holds an object with hooks by
// event. Name stands for the file in errors.
func ParseHooks(name string, b []byte) (Hooks, error) {
	var h Hooks
	lines, err := decode(name, b, &h)
	if err == nil {
		if err = h.check("", lines); err != nil {
			err = fmt.Errorf("%s:%w", name, err)
		}
	}
	return h, err
}

// Tool is a tool of the user: a program with a JSON schema.
type Tool struct {
	Description string `json:"description" what:"what the tool does and when to use it, for the model"`
	Schema      Object `json:"schema,omitempty" what:"JSON schema of the arguments, of type object (default: no arguments)"`
	Command     string `json:"command" format:"command" what:"shell command, run in the working directory; it gets the arguments as a JSON object on standard input, and its output is the result"`
	Effect      string `json:"effect,omitempty" enum:"read,execute,network" what:"what the command does: read (needs no approval; it cannot change the workspace), execute (default; needs approval like the same shell command) or network (needs approval; can use the network)"`
	Timeout     int    `json:"timeout_seconds,omitempty" min:"1" max:"3600" what:"time limit in seconds (default 120)"`
}

// Object is a JSON object that the program passes on.
type Object map[string]any

// check returns an error for hooks that can never run. Path is that of the hooks in the
// file, or empty, and lines are those of the file.
func (h *Hooks) check(path string, lines map[string]int) error {
	for _, event := range HookEvents {
		for i, hook := range h.At(event) {
			at := strings.TrimPrefix(fmt.Sprintf("%s.%s[%d]", path, event, i), ".")
			if event != "before_tool" && event != "after_tool" && hook.Tool+hook.Path != "" {
				return fmt.Errorf("%d: %s: tool and path are only for before_tool and after_tool", lines[at], at)
			}
		}
	}
	return nil
}

// checkTools returns an error for a tool with the name of an MCP tool, and for one whose
// schema is not one of an object.
func checkTools(all map[string]Tool, lines map[string]int) error {
	for name, t := range all {
		if strings.HasPrefix(name, "mcp__") {
			return fmt.Errorf("%d: tools.%s: names that begin with mcp__ are those of MCP tools. Choose another one", lines["tools."+name], name)
		}
		if kind, set := t.Schema["type"]; set && kind != "object" || t.Schema != nil && !set {
			return fmt.Errorf("%d: tools.%s.schema must have \"type\": \"object\"", lines["tools."+name+".schema"], name)
		}
	}
	return nil
}
