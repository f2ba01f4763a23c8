package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/exit"
)

// jsonOf decodes JSON into plain values.
func jsonOf(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// TestInspectPrintsTheRequestsThatWereSent compares each step with what the server
// received, in a session with an image-free prompt, calls, a note and a resume.
func TestInspectPrintsTheRequestsThatWereSent(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"openai/m", "anthropic/claude-sonnet-5"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			s := serve(t,
				call("read", `{"path":"a.txt"}`, "read", `{"path":"none.txt"}`),
				answer{text: "I change it.", calls: []string{"edit", `{"path":"a.txt","old":"one","new":"two"}`}},
				say("Done \u001b[2J\u009b2J."), call("read", `{"path":"a.txt"}`), say("It says two."))
			h := newHome(t, map[string]string{"a.txt": "one\n", "AGENTS.md": "Speak plainly.\n"},
				append(at(s), "ANTHROPIC_BASE_URL="+s.URL, "ANTHROPIC_API_KEY="+testKey)...)
			h.agent(t, "run", "--model", model, "--mode", "auto", "--effort", "high", "change it")
			if out, code := h.agent(t, "run", "--model", model, "--continue", "--max-steps", "1", "what does it say?"); code != exit.Limit {
				t.Fatalf("exit code %d: %s", code, out)
			}
			id, requests := h.ids(t)[0], s.seen()
			if len(requests) != 5 {
				t.Fatalf("%d requests", len(requests))
			}
			for i, sent := range requests {
				out, code := h.agent(t, "inspect", id, "--step", fmt.Sprint(i+1), "--output", "json")
				got, ok := jsonOf(t, out).(map[string]any)
				if !ok || code != 0 {
					t.Fatalf("exit code %d: %s", code, out)
				}
				if d := cmp.Diff(got["request"], jsonOf(t, sent.body)); d != "" {
					t.Errorf("step %d (-inspect +sent):\n%s", i+1, d)
				}
				if got["rebuilt_with_todays_prompt"] != false || strings.Contains(out, testKey) {
					t.Errorf("step %d: %s", i+1, out)
				}
			}
			out, _ := h.agent(t, "inspect", id, "--step", "2")
			for _, want := range []string{
				"Step 2 of 5 · " + model + " · dialect ", "\ntool edit ", "\nsystem ", "\nuser ", "\ntool_call read ", "\nall, estimated ",
				"\nThe provider counted 1200 input tokens: 0 read from its cache (0 %), 0 written to it.\n",
				"\nSince step 1: tools unchanged, system prompt unchanged, the first ", " unchanged, 0 removed, ", " added.\n",
			} {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in:\n%s", want, out)
				}
			}
		})
	}
}

func TestInspectEncodesForOtherDialects(t *testing.T) {
	t.Parallel()
	s := serve(t, call("read", `{"path":"a.txt"}`), say("Done."))
	h := newHome(t, map[string]string{"a.txt": "one\n"}, at(s)...)
	h.agent(t, "run", "--model", "openai/m", "read it")
	id := h.ids(t)[0]
	for dialect, field := range map[string]string{"openai": "messages", "responses": "input", "anthropic": "system"} {
		out, code := h.agent(t, "inspect", id, "--dialect", dialect, "--output", "json")
		got, _ := jsonOf(t, out).(map[string]any)
		request, _ := got["request"].(map[string]any)
		if code != 0 || got["dialect"] != dialect || request[field] == nil || request["tools"] == nil {
			t.Errorf("%s: exit code %d: %s", dialect, code, out)
		}
	}
	for want, args := range map[string][]string{
		`agent: --dialect: unknown dialect "latin": use openai, responses or anthropic`:                  {"--dialect", "latin", id},
		"agent: --step: steps are counted from 1":                                                        {"--step", "0", id},
		"agent: inspect session " + id + ": there is no step 9: the session has steps 1 to 2":            {"--step", "9", id},
		"agent: there is no such session: \"nosuch\". To list all sessions: agent sessions --all":        {"nosuch"},
		"agent: expected one session ID: agent inspect SESSION\nRun 'agent inspect --help' for usage.\n": {},
	} {
		if out, code := h.agent(t, append([]string{"inspect"}, args...)...); code == 0 || !strings.HasPrefix(out, want) {
			t.Errorf("exit code %d: got %q, want %q", code, out, want)
		}
	}
}

// Sessions of older versions did not record their prompt.
func TestInspectRebuildsOldSessions(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	log, err := os.ReadFile("../../testdata/sessions/compacted.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(h.dir, ".local", "state", "agent", "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	header, _ := jsonOf(t, strings.SplitN(string(log), "\n", 2)[0]).(map[string]any)
	id := fmt.Sprint(header["id"])
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), log, 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := h.agent(t, "inspect", id)
	for _, want := range []string{"the request is rebuilt with the current ones.\n", "\ntool read ", "\nsystem ", "\ntool_result "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %q is missing: %s", code, want, out)
		}
	}
}

func TestInspectInASession(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Fine."))
	h := newHome(t, nil, at(s)...)
	cmd := h.command("--model", "openai/m", "--plain")
	cmd.Stdin = strings.NewReader("/inspect\nhello\n/inspect\n")
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"Cannot inspect: no request of this session has an answer yet", "Step 1 of 1 · openai/m · dialect openai"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, %q is missing in:\n%s", err, want, out)
		}
	}
}
