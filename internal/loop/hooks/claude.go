package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
)

// The format of hooks of Claude Code is documented at
// https://docs.anthropic.com/en/docs/claude-code/hooks (read in November 2026). A hook with
// the format Claude gets such an object and may answer in that form.

// claudeEvents are the names of the events in that format.
var claudeEvents = map[string]string{
	SessionStart: "SessionStart", Prompt: "UserPromptSubmit", BeforeTool: "PreToolUse", AfterTool: "PostToolUse",
	Approval: "Notification", TurnEnd: "Stop", Compact: "PreCompact", SessionEnd: "SessionEnd",
}

// claudeTools are the names of tools in that format.
var claudeTools = map[string]string{
	"shell": "Bash", "edit": "Edit", "patch": "Edit", "write": "Write", "read": "Read", "glob": "Glob", "search": "Grep", "list": "LS",
	"fetch": "WebFetch", "delegate": "Task", "todo": "TodoWrite",
}

// claudeArguments are the names of arguments in that format, by tool.
var claudeArguments = map[string]map[string]string{
	"edit":  {"path": "file_path", "old": "old_string", "new": "new_string"},
	"write": {"path": "file_path"},
	"read":  {"path": "file_path"},
}

// claudeInput is what a hook of Claude Code gets.
type claudeInput struct {
	Session   string         `json:"session_id"`
	Path      string         `json:"transcript_path"` // always empty
	Dir       string         `json:"cwd"`
	Event     string         `json:"hook_event_name"`
	Tool      string         `json:"tool_name,omitempty"`
	Arguments map[string]any `json:"tool_input,omitempty"`
	Response  map[string]any `json:"tool_response,omitempty"`
	Prompt    string         `json:"prompt,omitempty"`
	Message   string         `json:"message,omitempty"`
	Active    bool           `json:"stop_hook_active,omitempty"`
	Source    string         `json:"source,omitempty"`
	Trigger   string         `json:"trigger,omitempty"`
	Reason    string         `json:"reason,omitempty"`
}

// claude returns in in the format of Claude Code.
func (in Input) claude() claudeInput {
	out := claudeInput{Session: in.Session, Dir: in.Dir, Event: claudeEvents[in.Event], Tool: in.Tool, Prompt: in.Prompt, Active: in.Continued}
	if name := claudeTools[in.Tool]; name != "" {
		out.Tool = name
	}
	switch in.Event {
	case SessionStart:
		out.Source = "startup"
	case Compact:
		out.Trigger = "auto"
	case SessionEnd:
		out.Reason = "other"
	case Approval:
		out.Message = "The agent needs your approval: " + in.Title
	}
	if len(in.Arguments) > 0 {
		out.Arguments = in.claudeArguments()
	}
	if in.Event == AfterTool {
		out.Response = map[string]any{"output": in.Result, "success": !in.Failed}
		if path, ok := out.Arguments["file_path"]; ok {
			out.Response["filePath"] = path
		}
	}
	return out
}

// claudeArguments returns the arguments with the names of Claude Code and the absolute path
// of the file, without symbolic links and look-alikes.
func (in Input) claudeArguments() map[string]any {
	var args map[string]any
	if json.Unmarshal(in.Arguments, &args) != nil {
		return nil
	}
	out := map[string]any{}
	for name, value := range args {
		if theirs := claudeArguments[in.Tool][name]; theirs != "" {
			name = theirs
		}
		out[name] = value
	}
	path, _ := out["file_path"].(string)
	if path != "" && in.file != "" {
		path = in.file
	}
	if path == "" && in.Tool == "patch" && len(in.Paths) > 0 {
		path = in.Paths[0]
	}
	if path != "" {
		if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
			path = filepath.Join(in.Dir, path)
		}
		out["file_path"] = path
	}
	return out
}

// claudeReply is the answer of a hook of Claude Code. Fields that have no counterpart are
// ignored: a hook cannot approve a call.
type claudeReply struct {
	Continue *bool  `json:"continue"`
	Stop     string `json:"stopReason"`
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Specific struct {
		Decision  string         `json:"permissionDecision"`
		Reason    string         `json:"permissionDecisionReason"`
		Context   string         `json:"additionalContext"`
		Arguments map[string]any `json:"updatedInput"`
	} `json:"hookSpecificOutput"`
}

// parseClaude reads the answer of a hook of Claude Code to in.
func parseClaude(in Input, text []byte) (got reply, err error) {
	var r claudeReply
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&r); err != nil {
		return reply{}, fmt.Errorf("its output is not a valid answer: %w", err)
	}
	got.Context = r.Specific.Context
	switch {
	case r.Decision == "block":
		got.Decision, got.Reason = "block", r.Reason
	case r.Specific.Decision == "deny":
		got.Decision, got.Reason = "block", r.Specific.Reason
	case r.Continue != nil && !*r.Continue && in.Event != TurnEnd:
		got.Decision, got.Reason = "block", r.Stop
	}
	if r.Specific.Arguments == nil {
		return got, nil
	}
	args := maps.Clone(r.Specific.Arguments)
	for ours, theirs := range claudeArguments[in.Tool] {
		if value, ok := args[theirs]; ok {
			delete(args, theirs)
			args[ours] = value
		}
	}
	got.Arguments, err = json.Marshal(args)
	return got, err
}
