package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/elicit"
	"agent/internal/tools"
	"agent/internal/tools/mcp"
)

// person is a schema with a field of each kind.
const person = `{"type":"object","required":["name","color"],"properties":{
	"age":{"type":"integer","minimum":0,"maximum":150},
	"color":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]},
	"mail":{"type":"string","format":"email"},
	"name":{"type":"string","title":"Full \u001b[2Jname","minLength":2},
	"pets":{"type":"array","items":{"anyOf":[{"const":"c","title":"Cat"},{"const":"d","title":"Dog"}]}},
	"subscribe":{"type":"boolean","default":true}}}`

// curious returns a server whose tools ask the user: the tool ask for what its arguments
// say, and the others as their names say.
func curious() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "curious", Version: "1"}, nil)
	add := func(name string, run func(context.Context, *sdk.CallToolRequest) (string, error)) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			text, err := run(ctx, r)
			if err != nil {
				return nil, err
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
	}
	elicit := func(ctx context.Context, r *sdk.CallToolRequest, p *sdk.ElicitParams) string {
		got, err := r.Session.Elicit(ctx, p)
		if err != nil {
			return "error: " + err.Error()
		}
		b, _ := json.Marshal(got.Content)
		return got.Action + " " + string(b)
	}
	add("ask", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		var p sdk.ElicitParams
		if err := json.Unmarshal(r.Params.Arguments, &p); err != nil {
			return "", err
		}
		return elicit(ctx, r, &p), nil
	})
	add("flood", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		var all []string
		for range 25 {
			all = append(all, elicit(ctx, r, &sdk.ElicitParams{Message: "more?"}))
		}
		return strings.Join(all, ","), nil
	})
	var finished atomic.Bool
	add("required", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		if finished.Load() {
			return "logged in", nil
		}
		if strings.Contains(string(r.Params.Arguments), "finish") {
			finished.Store(true)
			_ = r.Session.NotifyElicitationComplete(ctx, &sdk.ElicitationCompleteParams{ElicitationID: "7"})
		}
		return "", sdk.URLElicitationRequiredError([]*sdk.ElicitParams{{Mode: "url", Message: "Log in", URL: "https://example.com/login", ElicitationID: "7"}})
	})
	s.AddTool(&sdk.Tool{Name: "rounds", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		got, _ := r.Params.InputResponses["who"].(*sdk.ElicitResult)
		if got == nil {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{Message: "Who?", RequestedSchema: json.RawMessage(person)}}}, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf("%s %v", got.Action, got.Content["name"])}}}, nil
	})
	return s
}

// asking connects to the curious server, over the old protocol if old is set, and
// returns a function that calls one of its tools.
func asking(t *testing.T, old, asks bool, silence time.Duration) (c *mcp.Connections, call func(tool, args string, ask func(context.Context, elicit.Form) (elicit.Reply, error)) string) {
	t.Helper()
	server := curious()
	get := func(*http.Request) *sdk.Server { return server }
	var handler http.Handler = sdk.NewStreamableHTTPHandler(get, nil)
	if old {
		handler = sdk.NewSSEHandler(get, nil)
	}
	w := httptest.NewServer(handler)
	t.Cleanup(w.Close)
	c = connect(t, mcp.Options{Servers: []mcp.Server{{Name: "desk", URL: w.URL, SSE: old, Silence: silence}}, Asks: asks})
	return c, func(tool, args string, ask func(context.Context, elicit.Form) (elicit.Reply, error)) string {
		r, err := c.Call(t.Context(), "desk", tool, json.RawMessage(args), tools.Approved{Ask: ask})
		if err != nil {
			return "failed: " + err.Error()
		}
		return r.Text
	}
}

// reply returns a function that replies to every form.
func reply(r elicit.Reply) func(context.Context, elicit.Form) (elicit.Reply, error) {
	return func(context.Context, elicit.Form) (elicit.Reply, error) { return r, nil }
}

func form(message, schema string) string {
	return fmt.Sprintf(`{"mode":"form","message":%q,"requestedSchema":%s}`, message, schema)
}

func TestServerAsksTheUser(t *testing.T) {
	t.Parallel()
	var seen elicit.Form
	_, call := asking(t, true, true, time.Second)
	got := call("ask", form("Who are you?", person), func(ctx context.Context, f elicit.Form) (elicit.Reply, error) {
		seen = f
		select { // longer than the server may be silent
		case <-time.After(1200 * time.Millisecond):
		case <-ctx.Done():
			return elicit.Reply{}, ctx.Err()
		}
		return elicit.Reply{Action: elicit.Accept, Values: map[string]any{"name": "Ann", "color": "g", "pets": []any{"d"}, "age": 7.0}}, nil
	})
	if want := `accept {"age":7,"color":"g","name":"Ann","pets":["d"],"subscribe":true}` + "\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	n := func(f float64) *float64 { return &f }
	want := elicit.Form{Server: "desk", Tool: "ask", Message: "Who are you?", Fields: []elicit.Field{
		{Name: "name", Title: "Full \x1b[2Jname", Kind: elicit.Text, Required: true, Min: n(2)},
		{Name: "color", Kind: elicit.One, Required: true, Choices: []elicit.Choice{{Value: "r", Title: "Red"}, {Value: "g", Title: "Green"}}},
		{Name: "age", Kind: elicit.Integer, Min: n(0), Max: n(150)},
		{Name: "mail", Kind: elicit.Text, Format: "email"},
		{Name: "pets", Kind: elicit.Some, Choices: []elicit.Choice{{Value: "c", Title: "Cat"}, {Value: "d", Title: "Dog"}}},
		{Name: "subscribe", Kind: elicit.YesNo, Default: true},
	}}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	for name, c := range map[string]struct {
		reply elicit.Reply
		want  string
	}{
		"declined":  {elicit.Reply{Action: elicit.Decline}, "decline null\n[1 question of the server without an answer: the user declined]\n"},
		"not valid": {elicit.Reply{Action: elicit.Accept, Values: map[string]any{"name": "A", "color": "g"}}, "decline null\n[1 question of the server without an answer: the values are not valid: Full [2Jname: enter at least 2 characters]\n"},
	} {
		if got := strings.ReplaceAll(call("ask", form("Who?", person), reply(c.reply)), "\x1b", ""); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestServerOfTheNewProtocolAsks(t *testing.T) {
	t.Parallel()
	_, call := asking(t, false, true, time.Minute)
	if got := call("rounds", `{}`, reply(elicit.Reply{Action: elicit.Accept, Values: map[string]any{"name": "Ann", "color": "r"}})); got != "accept Ann\n" {
		t.Errorf("got %q", got)
	}
	if got := call("rounds", `{}`, reply(elicit.Reply{Action: elicit.Decline})); !strings.HasPrefix(got, "decline <nil>\n") {
		t.Errorf("got %q", got)
	}
}

// A question is declined at once if no user can answer it, or if no call runs.
func TestNobodyAnswersAServer(t *testing.T) {
	t.Parallel()
	c, call := asking(t, true, true, time.Minute)
	if got := call("ask", form("Who?", person), nil); got != "decline null\n[1 question of the server without an answer: no user can answer in this run]\n" {
		t.Errorf("got %q", got)
	}
	if log := c.Log("desk"); !strings.Contains(log, "declined a question of the server: no user can answer") {
		t.Errorf("the log is %q", log)
	}
	_, call = asking(t, true, false, time.Minute)
	if got := call("ask", form("Who?", person), nil); !strings.Contains(got, "client does not support elicitation") {
		t.Errorf("the client says that it can answer: %q", got)
	}
}

func TestHostileQuestions(t *testing.T) {
	t.Parallel()
	asked := 0
	_, call := asking(t, true, true, time.Minute)
	accept := func(context.Context, elicit.Form) (elicit.Reply, error) {
		asked++
		return elicit.Reply{Action: elicit.Accept}, nil
	}
	many := []string{}
	for i := range 10_000 {
		many = append(many, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	page := func(url string) string {
		return fmt.Sprintf(`{"mode":"url","url":%q,"elicitationId":"1","message":"go"}`, url)
	}
	for args, want := range map[string]string{
		form("?", `{"type":"object","properties":{`+strings.Join(many, ",")+`}}`):                                "10000 fields",
		form("?", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`): `its type "object"`,
		form("?", `{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)"}}}`):                    "its pattern cannot be checked",
		form("?", `{"type":"object","properties":{"a":{"type":"string","enum":["x","x"]}}}`):                     "the same choice twice",
		form("?", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}`):             "has 0 choices",
		form("?", `{"type":"object","required":["b"],"properties":{"a":{"type":"string"}}}`):                     "requires a field that it does not have",
		form("?", `{"type":"object","properties":{"`+strings.Repeat("n", 300)+`":{"type":"string"}}}`):           "longer than 200 bytes",
		page("http://example.com/"):                        "does not begin with https",
		page("file:///etc/passwd"):                         "does not begin with https",
		page("https://bank.com@evil.example"):              "contains a user name",
		page("https://bank.com\\@evil.org/"):               "the URL is not valid",
		page("https://x.org/" + strings.Repeat("a", 3000)): "longer than 2000 bytes",
	} {
		if got := call("ask", args, accept); asked != 0 || !strings.HasPrefix(got, "decline null\n") || !strings.Contains(got, want) {
			t.Errorf("%.100s: asked %d times, got %q, want %q", args, asked, got, want)
		}
		asked = 0
	}
	if got := call("flood", `{}`, accept); asked != 20 || strings.Count(got, "accept") != 20 || strings.Count(got, "decline null") != 5 || !strings.Contains(got, "5 questions of the server") {
		t.Errorf("asked %d times, got %q", asked, got)
	}
	var shown elicit.Form
	call("ask", form(strings.Repeat("very long ", 1<<16), `{}`), func(_ context.Context, f elicit.Form) (elicit.Reply, error) {
		shown = f
		return elicit.Reply{Action: elicit.Accept}, nil
	})
	if len(shown.Message) > 5000 {
		t.Errorf("the message has %d bytes", len(shown.Message))
	}
}

func TestServerWantsAPage(t *testing.T) {
	t.Parallel()
	_, call := asking(t, true, true, time.Second)
	var seen elicit.Form
	got := call("ask", `{"mode":"url","url":"https://bücher.example/pay?id=1","elicitationId":"1","message":"Pay"}`, func(_ context.Context, f elicit.Form) (elicit.Reply, error) {
		seen = f
		return elicit.Reply{Action: elicit.Accept}, nil
	})
	if got != "accept null\n" || seen.URL != "https://xn--bcher-kva.example/pay?id=1" || seen.Host() != "xn--bcher-kva.example" {
		t.Errorf("got %q for %+v", got, seen)
	}
	if got := call("required", `{}`, reply(elicit.Reply{Action: elicit.Decline})); !strings.HasSuffix(got, "requires the user to open a page first: the user did not open it") {
		t.Errorf("got %q", got)
	}
	if got := call("required", `{}`, reply(elicit.Reply{Action: elicit.Accept})); !strings.Contains(got, "Ask the user to finish there, and call the tool again") {
		t.Errorf("without an end: %q", got)
	}
	if got := call("required", `{"finish":true}`, reply(elicit.Reply{Action: elicit.Accept})); got != "logged in\n" {
		t.Errorf("with an end: %q", got)
	}
}

// The user interrupts the call while a question waits.
func TestInterruptedQuestion(t *testing.T) {
	t.Parallel()
	c, _ := asking(t, true, true, time.Minute)
	ctx, interrupt := context.WithCancel(t.Context())
	_, err := c.Call(ctx, "desk", "ask", json.RawMessage(form("Who?", person)), tools.Approved{Ask: func(ctx context.Context, _ elicit.Form) (elicit.Reply, error) {
		interrupt()
		<-ctx.Done()
		return elicit.Reply{}, ctx.Err()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if r, err := c.Call(t.Context(), "desk", "ask", json.RawMessage(form("Who?", `{}`)), tools.Approved{Ask: reply(elicit.Reply{Action: elicit.Accept})}); err != nil || r.Text != "accept {}\n" && r.Text != "accept null\n" {
		t.Errorf("after that: %q, %v", r.Text, err)
	}
}
