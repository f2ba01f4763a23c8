package loop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/openai"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
)

// Every prefix of a session, damaged, rewound or compacted, is a conversation that the
// providers accept with the next prompt.
func TestEveryPrefixIsAccepted(t *testing.T) {
	logs := map[string][]history.Record{"rewound and cut": eventful(t)}
	logs["everything"], _ = fullSession(t)
	logs["old"] = recordsOf(t, append(oldConversation(), &event.Compacted{Replies: 1})...)
	names, err := filepath.Glob(filepath.Join("..", "history", "testdata", "*", "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("got %v, %v, want the logs of every format", names, err)
	}
	for _, name := range names {
		logs[name] = readable(t, name)
	}
	tried := 0
	for name, records := range logs {
		tried += len(records) + 1
		t.Run(filepath.Base(name), func(t *testing.T) {
			for n := range len(records) + 1 {
				state, err := session.ReplayRecords(of(records[:n]))
				if err != nil {
					t.Fatalf("%d records: %v", n, err)
				}
				msgs := append(state.Messages, llm.Message{Kind: llm.User, Text: "continue"})
				if err := acceptedByAnthropic(msgs); err != nil {
					t.Errorf("%d records, anthropic: %v", n, err)
				}
				if err := acceptedByOpenAI(msgs); err != nil {
					t.Errorf("%d records, openai: %v", n, err)
				}
			}
		})
	}
	t.Attr("promise", fmt.Sprintf("every prefix of a session resumes as a conversation that the providers accept: prefixes tried: %d", tried))
}

// readable returns the readable records of a log.
func readable(t *testing.T, name string) (records []history.Record) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sessions", "x.jsonl"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := history.Open(dir).View("x")
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for r, err := range v.From(0) {
		if errors.As(err, new(history.Problem)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// eventful plays a session with a rewind and a compaction, and returns its records.
func eventful(t *testing.T) (records []history.Record) {
	t.Helper()
	p := script.New(append(lookups(10), script.Say("done"), script.Say("more"), script.Call("c1", "look", args("again")), script.Say("end"))...)
	o := options(p, verbose())
	o.Models.Current.Context = 0
	o.Log = history.Open(t.TempDir()).Create(history.Header{Dir: "/w"})
	defer o.Log.Close()
	command(t, o, []event.Command{
		event.Prompt{Text: "one"}, event.Compact{}, event.Prompt{Text: "two"}, event.Rewind{Keep: 12}, event.Prompt{Text: "three"},
	}, carriedOut)
	sameAsReplayed(t, o.Log, p)
	for r, err := range recorded(o.Log) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// acceptedByAnthropic returns why Anthropic would reject a conversation: roles that do
// not alternate, calls without results right after them, results without calls.
func acceptedByAnthropic(msgs []llm.Message) error {
	body, err := anthropic.NewRequest(llm.Request{Model: "claude-sonnet-4-5", Messages: msgs})
	if err != nil {
		return err
	}
	var req struct {
		Messages []struct {
			Role    string `json:"role"`
			Content []struct {
				Type string `json:"type"`
				ID   string `json:"id"`
				Of   string `json:"tool_use_id"`
			} `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	var open []string
	for i, m := range req.Messages {
		if role := []string{"user", "assistant"}[i%2]; m.Role != role || len(m.Content) == 0 {
			return fmt.Errorf("message %d is of the %s with %d blocks", i, m.Role, len(m.Content))
		}
		var calls, results []string
		for _, c := range m.Content {
			switch c.Type {
			case "tool_use":
				calls = append(calls, c.ID)
			case "tool_result":
				results = append(results, c.Of)
			}
		}
		if !sameCalls(open, results) {
			return fmt.Errorf("message %d has results of %q where %q are open", i, results, open)
		}
		open = calls
	}
	return nil
}

// acceptedByOpenAI returns why OpenAI would reject a conversation: calls without
// results right after them, results without calls.
func acceptedByOpenAI(msgs []llm.Message) error {
	body, err := openai.NewRequest(llm.Request{Model: "gpt-4o", Messages: msgs}, openai.Quirks{})
	if err != nil {
		return err
	}
	var req struct {
		Messages []struct {
			Role  string `json:"role"`
			Of    string `json:"tool_call_id"`
			Calls []struct {
				ID string `json:"id"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return err
	}
	var open, results []string
	for i, m := range append(req.Messages, req.Messages[0]) {
		if m.Role == "tool" {
			results = append(results, m.Of)
			continue
		}
		if !sameCalls(open, results) {
			return fmt.Errorf("message %d follows results of %q where %q are open", i, results, open)
		}
		open, results = nil, nil
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
	}
	return nil
}

// sameCalls reports whether both are the same, in any order.
func sameCalls(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
