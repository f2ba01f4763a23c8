package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/cmd/agent/exit"
)

// withDesk returns a home whose configuration has a broken MCP server, and one whose tools
// ask the user: book for what has to be typed, seat for choices, party for a form that cannot
// be asked, and pay to open a page.
func withDesk(t *testing.T, model *server) home {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "desk", Version: "1"}, nil)
	add := func(name string, p sdk.ElicitParams) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			got, err := r.Session.Elicit(ctx, &p)
			text := ""
			if err != nil {
				text = err.Error()
			} else {
				b, _ := json.Marshal(got.Content)
				text = got.Action + " " + string(b)
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
	}
	const room = `"room":{"type":"string","enum":["garden","hall"],"default":"hall"}`
	form := func(schema string) sdk.ElicitParams {
		return sdk.ElicitParams{Message: "Which table?", RequestedSchema: json.RawMessage(schema)}
	}
	add("book", form(`{"type":"object","required":["guests"],"properties":{"guests":{"type":"integer","maximum":12},`+room+`}}`))
	add("seat", form(`{"type":"object","required":["smoke"],"properties":{"smoke":{"type":"boolean"},"note":{"type":"string"},`+room+`}}`))
	add("party", form(`{"type":"object","properties":{"guest":{"type":"object","properties":{}}}}`))
	add("pay", sdk.ElicitParams{Mode: "url", Message: "Pay first.", URL: "https://pay.example/1", ElicitationID: "1"})
	desk := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(desk.Close)
	h := newHome(t, nil, at(model)...)
	h.configure(t, `{"mcp": {"servers": {"desk": {"url": "`+desk.URL+`", "transport": "sse"}, "broken": {"command": "false"}}}, "permissions": {"allow": ["mcp: desk"]}}`)
	return h
}

// book calls a tool by the fixed one that all calls can use, because a server is broken.
func book() answer { return callDesk("book") }

func callDesk(tool string) answer { return call("mcp_call", `{"tool":"mcp__desk__`+tool+`"}`) }

// result returns the last request to the model, which has the result of the call.
func result(t *testing.T, model *server) string {
	t.Helper()
	all := model.seen()
	return all[len(all)-1].body
}

func TestAnotherProgramAnswersAServer(t *testing.T) {
	t.Parallel()
	model := serve(t, book(), say("Booked."), book(), say("Not booked."), callDesk("party"), say("No party."))
	h := withDesk(t, model)
	f := startFrontEndIn(t, h.work, append(h.env, "OPENAI_API_KEY="+testKey), "--base-url", model.URL+"/v1")
	f.send(`{"type":"prompt","text":"book a table"}`)
	question := func() map[string]any { return f.until("ask")["ask"].(map[string]any) }
	answer := func(ask map[string]any, rest string) {
		f.send(`{"type":"answer","id":` + quote(ask["id"].(string)) + `,` + rest + `}`)
	}
	ask := question()
	same(t, ask["form"].(map[string]any), map[string]any{
		"server": "desk", "tool": "book", "message": "Which table?", "at": 1.0, "of": 2.0, "typed": true, "wanted": "a whole number of at most 12, required"})
	if ask["question"] != "guests" {
		t.Errorf("the question is %v", ask)
	}
	answer(ask, `"decision":"answer","note":"13"`)
	ask = question() // again
	if form := ask["form"].(map[string]any); form["problem"] != "the answer must be a whole number of at most 12" || form["last"] != "13" {
		t.Errorf("the question is %v", ask)
	}
	// An answer that does not fit leaves the question open.
	for _, bad := range [][2]string{
		{`"decision":"answer","choices":[0]`, "answer: there is no choice 0: the question has 0 choices, numbered from 0"},
		{`"decision":"allow"`, "answer: the question is about a value: use the decision answer or refuse"},
	} {
		answer(ask, bad[0])
		same(t, f.until("error"), map[string]any{"error": bad[1]})
	}
	answer(ask, `"decision":"answer","note":"4"`)
	ask = question()
	if form := ask["form"].(map[string]any); form["selected"].([]any)[0] != 1.0 || form["optional"] != true {
		t.Errorf("the question is %v", ask)
	}
	answer(ask, `"decision":"answer","choices":[0]`)
	f.until("turn_end")
	if got := result(t, model); !strings.Contains(got, `accept {\"guests\":4,\"room\":\"garden\"}`) {
		t.Errorf("the result is not in %s", got)
	}
	f.send(`{"type":"prompt","text":"again"}`)
	answer(question(), `"decision":"answer","note":"4"`)
	answer(question(), `"decision":"refuse"`)
	f.until("turn_end")
	if got := result(t, model); !strings.Contains(got, "decline null") {
		t.Errorf("the result is not in %s", got)
	}
	f.send(`{"type":"prompt","text":"a party"}`)
	f.until("turn_end")
	const why = `the user cannot be asked for the values of the form: its field \"guest\": values of the type \"object\" without choices are not supported`
	if got := result(t, model); !strings.Contains(got, "decline null") || !strings.Contains(strings.ReplaceAll(got, `\\`, ""), why) {
		t.Errorf("the reason is not in %s", got)
	}
	if code := f.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A run without a user does not say that it can answer.
func TestNobodyAnswersAServerInARun(t *testing.T) {
	t.Parallel()
	model := serve(t, book(), say("Not booked."))
	h := withDesk(t, model)
	if out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", model.URL+"/v1", "book a table"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if got := result(t, model); !strings.Contains(got, "client does not support elicitation") {
		t.Errorf("the result is not in %s", got)
	}
}

// agent mcp call asks the questions of a server on the terminal, and declines without one.
func TestCallOnTheCommandLineAsks(t *testing.T) {
	t.Parallel()
	h := withDesk(t, serve(t))
	out, code := h.agent(t, "mcp", "call", "desk", "book")
	if code != 0 || !strings.Contains(out, "A question of the MCP server desk was declined: there is no terminal to ask on\n") || !strings.Contains(out, "decline null\n[1 question of the server without an answer: there is no terminal to ask the user]\n") {
		t.Errorf("got exit code %d and %s", code, out)
	}
	s := h.open(t, 100, 30, "mcp", "call", "desk", "book")
	s.wait("ask: The MCP server desk asks you", "| Which table?", "question 1 of 2:", "| guests", "a whole number of at most 12, required", "/decline")
	s.send("13" + enter)
	s.wait("note: the answer must be a whole number of at most 12")
	s.send("4" + enter)
	s.wait("an empty line means hall")
	s.send("3" + enter)
	s.wait("note: answer with")
	s.send(enter)
	s.wait(`accept {"guests":4,"room":"hall"}`)
	if code := s.exit(); code != 0 {
		t.Errorf("got exit code %d", code)
	}
	s = h.open(t, 100, 30, "mcp", "call", "desk", "book")
	s.wait("question 1 of 2")
	s.send("4" + enter)
	s.wait("question 2 of 2")
	s.send("\x04")
	s.wait("cancel null", "the question was cancelled")
	s = h.open(t, 100, 30, "mcp", "call", "desk", "book")
	s.wait("question 1 of 2")
	s.send("\x03")
	if code := s.exit(); code != exit.Interrupted {
		t.Errorf("got exit code %d after an interrupt", code)
	}
}

// UnstableCreateElicitation opens a page for an MCP server.
func (e *editor) UnstableCreateElicitation(_ context.Context, r acp.UnstableCreateElicitationRequest) (acp.UnstableCreateElicitationResponse, error) {
	e.add("page: " + r.Url.Message + " " + r.Url.Url)
	return acp.UnstableCreateElicitationResponse{Accept: &acp.UnstableCreateElicitationAccept{Action: "accept"}}, nil
}

// An editor asks for choices as for permissions, and skips what has to be typed.
func TestEditorAnswersAServer(t *testing.T) {
	model := serve(t, callDesk("seat"), say("Seated."), callDesk("seat"), say("Not seated."), callDesk("seat"), book(), say("Not booked."))
	h := withDesk(t, model)
	e := connectEditor(t, h, model, acp.FileSystemCapabilities{}).open(h)
	var options []string
	names := []string{}
	e.choose = func(_ context.Context, r acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		name := names[0]
		names = names[1:]
		var all []string
		outcome := acp.RequestPermissionOutcome{Cancelled: &acp.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}
		for _, o := range r.Options {
			if all = append(all, o.Name); o.Name == name {
				outcome = acp.RequestPermissionOutcome{Selected: &acp.RequestPermissionOutcomeSelected{Outcome: "selected", OptionId: o.OptionId}}
			}
		}
		options = append(options, strings.Join(all, ", "))
		return outcome
	}
	names = []string{"No", "Skip this question", "garden"}
	if got := e.ask("find a seat"); got != acp.StopReasonEndTurn {
		t.Errorf("the turn stopped with %s", got)
	}
	if want := []string{"Yes, No, Decline", "Skip this question, Decline", "garden, hall, Skip this question, Decline"}; !slices.Equal(options, want) {
		t.Errorf("the options are %q", options)
	}
	if got := e.peek() + e.questions(); !strings.Contains(got, "The MCP server desk asks you, during the call of seat") || !strings.Contains(got, `The server says:\nWhich table?\n\nQuestion 3 of 3:\nroom\n\none of the choices, optional\n\nYour answers go to the server`) {
		t.Errorf("the question was not shown: %s", got)
	}
	if got := result(t, model); !strings.Contains(got, `accept {\"room\":\"garden\",\"smoke\":false}`) {
		t.Errorf("the result is not in %s", got)
	}
	names = []string{"Yes", "Decline"}
	e.ask("find another seat")
	if got := result(t, model); !strings.Contains(got, "decline null") {
		t.Errorf("the result is not in %s", got)
	}
	names = []string{"Yes", "cancels the turn"}
	if got := e.ask("find a third seat"); got != acp.StopReasonCancelled {
		t.Errorf("the turn stopped with %s", got)
	}
	e.ask("book a table")
	if got := result(t, model); !strings.Contains(got, "decline null") || !strings.Contains(got, "the editor cannot ask for text") {
		t.Errorf("the result is not in %s", got)
	}
}

// Only an editor that can open pages is asked to.
func TestEditorOpensAPage(t *testing.T) {
	for _, opens := range []bool{true, false} {
		model := serve(t, callDesk("pay"), say("Done."))
		h := withDesk(t, model)
		e := connectEditor(t, h, model, acp.FileSystemCapabilities{})
		if opens {
			can := acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Url: &acp.ElicitationUrlCapabilities{}}}
			if _, err := e.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: can}); err != nil {
				t.Fatal(err)
			}
		}
		e.open(h).ask("pay")
		shown := strings.Contains(e.peek(), "page: The MCP server desk wants you to open a page, during the call of pay. The server says:\nPay first. https://pay.example/1")
		want := "accept null"
		if !opens {
			want = "the editor cannot open pages for MCP servers"
		}
		if got := result(t, model); !strings.Contains(got, want) || shown != opens {
			t.Errorf("%v: the page was shown: %v, the result is not in %s", opens, shown, got)
		}
	}
}
