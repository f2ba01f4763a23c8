package delegate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/instructions"
	"agent/internal/tools"
	"agent/internal/tools/intake"
)

// accepted describes tools like those of the program.
func accepted() intake.Tools {
	jobs := tools.NewJobs()
	defer jobs.Close()
	var c tools.Commands
	all := tools.Accepted(append(tools.Files(nil, nil), c.Tools(jobs)...))
	return append(all, intake.Tool{Name: "fetch", Form: intake.Form{Names: []string{"web_fetch"}}}, intake.Tool{Name: "todo", Form: intake.Form{Names: []string{"todo_write"}}},
		intake.Tool{Name: "delegate", Form: intake.Form{Names: []string{"task"}}})
}

// file returns the agent file with that text in the user's directory.
func file(name, text string) instructions.AgentFile {
	f := instructions.ParseAgent(name, text)
	f.Source = "~/.claude/agents/" + name + ".md"
	return f
}

const reviewer = `---
name: code-reviewer
description: "Use this agent after a change to a public interface.\n\nExamples:\n<example>\nContext: the user changed an API.\nuser: \"Check it\"\n</example>"
tools: Glob, Grep, LS, Read, NotebookRead, WebFetch, TodoWrite, WebSearch, KillShell, BashOutput, Task
model: sonnet
color: green
permissionMode: acceptEdits
maxTurns: 12
hooks:
  PreToolUse:
    - matcher: "Bash"
---

You are a careful reviewer.

## Steps
1. Read the change.
`

// Files as Claude Code users have them, and files with our own keys.
func TestDefinitions(t *testing.T) {
	all := []string{"read", "list", "glob", "search", "edit", "patch", "write", "shell", "fetch", "todo"}
	for _, c := range []struct {
		name, text string
		want       delegate.Agent
		notices    []string // a part of each
	}{
		{"code-reviewer", reviewer, delegate.Agent{
			Description:  "Use this agent after a change to a public interface.",
			Instructions: "You are a careful reviewer.\n\n## Steps\n1. Read the change.",
			Tools:        []string{"glob", "search", "list", "read", "fetch", "todo"}, Model: "sonnet", Mode: event.ModeAuto, MaxSteps: 12,
		}, []string{`delegates do not have them: "NotebookRead", "WebSearch", "KillShell", "BashOutput", "Task". To list`}},
		{"full", "---\ndescription: d\ntools:\n  - read\n  - shell\nmodel: openai/gpt-5 # fast\neffort: high\nmax_steps: 30\nmax_cost: $0.50\nmode: plan\nisolation: worktree\n---\nBody", delegate.Agent{
			Description: "d", Instructions: "Body", Tools: []string{"read", "shell"}, Model: "openai/gpt-5", Effort: "high", MaxSteps: 30, MaxCost: 0.5, Mode: event.ModePlan, Worktree: true,
		}, nil},
		{"all", "# Fixes tests\n\nFix them.", delegate.Agent{Description: "Fixes tests", Instructions: "# Fixes tests\n\nFix them."}, nil},
		{"inherit", "---\nmodel: inherit\neffort: default\npermissionMode: default\ntools: \"*\"\n---\n", delegate.Agent{Mode: event.ModeAsk}, nil},
		{"none", "---\ntools: []\nmodel: Small\npermissionMode: bypassPermissions\nisolation: none\n---\n", delegate.Agent{Tools: []string{}, Model: delegate.Small, Mode: event.ModeAll}, nil},
		{"empty", "---\ntools:\n---\n", delegate.Agent{Tools: []string{}}, []string{"tools is empty"}},
		{"unknown", "---\ntools: files_read\n---\n", delegate.Agent{Tools: []string{}}, []string{`"files_read"`}},
		{"mcp", "---\ntools: mcp__files__read, mcp__web__get_*, mcp__shop\n---\n", delegate.Agent{Tools: []string{"mcp__files__read", "mcp__web__get_*", "mcp__shop__*"}}, nil},
		{"limited", "---\ntools: Bash(git diff:*, git log:*), Read\n---\n", delegate.Agent{Tools: []string{"read"}}, []string{`certain calls: "Bash(git diff:*, git log:*)". Write`}},
		{"unclosed", "---\ntools: Bash(git diff, Read, Write\n---\n", delegate.Agent{Tools: []string{}}, []string{`"Bash(git diff, Read, Write"`}},
		{"editor", "---\ntools: ['MultiEdit', \"Edit\", Write]\n---\n", delegate.Agent{Tools: []string{"edit", "patch", "write"}}, nil},
		{"denied", "---\ndisallowedTools: Bash(rm:*), Write\n---\n", delegate.Agent{Tools: []string{"read", "list", "glob", "search", "edit", "patch", "fetch", "todo"}}, nil},
		{"both", "---\ntools: Read, Edit\ndisallowed-tools: Edit, Nothing\n---\n", delegate.Agent{Tools: []string{"read"}}, nil},
		{"reach", "---\ndisallowedTools: Nothing\n---\n", delegate.Agent{Tools: all}, nil},
		{"bad", "---\nmodel: the best one\neffort: very high\nmax_steps: many\nmax_cost: -1\nmode: yolo\nisolation: container\n---\n", delegate.Agent{Mode: event.ModeAsk}, []string{
			`"the best one" is not the name of a model, so the model of the session is used.`, `"very high" is not a reasoning effort`, `max_steps is "many", so the default`,
			`max_cost is "-1", so only the limits`, `"yolo" is not a permission mode, so ask is used.`, `isolation is "container", so its delegates work in the workspace.`,
		}},
		{"zero", "---\nmax_steps: 0\nmax_cost: 0\n---\n", delegate.Agent{}, []string{`max_steps is "0"`, `max_cost is "0"`}},
	} {
		got, notices := delegate.FromFile(file(c.name, c.text), accepted())
		if got.Name != c.name || got.Source != "~/.claude/agents/"+c.name+".md" || got.Text != c.text {
			t.Errorf("%s: got name %q, source %q, text %q", c.name, got.Name, got.Source, got.Text)
		}
		if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(delegate.Agent{}, "Name", "Source", "Text")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		for _, part := range c.notices {
			if !slices.ContainsFunc(notices, func(n string) bool { return strings.HasPrefix(n, got.Source+": ") && strings.Contains(n, part) }) {
				t.Errorf("%s: no notice says %q: %q", c.name, part, notices)
			}
		}
		if len(notices) != len(c.notices) {
			t.Errorf("%s: got %d notices, want %d: %q", c.name, len(notices), len(c.notices), notices)
		}
	}
}

// Very long lists and values are cut, and never give more tools than the file allows.
func TestLongValues(t *testing.T) {
	names := strings.Repeat("x,", 300)
	for text, want := range map[string][]string{
		"tools: Read," + names + "Bash":                    {"read"},
		"tools: Read\ndisallowedTools: " + names + "Bash":  {},
		"disallowedTools: " + strings.Repeat("x,", 30_000): {},
	} {
		a, notices := delegate.FromFile(file("long", "---\ndescription: "+strings.Repeat("word ", 200)+"\n"+text+"\n---\n"), accepted())
		if d := cmp.Diff(want, a.Tools); d != "" || len(a.Description) > 310 {
			t.Errorf("%.40s: a description of %d bytes, tools %s", text, len(a.Description), d)
		}
		for _, n := range notices {
			if len(n) > 500 {
				t.Errorf("a notice has %d bytes", len(n))
			}
		}
	}
}

// The built-in agents parse without a notice. Explore and review cannot edit.
func TestBuiltInAgents(t *testing.T) {
	all, notices := delegate.Collect(nil, accepted())
	if len(notices) > 0 {
		t.Error(notices)
	}
	readers := []string{"read", "list", "glob", "search"}
	want := []delegate.Agent{{Name: "explore", Tools: readers, Model: delegate.Small}, {Name: "general"}, {Name: "review", Tools: append(readers, "shell")}}
	if d := cmp.Diff(want, all, cmpopts.IgnoreFields(delegate.Agent{}, "Description", "Instructions", "Text")); d != "" {
		t.Error(d)
	}
	for _, a := range all {
		if a.Description == "" || strings.HasSuffix(a.Description, "…") || a.Instructions == "" || !strings.HasPrefix(a.System(), "You are a delegate") || !strings.HasSuffix(a.System(), a.Instructions) {
			t.Errorf("%s: %q, %.80q", a.Name, a.Description, a.System())
		}
	}
	if n := len(delegate.Agent{}.System()); n > 1050 { // 3.5 characters per token
		t.Errorf("what every delegate is told has %d characters, more than 300 tokens", n)
	}
}

// A file of the user replaces a built-in agent, a file of the repository cannot.
func TestWhoReplacesABuiltInAgent(t *testing.T) {
	mine, theirs, other := file("review", "Mine."), file("explore", "Theirs."), file("other", "Other.")
	theirs.FromRepository, theirs.Source, other.FromRepository = true, ".agents/agents/explore.md", true
	all, notices := delegate.Collect([]instructions.AgentFile{mine, theirs, other}, accepted())
	var got []string
	for _, a := range all {
		got = append(got, fmt.Sprintf("%s %q %v", a.Name, a.Source, a.FromRepository))
	}
	if d := cmp.Diff(got, []string{`explore "" false`, `general "" false`, `review "~/.claude/agents/review.md" false`, `other "~/.claude/agents/other.md" true`}); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(notices, []string{".agents/agents/explore.md is not used: a repository cannot replace the built-in agent explore. Give it another name."}); d != "" {
		t.Error(d)
	}
}

// A repository cannot cause any number of notices.
func TestNoticesAboutAgentsAreLimited(t *testing.T) {
	var files []instructions.AgentFile
	for i := range 100 {
		files = append(files, file(fmt.Sprintf("a%d", i), "---\nmode: x\n---\n"))
	}
	all, notices := delegate.Collect(files, accepted())
	if len(all) != 103 || len(notices) != 21 || notices[20] != "More problems with agents are not shown." {
		t.Errorf("got %d agents and %d notices: %q", len(all), len(notices), notices)
	}
}
