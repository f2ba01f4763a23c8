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
	s.AddTool(&sdk.Tool{Name: "roots", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		//lint:ignore SA1019 servers still ask for roots
		got, _ := r.Params.InputResponses["where"].(*sdk.ListRootsResult)
		if got == nil && string(r.Params.Arguments) == `{}` {
			//lint:ignore SA1019 servers still ask for roots
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"where": &sdk.ListRootsParams{}}}, nil
		}
		if got == nil {
			var err error
			//lint:ignore SA1019 servers still ask for roots
			if got, err = r.Session.ListRoots(ctx, nil); err != nil {
				return nil, err
			}
		}
		b, err := json.Marshal(got.Roots)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(b)}}}, err
	})
	return s
}

// A server learns its root in both ways in which it can ask for it.
func TestRootsOfServers(t *testing.T) {
	get := func(*http.Request) *sdk.Server { return curious() }
	for ask, handler := range map[string]http.Handler{`{}`: sdk.NewStreamableHTTPHandler(get, nil), `{"old":true}`: sdk.NewSSEHandler(get, nil)} {
		w := httptest.NewServer(handler)
		t.Cleanup(w.Close)
		c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "rooted", URL: w.URL, Root: "/home/ann/my shop"}}})
		if got, want := call(t, c, "rooted", "roots", ask), `[{"name":"my shop","uri":"file:///home/ann/my%20shop"}]`+"\n"; got != want {
			t.Errorf("%s: got %s, want %s", ask, got, want)
		}
	}
}

// asking connects to the curious server, over the old protocol if old is set, and
// returns a function that calls one of its tools.
func asking(t *testing.T, old, asks bool, silence time.Duration) (c *mcp.Connections, call func(tool, args string, ask func(context.Context, elicit.Question) (elicit.Answer, error)) string) {
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
	return c, func(tool, args string, ask func(context.Context, elicit.Question) (elicit.Answer, error)) string {
		r, err := c.Call(t.Context(), "desk", tool, json.RawMessage(args), tools.Approved{Ask: ask})
		if err != nil {
			return "failed: " + err.Error()
		}
		return r.Text
	}
}

// reply returns a function that gives these answers, and the last one again.
func reply(answers ...elicit.Answer) func(context.Context, elicit.Question) (elicit.Answer, error) {
	return func(context.Context, elicit.Question) (elicit.Answer, error) {
		a := answers[0]
		answers = answers[min(1, len(answers)-1):]
		return a, nil
	}
}

// accepted returns an answer with a text and choices.
func accepted(text string, choices ...int) elicit.Answer {
	return elicit.Answer{Action: elicit.Accept, Text: text, Choices: choices}
}

func form(message, schema string) string {
	return fmt.Sprintf(`{"mode":"form","message":%q,"requestedSchema":%s}`, message, schema)
}

func TestServerAsksTheUser(t *testing.T) {
	t.Parallel()
	var seen []string
	answers := reply(accepted("A"), accepted("Ann"), accepted("", 1), accepted("7"), accepted(""), accepted("", 1), accepted("", 0))
	_, call := asking(t, true, true, time.Second)
	got := call("ask", form("Who are you?", person), func(ctx context.Context, q elicit.Question) (elicit.Answer, error) {
		seen = append(seen, fmt.Sprintf("%d/%d %s %s %s %s: %s", q.At, q.Of, q.Server, q.Tool, q.Message, q.Text, q.Problem))
		if len(seen) == 1 {
			select { // longer than the server may be silent
			case <-time.After(1200 * time.Millisecond):
			case <-ctx.Done():
				return elicit.Answer{}, ctx.Err()
			}
		}
		return answers(ctx, q)
	})
	if want := `accept {"age":7,"color":"g","name":"Ann","pets":["d"],"subscribe":true}` + "\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := []string{
		"1/6 desk ask Who are you? Full \x1b[2Jname: ",
		"1/6 desk ask Who are you? Full \x1b[2Jname: the answer must be text of at least 2 characters",
		"2/6 desk ask Who are you? color: ", "3/6 desk ask Who are you? age: ", "4/6 desk ask Who are you? mail: ",
		"5/6 desk ask Who are you? pets: ", "6/6 desk ask Who are you? subscribe: ",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	// What was answered before the user declined is not sent.
	declined := reply(accepted("Ann"), elicit.Answer{Action: elicit.Decline})
	if got, want := call("ask", form("Who?", person), declined), "decline null\n[1 question of the server without an answer: the user declined]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestServerOfTheNewProtocolAsks(t *testing.T) {
	t.Parallel()
	_, call := asking(t, false, true, time.Minute)
	if got := call("rounds", `{}`, reply(accepted("Ann"), accepted("", 0), accepted(""))); got != "accept Ann\n" {
		t.Errorf("got %q", got)
	}
	if got := call("rounds", `{}`, reply(elicit.Answer{Action: elicit.Decline})); !strings.HasPrefix(got, "decline <nil>\n") {
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
	accept := func(context.Context, elicit.Question) (elicit.Answer, error) {
		asked++
		return elicit.Answer{Action: elicit.Accept}, nil
	}
	many := []string{}
	for i := range 10_000 {
		many = append(many, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	page := func(url string) string {
		return fmt.Sprintf(`{"mode":"url","url":%q,"elicitationId":"1","message":"go"}`, url)
	}
	for args, want := range map[string]string{
		form("?", `{"type":"object","properties":{`+strings.Join(many, ",")+`}}`):                                "its schema is longer than",
		form("?", `{"type":"object","properties":{`+strings.Join(many[:9], ",")+`}}`):                            "it has 9 fields, more than 8",
		form("?", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`): `the type "object" without choices`,
		form("?", `{"type":"object","required":["b"],"properties":{"a":{"type":"string"}}}`):                     "requires a field that it does not have",
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
	var shown elicit.Question
	call("ask", form(strings.Repeat("very long ", 1<<16), `{}`), func(_ context.Context, q elicit.Question) (elicit.Answer, error) {
		shown = q
		return elicit.Answer{Action: elicit.Accept}, nil
	})
	if len(shown.Message) > 5000 {
		t.Errorf("the message has %d bytes", len(shown.Message))
	}
}

func TestServerWantsAPage(t *testing.T) {
	t.Parallel()
	_, call := asking(t, true, true, time.Second)
	var seen elicit.Question
	got := call("ask", `{"mode":"url","url":"https://bücher.example/pay?id=1","elicitationId":"1","message":"Pay"}`, func(_ context.Context, q elicit.Question) (elicit.Answer, error) {
		seen = q
		return elicit.Answer{Action: elicit.Accept}, nil
	})
	if got != "accept null\n" || seen.URL != "https://xn--bcher-kva.example/pay?id=1" || seen.Host() != "xn--bcher-kva.example" {
		t.Errorf("got %q for %+v", got, seen)
	}
	if got := call("required", `{}`, reply(elicit.Answer{Action: elicit.Decline})); !strings.HasSuffix(got, "requires the user to open a page first: the user did not open it") {
		t.Errorf("got %q", got)
	}
	if got := call("required", `{}`, reply(elicit.Answer{Action: elicit.Accept})); !strings.Contains(got, "Ask the user to finish there, and call the tool again") {
		t.Errorf("without an end: %q", got)
	}
	if got := call("required", `{"finish":true}`, reply(elicit.Answer{Action: elicit.Accept})); got != "logged in\n" {
		t.Errorf("with an end: %q", got)
	}
}

// The user interrupts the call while a question waits.
func TestInterruptedQuestion(t *testing.T) {
	t.Parallel()
	c, _ := asking(t, true, true, time.Minute)
	ctx, interrupt := context.WithCancel(t.Context())
	_, err := c.Call(ctx, "desk", "ask", json.RawMessage(form("Who?", person)), tools.Approved{Ask: func(ctx context.Context, _ elicit.Question) (elicit.Answer, error) {
		interrupt()
		<-ctx.Done()
		return elicit.Answer{}, ctx.Err()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if r, err := c.Call(t.Context(), "desk", "ask", json.RawMessage(form("Who?", `{}`)), tools.Approved{Ask: reply(elicit.Answer{Action: elicit.Accept})}); err != nil || r.Text != "accept {}\n" && r.Text != "accept null\n" {
		t.Errorf("after that: %q, %v", r.Text, err)
	}
}
