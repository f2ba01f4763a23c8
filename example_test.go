package agent_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"agent"
)

// forecast is a server with the API of OpenAI: it asks for the weather, and then says it.
func forecast(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	if !strings.Contains(string(body), `"role":"tool"`) {
		fmt.Fprintln(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]},"finish_reason":"tool_calls"}]}`)
	} else {
		fmt.Fprintln(w, `data: {"choices":[{"delta":{"content":"Take an umbrella."},"finish_reason":"stop"}]}`)
	}
	fmt.Fprint(w, "\ndata: [DONE]\n\n")
}

// A model calls a function of the program. For a real one, leave BaseURL out.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(forecast))
	defer server.Close()

	type place struct {
		City string `json:"city" jsonschema:"the name in English"`
	}
	weather := agent.Func("weather", "Returns today's weather in a city.", func(_ context.Context, in place) (string, error) {
		return "rain in " + in.City, nil
	})
	a, err := agent.New(agent.Options{
		Model:  agent.Model{Name: "openai/any", BaseURL: server.URL + "/v1", Key: "none", Context: 32_000},
		System: "You help people to dress.",
		Tools:  []agent.Tool{weather},
		Limits: agent.Limits{Steps: 10},
		Events: agent.Events{
			OnToken:         func(text string) { fmt.Printf("token %q\n", text) },
			OnToolCallStart: func(c agent.ToolCall) { fmt.Println("call", c.Name, string(c.Arguments)) },
			OnToolCallEnd:   func(_ agent.ToolCall, r agent.ToolResult) { fmt.Println("result", r.Text) },
			OnComplete:      func(a agent.Answer, _ error) { fmt.Println("complete after", a.Steps, "steps") },
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	answer, err := a.Prompt(context.Background(), "What do I need in Oslo?")
	fmt.Println(answer.Text, err, len(a.Messages()), "messages")
	// Output:
	// call weather {"city":"Oslo"}
	// result rain in Oslo
	// token "Take an umbrella."
	// complete after 2 steps
	// Take an umbrella. <nil> 4 messages
}
