package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/cmd/agent/project"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/toolbox"
	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// toolNotes holds the columns of the table that no tool specification has.
var toolNotes = map[string]struct {
	uses   []string // example calls that have the tool's effects; none if it only affects the conversation
	limits string   // each number also occurs in the tool's specification
}{
	"read":         {[]string{`{"path": "a.txt"}`}, "2000 lines or 50 KB at a time"},
	"list":         {[]string{`{}`}, "2 levels by default"},
	"glob":         {[]string{`{"pattern": "*"}`}, "200 paths"},
	"search":       {[]string{`{"pattern": "a"}`}, "100 matches by default; multiline searches in files up to 2 MB"},
	"edit":         {[]string{`{"path": "a.txt", "old": "a", "new": "b"}`}, "the file must have been read and not changed since"},
	"patch":        {[]string{`{"patch": "*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch"}`}, "same as edit"},
	"write":        {[]string{`{"path": "b.txt", "content": "b\n"}`}, "an existing file must have been read completely and not changed since"},
	"shell":        {[]string{`{"command": "make"}`}, "120 seconds by default, at most 600; then it continues as a job. The model gets 12 KB of the output"},
	"jobs":         {[]string{`{"action": "start", "command": "make"}`, `{"action": "list"}`}, "waits at most 60 seconds for a job to end"},
	"fetch":        {[]string{`{"url": "https://example.org/"}`}, "50 KB at a time; public addresses only"},
	"diagnostics":  {[]string{`{}`}, "the time limits of the checks"},
	"skill":        {[]string{`{}`}, "only if there are skills"},
	"todo":         {nil, "50 items of 200 characters"},
	"ask":          {nil, "2 to 6 choices"},
	"present_plan": {nil, "only in permission mode plan; 1 to 30 steps, 8000 characters in all"},
}

// toolDescriptions replaces descriptions that address the model or refer to the rest
// of the specification.
var toolDescriptions = map[string]string{
	"patch":        "Changes one or more files with a patch",
	"todo":         "Keeps the model's plan for the current task",
	"present_plan": "Presents a plan to the user, who edits, approves or rejects it",
}

func toolTable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	jobs := tools.NewJobs()
	defer jobs.Close()
	c := tools.Commands{Workspace: w}
	ts := append(toolbox.BuiltIn(version, c, nil, jobs, nil), toolbox.Checks(c, []settings.Check{{Files: "*.txt", Command: "true"}}).Tools()...)
	ts = append(ts, project.Open(dir, func(string) string { return "" }).SkillTool())
	var b strings.Builder
	b.WriteString("| tool | description | effect | limits and conditions |\n|---|---|---|---|\n")
	for _, s := range offered(t, ts) {
		note, ok := toolNotes[s.Name]
		if !ok {
			t.Errorf("toolNotes has no row for %s", s.Name)
		}
		var effects []string
		for _, use := range note.uses {
			effects = append(effects, effectOf(t, ts, s.Name, use))
		}
		for _, n := range number.FindAllString(note.limits, -1) {
			if !slices.Contains(number.FindAllString(s.Description+string(s.Schema), -1), n) {
				t.Errorf("%s: the limit %s is missing in the specification that the model gets", s.Name, n)
			}
		}
		what, _, _ := strings.Cut(s.Description, "\n")
		what, _, _ = strings.Cut(what, ". ")
		what = cmp.Or(toolDescriptions[s.Name], strings.TrimSuffix(what, "."))
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, what, cmp.Or(strings.Join(effects, ", "), "none"), note.limits)
	}
	return b.String()
}

var number = regexp.MustCompile(`[0-9]+`)

// offered returns the tools in the first request of a session.
func offered(t *testing.T, ts []tools.Tool) []llm.ToolSpec {
	t.Helper()
	p := script.New(script.Say("no tools needed"))
	events, commands := make(chan event.Event), make(chan event.Command, 1)
	commands <- event.Prompt{Text: "list the tools"}
	a := loop.NewAgent(loop.Options{
		Models:      loop.ModelOptions{Current: turn.Model{Name: "script/one", Provider: p}},
		Permissions: loop.PermissionOptions{Attended: true}, Tools: ts,
	})
	go a.Run(t.Context(), commands, events)
	for e := range events {
		if _, ok := e.(*event.TurnEnd); ok {
			close(commands)
		}
	}
	return p.Requests()[0].Tools
}

func effectOf(t *testing.T, ts []tools.Tool, name, use string) string {
	t.Helper()
	i := slices.IndexFunc(ts, func(t tools.Tool) bool { return t.Spec().Name == name })
	c, err := ts[i].Prepare(t.Context(), json.RawMessage(use))
	if err != nil {
		t.Fatalf("%s %s: %v", name, use, err)
	}
	return string(c.Effect)
}
