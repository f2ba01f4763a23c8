package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/part"
	"agent/internal/tools/workspace"
)

// The order of interceptors decides what each of them sees. A row says why it is where it is.
func TestOrderOfParts(t *testing.T) {
	s := serve(t)
	h := newHome(t, map[string]string{"AGENTS.md": "Be brief.\n", ".agents/skills/tea/SKILL.md": "---\nname: tea\ndescription: makes tea\n---\nBoil water.\n"})
	h.configure(t, `{"hooks": {"before_tool": [{"command": "true"}]}, "checks": [{"files": "*.go", "command": "true"}], "trace": "trace.jsonl",
"tools": {"brew": {"description": "Brews.", "schema": {"type": "object", "properties": {}}, "command": "true"}}, "lsp": {"tea": {"command": ["true"], "files": ["*.tea"]}}}`)
	h.enter(t)
	t.Setenv("OPENAI_BASE_URL", s.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", testKey)
	a, err := open(opening{dir: h.work}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	tree, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()

	const main, delegate, isolated = 1, 2, 4
	const all = main | delegate | isolated
	rows := map[string][]struct {
		name string
		who  int
		why  string
	}{
		"arguments": {
			{"hooks.before", all, "hooks see placeholders"},
			{"*secrets.Masker", all, "the tool gets the secrets"},
		},
		"check": {{"hooks.before", all, "it compares the paths with those that its hooks saw"}},
		"around": {
			{"*secrets.Masker", all, "it sees the text that everything else adds"},
			{"*undo.Recorder", main | delegate, "it records what hooks, checks and formatters write"},
			{"undo.worktree", isolated, "as in the workspace, with paths of the worktree"},
			{"hooks.after", all, "hooks get the result with the reports of checks"},
			{"evidence.calls", main | delegate, "a worktree's changes are not in the workspace yet"},
			{"tools.IndexUpdater", main | delegate, "the index has the files of the workspace"},
			{"*check.Checks", all, "its report is a part of the result"},
			{"*lsp.Errors", all, "the same"},
			{"*instructions.Project", all, "it adds nothing to the result"},
		},
		"tools at the end": {
			{"diagnostics", all, "after the built-in tools, which are the same in every session, so that providers can cache them"},
			{"brew", all, "tools of the configuration follow"},
			{"symbols", all, "tools of language servers"},
			{"rename", all, "the same"},
			{"skill", main | delegate, "the skills of the agent's own workspace: the worktree of this test has none"},
		},
	}
	for who, agent := range map[int]part.Agent{
		main:     {Workspace: a.work},
		delegate: {Workspace: a.work, Number: 1},
		isolated: {Workspace: tree, Number: 2, Isolated: true},
	} {
		agent.Commands, agent.Ledger = a.commandsIn(agent.Workspace, a.options.Permissions.Paths), workspace.NewLedger()
		sum, err := a.parts().For(agent)
		if err != nil {
			t.Fatal(err)
		}
		defer sum.Close()
		got := map[string][]string{
			"arguments": typesOf(sum.Interceptors.Arguments), "check": typesOf(sum.Interceptors.Check), "around": typesOf(sum.Interceptors.Around),
		}
		names := []string{}
		for _, tool := range sum.Tools {
			names = append(names, tool.Accepts().Name)
		}
		got["tools at the end"] = names[slices.Index(names, "fetch")+1:]
		for stage, order := range rows {
			var want []string
			for _, r := range order {
				if r.who&who != 0 {
					want = append(want, r.name)
				}
			}
			if diff := cmp.Diff(got[stage], want); diff != "" {
				t.Errorf("agent %d, %s (-got +want):\n%s", who, stage, diff)
			}
		}
	}
}

func typesOf[T any](all []T) (names []string) {
	for _, x := range all {
		names = append(names, fmt.Sprintf("%T", x))
	}
	return names
}
