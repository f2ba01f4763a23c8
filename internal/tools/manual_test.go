package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// read shows the manual, if the program has one, and tells the model about it.
func TestReadShowsTheManual(t *testing.T) {
	w, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	manual := func(topic string) (string, bool) {
		text, ok := map[string]string{"": "- hooks\n", "hooks": "# Hooks\n\nWrite a command.\n"}[topic]
		return text, ok
	}
	with := tools.FormattedFiles(tools.Commands{Workspace: w, Manual: manual}, nil, nil)[0]
	without := tools.Files(w, nil)[0]
	for path, want := range map[string]string{
		"agent:help": "1\t- hooks\n", "agent:help/": "1\t- hooks\n", "agent:help/hooks.md": "1\t# Hooks\n2\t\n3\tWrite a command.\n", "agent:help/Hooks": "1\t# Hooks\n2\t\n3\tWrite a command.\n",
	} {
		args, _ := json.Marshal(map[string]string{"path": path})
		call, err := with.Prepare(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		if len(call.Targets) > 0 || call.Effect != tools.Read || call.Title != "read "+path {
			t.Errorf("%s: the call is %+v", path, call)
		}
		if r, err := call.Run(t.Context(), tools.Approved{}); err != nil || r.Text != want {
			t.Errorf("%s: got %q, %v", path, r.Text, err)
		}
		if _, err := without.Prepare(t.Context(), args); err == nil {
			t.Errorf("%s: a tool without a manual reads it", path)
		}
	}
	if _, err := with.Prepare(t.Context(), json.RawMessage(`{"path":"agent:help/x"}`)); err == nil || !strings.Contains(err.Error(), `no topic "x"`) {
		t.Errorf("an unknown topic: %v", err)
	}
	first, _, _ := strings.Cut(with.Spec().Description, "\n")
	if !strings.Contains(first, "agent:help") || strings.Contains(without.Spec().Description, "agent:help") {
		t.Errorf("the first paragraph is %q", first)
	}
	if added := len(with.Spec().Description) - len(without.Spec().Description); added > 4*60 {
		t.Errorf("the description has %d more bytes, which are more than 60 tokens", added)
	}
}
