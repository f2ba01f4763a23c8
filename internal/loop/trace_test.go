package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	tracing "agent/internal/loop/trace"
	"agent/internal/tools"
)

// tracedSpan is a span as a collector reads it.
type tracedSpan struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	Start                               string `json:"startTimeUnixNano"`
	End                                 string `json:"endTimeUnixNano"`
	Attributes                          []struct {
		Key   string
		Value map[string]any
	}
	Status struct {
		Code    int
		Message string
	}
}

// attribute returns the value of an attribute; "" if there is none.
func (s tracedSpan) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			for _, v := range a.Value {
				return fmt.Sprint(v)
			}
		}
	}
	return ""
}

// spansOf returns the spans of the lines of a trace file.
func spansOf(t *testing.T, text []byte) (all []tracedSpan) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var request struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []tracedSpan }
			}
		}
		if err := json.Unmarshal(line, &request); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, r := range request.ResourceSpans {
			for _, s := range r.ScopeSpans {
				all = append(all, s.Spans...)
			}
		}
	}
	return all
}

// tree formats the spans below parent by start, with the attributes called keys.
func tree(t *testing.T, all []tracedSpan, parent, indent string, keys ...string) string {
	t.Helper()
	below := slices.DeleteFunc(slices.Clone(all), func(s tracedSpan) bool { return s.ParentSpanID != parent })
	slices.SortStableFunc(below, func(a, b tracedSpan) int { return strings.Compare(a.Start, b.Start) })
	out := ""
	for _, s := range below {
		if len(s.TraceID) != 32 || len(s.SpanID) != 16 || s.TraceID != all[0].TraceID || s.Start > s.End {
			t.Errorf("%s: trace %q, span %q, from %s to %s", s.Name, s.TraceID, s.SpanID, s.Start, s.End)
		}
		out += fmt.Sprintf("%s%s kind %d status %d", indent, s.Name, s.Kind, s.Status.Code)
		for _, k := range keys {
			if v := s.attribute(k); v != "" {
				out += " " + k[strings.LastIndex(k, ".")+1:] + "=" + v
			}
		}
		out += "\n" + tree(t, all, s.SpanID, indent+"  ", keys...)
	}
	return out
}

// checkNested fails the test if a span is not within the time of its parent.
func checkNested(t *testing.T, all []tracedSpan) {
	t.Helper()
	at := func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }
	for _, s := range all {
		for _, p := range all {
			if s.ParentSpanID == p.SpanID && (at(s.Start) < at(p.Start) || at(s.End) > at(p.End)) {
				t.Errorf("%s (%s to %s) is not within %s (%s to %s)", s.Name, s.Start, s.End, p.Name, p.Start, p.End)
			}
		}
	}
}

// traced plays a prompt and returns the trace file and the messages of the exporter.
// Asks are approved.
func traced(t *testing.T, o loop.Options, endpoint string, content bool) (text []byte, problems []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	x, err := tracing.Open(tracing.Options{File: file, Session: "s1", Content: content, Version: "1", Endpoint: endpoint, Headers: "Authorization=Bearer%20hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	o.Listen = x.Listen
	o.Clock.Now, o.Clock.Sleep = time.Now, func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	play(t, o, []string{"mind the gap"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	problems = x.Close()
	text, err = os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text, problems
}

// tracedTurn returns options whose turn has a failed request, a read, an approved
// write and a tool that fails.
func tracedTurn() loop.Options {
	busy := script.Reply{Err: &llm.Error{Kind: llm.ErrOverloaded, Provider: "script", Status: 529, Message: "the depot is closed", Retry: true}}
	o := options(script.New(busy,
		using(script.Reply{}.Call("c1", "look", args("a")).Call("c2", "change", args("b")).Calls(), 100),
		using(script.Call("c3", "missing", `{"text":"x"}`), 200),
		using(script.Say("all platforms closed"), 300),
	), echo("look", tools.Read), echo("change", tools.Write))
	o.Permissions.Mode = event.ModeAsk
	o.Models.Current.BaseURL = "https://user:hunter2@models.example:8443/v1?key=hunter2"
	o.Models.Current.Cost = func(u llm.Usage) (float64, bool) { return float64(u.Input) / 100, true }
	return o
}

// A trace has a span for each turn, step, request, tool call and approval, in the file
// and at the collector.
func TestTrace(t *testing.T) {
	var mu sync.Mutex
	var sent []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer hunter2" {
			t.Errorf("got %s %v", r.URL, r.Header)
		}
		sent = append(sent, body...)
	}))
	defer server.Close()
	text, problems := traced(t, tracedTurn(), server.URL, false)
	if len(problems) > 0 {
		t.Error(problems)
	}
	all := spansOf(t, text)
	checkNested(t, all)
	got := tree(t, all, "", "", "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "server.address", "server.port", "gen_ai.conversation.id",
		"gen_ai.response.finish_reasons", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "agent.cost_usd", "gen_ai.tool.call.id",
		"agent.tool.outcome", "agent.approval.decision", "agent.turn.reason", "error.type")
	chat := "chat test kind 3 status 0 name=chat name=script model=test address=models.example port=8443 id=s1"
	want := `session kind 1 status 0 id=s1
  invoke_agent agent kind 1 status 0 name=invoke_agent id=s1 input_tokens=600 output_tokens=30 cost_usd=6 reason=done
    step 1 kind 1 status 0 cost_usd=1
      ` + strings.Replace(chat, "status 0", "status 2", 1) + ` type=overloaded
      ` + chat + ` finish_reasons=map[values:[map[stringValue:tool_calls]]] input_tokens=100 output_tokens=10 cost_usd=1
      execute_tool look kind 1 status 0 name=execute_tool id=c1 outcome=ok
      approval change kind 1 status 0 id=c2 decision=allow
      execute_tool change kind 1 status 0 name=execute_tool id=c2 outcome=ok
    step 2 kind 1 status 0 cost_usd=2
      ` + chat + ` finish_reasons=map[values:[map[stringValue:tool_calls]]] input_tokens=200 output_tokens=10 cost_usd=2
      execute_tool missing kind 1 status 2 name=execute_tool id=c3 outcome=error type=error
    step 3 kind 1 status 0 cost_usd=3
      ` + chat + ` finish_reasons=map[values:[map[stringValue:stop]]] input_tokens=300 output_tokens=10 cost_usd=3
`
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
	if d := cmp.Diff(string(sent), string(text)); d != "" {
		t.Errorf("sent (-), in the file (+):\n%s", d)
	}
	for _, content := range []string{"mind the gap", "all platforms", "did b", "depot", "look a", "hunter2"} {
		if bytes.Contains(text, []byte(content)) {
			t.Errorf("the trace has %q", content)
		}
	}
}

// With content, a trace has what the model reads and writes, but no secret of the
// connection.
func TestTraceContent(t *testing.T) {
	text, problems := traced(t, tracedTurn(), "", true)
	if len(problems) > 0 {
		t.Error(problems)
	}
	if bytes.Contains(text, []byte("hunter2")) {
		t.Errorf("the trace has a secret:\n%s", text)
	}
	for _, want := range []struct{ span, key, part string }{
		{"invoke_agent agent", "gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"mind the gap"}]}]`},
		{"invoke_agent agent", "gen_ai.output.messages", `all platforms closed`},
		{"invoke_agent agent", "gen_ai.system_instructions", `[{"type":"text","content":"system`},
		{"chat test", "gen_ai.input.messages", `{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"did a"}]}`},
		{"chat test", "gen_ai.output.messages", `{"type":"tool_call","id":"c2","name":"change","arguments":{"text":"b"}}],"finish_reason":"tool_calls"}`},
		{"execute_tool change", "gen_ai.tool.call.arguments", `{"text":"b"}`},
		{"execute_tool change", "gen_ai.tool.call.result", "did b"},
	} {
		found := slices.ContainsFunc(spansOf(t, text), func(s tracedSpan) bool {
			return s.Name == want.span && strings.Contains(s.attribute(want.key), want.part)
		})
		if !found {
			t.Errorf("no span %s has a %s with %s:\n%s", want.span, want.key, want.part, text)
		}
	}
}

// An interrupted turn ends all of its spans.
func TestTraceOfAnInterruptedTurn(t *testing.T) {
	o := options(script.New(script.Call("c1", "wait", args("x"))), tool("wait", tools.Execute, func(ctx context.Context, _ string) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}))
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	x, err := tracing.Open(tracing.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	o.Listen = x.Listen
	play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if _, ok := e.(*event.ToolStart); ok {
			return []event.Command{event.Interrupt{}}
		}
		return nil
	})
	x.Close()
	text, _ := os.ReadFile(file)
	all := spansOf(t, text)
	want := "session kind 1 status 0\n  invoke_agent agent kind 1 status 0 reason=interrupted\n    step 1 kind 1 status 0\n" +
		"      chat test kind 3 status 0\n      execute_tool wait kind 1 status 0 outcome=interrupted\n"
	if d := cmp.Diff(tree(t, all, "", "", "agent.tool.outcome", "agent.turn.reason"), want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

// A collector that fails or hangs stops neither the turn nor the file, and is reported
// once.
func TestTraceWithoutACollector(t *testing.T) {
	hanging := make(chan struct{})
	for name, answer := range map[string]http.HandlerFunc{
		"fails": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"moved": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"hangs": func(http.ResponseWriter, *http.Request) { <-hanging },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			if name == "hangs" {
				defer close(hanging)
			}
			text, problems := traced(t, tracedTurn(), server.URL, false)
			if len(spansOf(t, text)) != 13 {
				t.Errorf("the file has %d spans", len(spansOf(t, text)))
			}
			if len(problems) != 1 || !strings.HasPrefix(problems[0], "Traces cannot be sent to 127.0.0.1:") {
				t.Errorf("got %q", problems)
			}
		})
	}
}

// What cannot work is an error at the start.
func TestTraceNeedsAFileAndAURL(t *testing.T) {
	for want, o := range map[string]tracing.Options{
		"no such file or directory":                    {File: filepath.Join(t.TempDir(), "none", "trace.jsonl")},
		"OTEL_EXPORTER_OTLP_ENDPOINT must be a URL":    {File: filepath.Join(t.TempDir(), "t"), Endpoint: "localhost:4318"},
		"OTEL_EXPORTER_OTLP_HEADERS must have the for": {File: filepath.Join(t.TempDir(), "t"), Endpoint: "http://h:1", Headers: "secret"},
	} {
		if _, err := tracing.Open(o); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
