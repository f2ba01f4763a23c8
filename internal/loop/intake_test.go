package loop_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/tools"
	"agent/internal/tools/fetch"
	"agent/internal/tools/intake"
	"agent/internal/tools/workspace"
)

// maxErrorTokens limits the error for a call that is not understood, at 4 bytes each.
const maxErrorTokens = 60

// everyTool returns what all tools accept.
func everyTool(t *testing.T) intake.Tools {
	t.Helper()
	jobs := tools.NewJobs()
	t.Cleanup(jobs.Close)
	all := append(tools.Files(nil, nil), tools.Commands{}.Tools(jobs)...)
	all = append(all, fetch.Tool(fetch.Options{}, nil))
	return tools.Accepted(append(all, loop.SessionTools()...))
}

// understood returns a call as "tool {arguments} ignored [notes]", or the error.
func understood(t *testing.T, all intake.Tools, name, raw string) string {
	t.Helper()
	c, err := all.Read(name, raw)
	if err != nil {
		if n := len(err.Error()) / 4; n > maxErrorTokens {
			t.Errorf("%s %.80s: the error has %d tokens: %v", name, raw, n, err)
		}
		for _, internal := range []string{"struct", "json:", "Go value", "validating"} {
			if strings.Contains(err.Error(), internal) {
				t.Errorf("%s %.80s: the error names internals: %v", name, raw, err)
			}
		}
		return "error: " + err.Error()
	}
	again, err := all.Read(c.Tool, string(c.Arguments))
	if err != nil || string(again.Arguments) != string(c.Arguments) {
		t.Errorf("%s %.80s: understood again as %s, %v", name, raw, again.Arguments, err)
	}
	text := fmt.Sprint(c.Tool, " ", string(c.Arguments), " ", strings.Join(c.Ignored, ","))
	for _, note := range c.Notes {
		text += " [" + note + "]"
	}
	return strings.TrimSpace(text)
}

// TestCallCases reads calls that models made in other assistants.
func TestCallCases(t *testing.T) {
	cases := os.Getenv("AGENT_CASES")
	if cases == "" {
		t.Skip("AGENT_CASES is not set")
	}
	all := everyTool(t)
	for file, least := range map[string]float64{"calls.jsonl": 0.98, "shapes.jsonl": 0.95} {
		f, err := os.Open(filepath.Join(cases, file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		accepted, total := 0, 0
		for ; lines.Scan(); total++ {
			var c struct {
				ID, Tool, Raw string
				Arguments     json.RawMessage
				Hint          []string
				Expect        struct {
					Tool      string
					Arguments map[string]any
				}
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			raw := cmp.Or(string(c.Arguments), c.Raw)
			got := understood(t, all, c.Tool, raw)
			if ok := reads(t, all, c.Tool, raw, file == "calls.jsonl", c.Expect.Tool, c.Expect.Arguments); c.Hint == nil && ok {
				accepted++
			} else if c.Hint != nil && strings.HasPrefix(got, "error") && !missesAny(got, c.Hint) {
				accepted++
			} else if !strings.HasPrefix(got, "error") {
				t.Errorf("%s has another meaning: %.300s", c.ID, got)
			} else {
				t.Logf("%s: %.300s", c.ID, got)
			}
		}
		t.Logf("%s: %d of %d", file, accepted, total)
		if total == 0 || float64(accepted) < least*float64(total) {
			t.Errorf("%s: %d of %d calls are accepted", file, accepted, total)
		}
	}
}

// reads reports whether a call is understood as tool with arguments. noLines leaves
// out the range of lines.
func reads(t *testing.T, all intake.Tools, name, raw string, noLines bool, tool string, arguments map[string]any) bool {
	c, err := all.Read(name, raw)
	if err != nil {
		return false
	}
	var got map[string]any
	if err := json.Unmarshal(c.Arguments, &got); err != nil {
		t.Fatal(err)
	}
	if noLines {
		delete(got, "offset")
		delete(got, "limit")
	}
	return c.Tool == tool && diff.Equal(got, arguments)
}

func missesAny(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func TestCallsAreUnderstood(t *testing.T) {
	table, err := os.ReadFile("testdata/intake.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := everyTool(t)
	var got strings.Builder
	for line := range strings.Lines(string(table)) {
		sent, isCall := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> ")
		if strings.HasPrefix(line, "#") || line == "\n" {
			got.WriteString(line)
		}
		if isCall {
			name, raw, _ := strings.Cut(sent, " ")
			raw = strings.NewReplacer("␉", "\t", "␊", "\n").Replace(raw)
			fmt.Fprintf(&got, "> %s\n%s\n", sent, understood(t, all, name, raw))
		}
	}
	if *update {
		if err := os.WriteFile("testdata/intake.txt", []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if d := diff.Diff(string(table), got.String()); d != "" && !*update {
		t.Errorf("want (-), got (+):\n%s", d)
	}
}

// The history, the next request and the result have the repaired call.
func TestRepairedCallIsStored(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	p := script.New(script.Reply{}.
		Call("c1", "Read", `{"file_path":"a.go","description":"look"}`).
		Call("c2", "read_file", "{'path': 'a.go', }").
		Call("c3", "Read", `path is a.go`).Calls(), script.Say("done"))
	for _, e := range play(t, options(p, tools.Files(w, nil)...), []string{"go"}, nil) {
		if m, ok := e.(*event.MessageDone); ok && m.Message.Kind == llm.ToolCall && m.Message.Name != "read" {
			t.Errorf("the screen gets a call of %s", m.Message.Name)
		}
	}
	var got []string
	for _, m := range p.Requests()[1].Messages {
		switch m.Kind {
		case llm.ToolCall:
			got = append(got, m.Name+" "+string(m.Input))
		case llm.ToolResult:
			got = append(got, m.Text)
		}
	}
	if d := diff.Diff(got, []string{
		`read {"path":"a.go"}`, `read {"path":"a.go"}`, `read {}`,
		"1\tpackage a\n[ignored: description]\n", "1\tpackage a\n",
		"the arguments of read are not valid JSON at path is a.go. Send the call again",
	}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestEmptyObjectsDoNotHang(t *testing.T) {
	if got := understood(t, everyTool(t), "read", strings.Repeat("{}", 2<<20)); !strings.HasPrefix(got, "error: ") {
		t.Errorf("got %s", got)
	}
}

// The current directory is that of the moment when a call runs. A call was recorded
// before the earlier calls of its reply ran.
func TestCallsOfAnotherDirectoryDoNotRun(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sub", "sub/sub"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	p := script.New(script.Reply{}.
		Call("c1", "shell", `{"command":"cd sub"}`).
		Call("c2", "shell", `{"command":"touch here","workdir":"."}`).
		Call("c3", "shell", `{"command":"touch there","workdir":"sub"}`).Calls(), script.Say("done"))
	play(t, options(p, tools.Commands{Workspace: w}.Tools(nil)...), []string{"go"}, nil)
	for _, name := range []string{"sub/here", "sub/sub/there"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written: the call ran in another directory than the model named", name)
		}
	}
	for _, m := range p.Requests()[1].Messages {
		if m.Kind == llm.ToolResult && m.ID != "c1" && !strings.Contains(m.Text, "Send the call again") {
			t.Errorf("%s: got %q", m.ID, m.Text)
		}
	}
}
