package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
	"agent/cmd/agent/toolbox"
	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/catalog"
	"agent/internal/llm/openai"
	"agent/internal/llm/responses"
	"agent/internal/llm/script"
	"agent/internal/llm/text"
	"agent/internal/loop"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// requestCases are the requests in testdata/requests: one for each dialect, family of
// models, window size and mode that makes a difference.
var requestCases = map[string]struct {
	model  string
	window int
	mode   event.Mode
	encode func(llm.Request) ([]byte, error)
}{
	"anthropic":     {"claude-sonnet-4-5", 200_000, event.ModeAsk, anthropic.NewRequest},
	"responses-gpt": {"gpt-5", 400_000, event.ModeAsk, func(r llm.Request) ([]byte, error) { return responses.NewRequest(r, responses.Quirks{}) }},
	"chat":          {"qwen3-coder", 0, event.ModeAsk, chat},
	"chat-gpt":      {"gpt-4.1", 1_000_000, event.ModeAsk, chat},
	"chat-plan-32k": {"qwen3-coder", 32_000, event.ModePlan, chat},
	"chat-8k":       {"qwen3-coder", 8_000, event.ModeAsk, chat},
	"chat-gpt-8k":   {"gpt-oss-20b", 8_000, event.ModeAsk, chat},
	"text-8k":       {"gemma3", 8_000, event.ModeAsk, func(r llm.Request) ([]byte, error) { return chat(text.NewRequest(r, text.Tagged)) }},
}

func chat(r llm.Request) ([]byte, error) { return openai.NewRequest(r, openai.Quirks{}) }

// firstRequest returns the first request of a session with all tools.
func firstRequest(t *testing.T, model string, window int, mode event.Mode) llm.Request {
	t.Helper()
	w, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	jobs := tools.NewJobs()
	defer jobs.Close()
	c := tools.Commands{Workspace: w}
	p := script.New(script.Say("done"))
	events, commands := make(chan event.Event), make(chan event.Command, 1)
	commands <- event.Prompt{Text: "Fix the test."}
	a := loop.NewAgent(loop.Options{
		Models:      loop.ModelOptions{Current: turn.Model{Name: "script/" + model, ID: model, Context: window, Provider: p}, Offer: catalog.Offer},
		Permissions: loop.PermissionOptions{Mode: mode, Attended: true},
		Tools:       append(toolbox.BuiltIn(version, c, nil, jobs, nil), toolbox.Checks(c, []settings.Check{{Files: "*.go", Command: "true"}}).Tools()...),
		Delegates:   delegate.NewPool(delegate.Options{Agents: func() []delegate.Agent { return delegate.BuiltIn(tools.Accepted(toolbox.Every())) }}),
	})
	go a.Run(t.Context(), commands, events)
	for e := range events {
		if _, ok := e.(*event.TurnEnd); ok {
			close(commands)
		}
	}
	return p.Requests()[0]
}

// TestRequests compares requests with golden files. UPDATE=1 writes them.
func TestRequests(t *testing.T) {
	for name, c := range requestCases {
		t.Run(name, func(t *testing.T) {
			body, err := c.encode(firstRequest(t, c.model, c.window, c.mode))
			if err != nil {
				t.Fatal(err)
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, body, "", "  "); err != nil {
				t.Fatal(err)
			}
			// A line break in a text is one in the file.
			got := strings.NewReplacer(`\\`, `\\`, `\n`, "\\n\n").Replace(indented.String()) + "\n"
			file := filepath.Join("..", "..", "testdata", "requests", name+".txt")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, string(want)); d != "" {
				t.Errorf("got (-), want (+); UPDATE=1 go test ./cmd/agent -run Requests writes it:\n%s", d)
			}
		})
	}
}

// A mode changes neither the system prompt nor the tools, so that the provider's cache of
// them stays valid.
func TestModesShareThePrefix(t *testing.T) {
	want := firstRequest(t, "gpt-5", 0, event.ModeAsk)
	for _, mode := range []event.Mode{event.ModePlan, event.ModeAuto, event.ModeAll} {
		got := firstRequest(t, "gpt-5", 0, mode)
		if got.System != want.System || cmp.Diff(got.Tools, want.Tools) != "" {
			t.Errorf("mode %s changes the prefix", mode)
		}
	}
}

// TestSizeOfRequests limits the size of the prefix, in tokens of four bytes.
func TestSizeOfRequests(t *testing.T) {
	tokens := func(r llm.Request) (system, tools int) {
		for _, s := range r.Tools {
			tools += len(s.Name) + len(s.Description) + len(s.Schema)
		}
		return len(r.System) / 4, tools / 4
	}
	for _, model := range []string{"claude-sonnet-4-5", "gpt-5"} {
		for _, window := range []int{0, 32_000, 8_000} {
			r := firstRequest(t, model, window, event.ModeAsk)
			system, tools := tokens(r)
			t.Logf("%s, window %d: system prompt %d tokens, tools %d", model, window, system, tools)
			delegating := 0
			for _, s := range r.Tools {
				if s.Name == "delegate" || s.Name == "present_plan" {
					delegating += len(s.Name) + len(s.Description) + len(s.Schema)
				}
			}
			if delegating/4 > 720 {
				t.Errorf("%s: delegate and present_plan have %d tokens, want at most 720", model, delegating/4)
			}
			if system > 700 {
				t.Errorf("%s: the system prompt has %d tokens, want at most 700", model, system)
			}
			if window == 8_000 && tools > 1000 {
				t.Errorf("%s: the tools have %d tokens in a small window, want at most 1,000", model, tools)
			}
		}
	}
}
