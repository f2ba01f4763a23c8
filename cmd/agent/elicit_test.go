package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/cmd/agent/exit"
)

// withDesk returns a home whose configuration has an MCP server with a tool that asks the
// user which table to book, and a broken server.
func withDesk(t *testing.T, model *server) home {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "desk", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "book", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which table?", RequestedSchema: json.RawMessage(
			`{"type":"object","required":["guests"],"properties":{"guests":{"type":"integer","maximum":12},"room":{"type":"string","enum":["garden","hall"],"default":"hall"}}}`)})
		text := ""
		if err != nil {
			text = err.Error()
		} else {
			b, _ := json.Marshal(got.Content)
			text = got.Action + " " + string(b)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
	desk := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(desk.Close)
	h := newHome(t, nil, at(model)...)
	h.configure(t, `{"mcp": {"servers": {"desk": {"url": "`+desk.URL+`", "transport": "sse"}, "broken": {"command": "false"}}}, "permissions": {"allow": ["mcp: desk"]}}`)
	return h
}

// book calls the tool by the fixed one that all calls can use, because a server is broken.
func book() answer { return call("mcp_call", `{"tool":"mcp__desk__book"}`) }

// result returns the last request to the model, which has the result of the call.
func result(t *testing.T, model *server) string {
	t.Helper()
	all := model.seen()
	return all[len(all)-1].body
}

func TestAnotherProgramAnswersAServer(t *testing.T) {
	t.Parallel()
	model := serve(t, book(), say("Booked."), book(), say("Not booked."))
	h := withDesk(t, model)
	f := startFrontEndIn(t, h.work, append(h.env, "OPENAI_API_KEY="+testKey), "--base-url", model.URL+"/v1")
	f.send(`{"type":"prompt","text":"book a table"}`)
	ask := f.until("ask")["ask"].(map[string]any)
	form := ask["form"].(map[string]any)
	if form["server"] != "desk" || form["tool"] != "book" || form["message"] != "Which table?" || len(form["fields"].([]any)) != 2 {
		t.Errorf("the form is %v", form)
	}
	f.send(`{"type":"answer","id":` + quote(ask["id"].(string)) + `,"decision":"answer","values":{"guests":4}}`)
	f.until("turn_end")
	if got := result(t, model); !strings.Contains(got, `accept {\"guests\":4,\"room\":\"hall\"}`) {
		t.Errorf("the result is not in %s", got)
	}
	f.send(`{"type":"prompt","text":"again"}`)
	ask = f.until("ask")["ask"].(map[string]any)
	// An answer that does not fit leaves the question open.
	for _, bad := range [][2]string{
		{`"decision":"answer","values":{"guests":13}`, "answer: guests: enter a whole number of at most 12"},
		{`"decision":"answer","values":{"guests":2,"rom":"hall"}`, `answer: the form has no field "rom"`},
		{`"decision":"answer","choices":[0]`, "answer: there is no choice 0: the question has 0 choices, numbered from 0"},
		{`"decision":"allow"`, `answer: the question has a form: use the decision answer with "values", or refuse`},
	} {
		f.send(`{"type":"answer","id":` + quote(ask["id"].(string)) + `,` + bad[0] + `}`)
		same(t, f.until("error"), map[string]any{"error": bad[1]})
	}
	f.send(`{"type":"answer","id":` + quote(ask["id"].(string)) + `,"decision":"answer","values":{"guests":2}}`)
	f.until("turn_end")
	if got := result(t, model); !strings.Contains(got, `accept {\"guests\":2,\"room\":\"hall\"}`) {
		t.Errorf("the result is not in %s", got)
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
	s.wait("ask: The MCP server desk asks you", "| Which table?", "1 fill in the form  2 decline")
	s.send("1" + enter)
	s.wait("guests: a whole number of at most 12; required")
	s.send("13" + enter)
	s.wait("note: guests: enter a whole number of at most 12")
	s.send("4" + enter)
	s.wait("an empty line means hall")
	s.send(enter)
	s.wait("1 send to the server")
	s.send("y" + enter)
	s.wait(`accept {"guests":4,"room":"hall"}`)
	if code := s.exit(); code != 0 {
		t.Errorf("got exit code %d", code)
	}
	s = h.open(t, 100, 30, "mcp", "call", "desk", "book")
	s.wait("1 fill in the form")
	s.send("\x04")
	s.wait("cancel null", "the question was cancelled")
	s = h.open(t, 100, 30, "mcp", "call", "desk", "book")
	s.wait("1 fill in the form")
	s.send("\x03")
	if code := s.exit(); code != exit.Interrupted {
		t.Errorf("got exit code %d after an interrupt", code)
	}
}

// UnstableCreateElicitation answers a question of an MCP server.
func (e *editor) UnstableCreateElicitation(_ context.Context, r acp.UnstableCreateElicitationRequest) (acp.UnstableCreateElicitationResponse, error) {
	b, _ := json.Marshal(r.Form.RequestedSchema)
	e.add("form: " + r.Form.Message + " " + string(b))
	return acp.UnstableCreateElicitationResponse{Accept: &acp.UnstableCreateElicitationAccept{Action: "accept", Content: map[string]any{"guests": 2, "room": "garden"}}}, nil
}

func TestEditorAnswersAServer(t *testing.T) {
	model := serve(t, book(), say("Booked."))
	h := withDesk(t, model)
	e := connectEditor(t, h, model, acp.FileSystemCapabilities{})
	can := acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}}
	if _, err := e.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: can}); err != nil {
		t.Fatal(err)
	}
	e.open(h)
	if got := e.ask("book a table"); got != acp.StopReasonEndTurn {
		t.Errorf("the turn stopped with %s", got)
	}
	if got := e.peek(); !strings.Contains(got, "form: The MCP server desk asks you, during the call of book. The server says:\nWhich table? ") {
		t.Errorf("the form was not shown: %s", got)
	}
	if got := result(t, model); !strings.Contains(got, `accept {\"guests\":2,\"room\":\"garden\"}`) {
		t.Errorf("the result is not in %s", got)
	}
}

// An editor that does not show forms is not asked.
func TestEditorWithoutForms(t *testing.T) {
	model := serve(t, book(), say("Not booked."))
	h := withDesk(t, model)
	connectEditor(t, h, model, acp.FileSystemCapabilities{}).open(h).ask("book a table")
	if got := result(t, model); !strings.Contains(got, "client does not support elicitation") {
		t.Errorf("the result is not in %s", got)
	}
}
