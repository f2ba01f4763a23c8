package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent"
)

// model is a server with the API of OpenAI. It answers each request with the next of its
// replies, and repeats the last one.
type model struct {
	replies []string // chunks of the stream; "401" is an error
	bodies  []string
}

const (
	says = `{"choices":[{"delta":{"content":"done"},"finish_reason":"stop"}]}`
	// calls is a call of the tool add.
	calls = `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c%d","function":{"name":%q,"arguments":%q}}]},"finish_reason":"tool_calls"}]}`
)

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	reply := m.replies[min(len(m.bodies), len(m.replies)-1)]
	m.bodies = append(m.bodies, string(body))
	if reply == "401" {
		http.Error(w, `{"error":{"message":"bad key"}}`, http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", reply)
}

// open returns an agent with that model, and what its events say.
func (m *model) open(t *testing.T, o agent.Options) (a *agent.Agent, told *[]string) {
	t.Helper()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	told = new([]string)
	tell := func(format string, args ...any) { *told = append(*told, fmt.Sprintf(format, args...)) }
	o.Model = agent.Model{Name: "openai/any", BaseURL: server.URL + "/v1", Key: "secret", Context: 32_000}
	o.Events = agent.Events{
		OnToken:         func(text string) { tell("token %s", text) },
		OnToolCallStart: func(c agent.ToolCall) { tell("start %s %s", c.Name, c.Arguments) },
		OnToolCallEnd:   func(c agent.ToolCall, r agent.ToolResult) { tell("end %s %v %s", c.Name, r.IsError, r.Text) },
		OnComplete:      func(_ agent.Answer, err error) { tell("complete %v", err) },
	}
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a, told
}

type numbers struct {
	A int `json:"a"`
	B int `json:"b"`
}

// add is a tool that fails for a negative number and panics for 13.
func add() agent.Tool {
	return agent.Func("add", "Adds two numbers.", func(_ context.Context, in numbers) (string, error) {
		switch {
		case in.A < 0:
			return "", errors.New("a is negative")
		case in.A == 13:
			panic("13")
		}
		return fmt.Sprint(in.A + in.B), nil
	})
}

func TestCalls(t *testing.T) {
	t.Parallel()
	m := &model{replies: []string{
		fmt.Sprintf(calls, 1, "add", `{"a":-1,"b":2}`), fmt.Sprintf(calls, 2, "add", `{"a":1,"b":2}`),
		fmt.Sprintf(calls, 3, "add", `{"a":"x"}`), fmt.Sprintf(calls, 4, "shell", `{"command":"ls"}`), says,
	}}
	a, told := m.open(t, agent.Options{System: "You add.", Tools: []agent.Tool{add()}})
	answer, err := a.Prompt(t.Context(), "1+2?")
	if err != nil || answer.Text != "done" || answer.Steps != 5 {
		t.Errorf("got %+v, %v", answer, err)
	}
	var ends []string
	for i, line := range *told {
		if strings.HasPrefix(line, "end ") {
			ends = append(ends, strings.Join(strings.Fields(line)[:3], " "))
			if !strings.HasPrefix((*told)[i-1], "start "+strings.Fields(line)[1]) {
				t.Errorf("%q does not follow its start", line)
			}
		}
	}
	if diff := cmp.Diff(ends, []string{"end add true", "end add false", "end add true", "end shell true"}); diff != "" {
		t.Errorf("ends (-got +want):\n%s\nall: %q", diff, *told)
	}
	if last := (*told)[len(*told)-1]; last != "complete <nil>" {
		t.Errorf("the last event is %q", last)
	}
	var sent struct {
		Messages []struct{ Role, Content string }
		Tools    []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(m.bodies[0]), &sent); err != nil {
		t.Fatal(err)
	}
	if len(sent.Tools) != 1 || sent.Tools[0].Function.Name != "add" {
		t.Errorf("the tools are %+v, want only add", sent.Tools)
	}
	if len(sent.Messages) != 2 || sent.Messages[0].Content != "You add." || sent.Messages[1].Content != "1+2?" {
		t.Errorf("the messages are %+v", sent.Messages)
	}
	if got := a.Messages(); len(got) != 10 || got[0].Text != "1+2?" || got[9].Text != "done" {
		t.Errorf("the conversation is %+v", got)
	}
}

// TestConversation sends a second prompt, after a function that panicked.
func TestConversation(t *testing.T) {
	t.Parallel()
	m := &model{replies: []string{fmt.Sprintf(calls, 1, "add", `{"a":13,"b":2}`), says}}
	a, told := m.open(t, agent.Options{Tools: []agent.Tool{add()}})
	for _, text := range []string{"one", "two"} {
		if _, err := a.Prompt(t.Context(), text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if !strings.HasPrefix((*told)[1], "end add true") {
		t.Errorf("the panic was told as %q", *told)
	}
	if last := m.bodies[len(m.bodies)-1]; !strings.Contains(last, `"one"`) || !strings.Contains(last, `"two"`) {
		t.Errorf("the last request lacks a prompt: %s", last)
	}
}

// TestInterrupt ends the context while a function runs. The agent can go on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	m := &model{replies: []string{fmt.Sprintf(calls, 1, "wait", `{}`), says}}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	wait := agent.Func("wait", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
		cancel(why)
		<-ctx.Done()
		return "", ctx.Err()
	})
	a, told := m.open(t, agent.Options{Tools: []agent.Tool{wait}})
	if _, err := a.Prompt(ctx, "go"); !errors.Is(err, why) {
		t.Errorf("got error %v, want the cause of the context", err)
	}
	if answer, err := a.Prompt(t.Context(), "again"); err != nil || answer.Text != "done" {
		t.Errorf("the next prompt: %+v, %v; %q", answer, err, *told)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := a.Prompt(ended, "too late"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	a.Close()
	if _, err := a.Prompt(t.Context(), "more"); err == nil {
		t.Error("a closed agent takes a prompt")
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		replies []string
		limits  agent.Limits
		reason  string
	}{
		{"steps", []string{fmt.Sprintf(calls, 1, "add", `{"a":1,"b":2}`), fmt.Sprintf(calls, 2, "add", `{"a":2,"b":2}`), says}, agent.Limits{Steps: 1}, "max_steps"},
		{"key", []string{"401"}, agent.Limits{}, "error"},
	} {
		m := &model{replies: c.replies}
		a, _ := m.open(t, agent.Options{Tools: []agent.Tool{add()}, Limits: c.limits})
		answer, err := a.Prompt(t.Context(), "go")
		var ended *agent.Error
		if !errors.As(err, &ended) || ended.Reason != c.reason || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "--") {
			t.Errorf("%s: got %+v, error %v, want the reason %q", c.name, answer, err, c.reason)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	ok := agent.Model{Name: "openai/any", Key: "k"}
	other := func(name string) agent.Tool {
		return agent.Func(name, "", func(context.Context, struct{}) (string, error) { return "", nil })
	}
	for _, c := range []struct {
		o    agent.Options
		want string
	}{
		{agent.Options{}, "Model.Name is empty"},
		{agent.Options{Model: agent.Model{Name: "nobody/any", Key: "k"}}, "nobody"},
		{agent.Options{Model: agent.Model{Name: "offline"}}, "guide"},
		{agent.Options{Model: agent.Model{Name: "openai/any", Key: "k", BaseURL: "localhost"}}, "localhost"},
		{agent.Options{Model: ok, Tools: []agent.Tool{other("a b")}}, `"a b"`},
		{agent.Options{Model: ok, Tools: []agent.Tool{other("a"), other("a")}}, "two tools"},
	} {
		a, err := agent.New(c.o)
		if err == nil {
			a.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want one about %q", err, c.want)
		}
	}
}
