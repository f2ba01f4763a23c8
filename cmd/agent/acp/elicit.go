package acp

import (
	"github.com/coder/acp-go-sdk"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
)

// Reasons to decline a question of an MCP server.
const (
	cannotOpen = "the editor cannot open pages for MCP servers"
	cannotType = "the editor cannot ask for text"
)

// elicitation asks the user to open a page
// (https://agentclientprotocol.com/protocol/elicitation). The SDK has no session in it.
type elicitation struct {
	SessionID     acp.SessionId  `json:"sessionId"`
	ToolCallID    acp.ToolCallId `json:"toolCallId"`
	Mode          string         `json:"mode"`
	Message       string         `json:"message"`
	ElicitationID string         `json:"elicitationId"`
	URL           string         `json:"url"`
}

// openPage asks the user to open a page for an MCP server, and passes on the answer.
func (q *questions) openPage(ask event.Ask, answer func(event.Answer)) {
	if e := q.client.Elicitation; e == nil || e.Url == nil {
		answer(event.Answer{ID: ask.ID, Decision: event.Refuse, Note: cannotOpen})
		return
	}
	request := elicitation{SessionID: q.session, ToolCallID: acp.ToolCallId(ask.ID), Mode: "url", URL: ask.Form.URL, ElicitationID: ask.ID}
	request.Message = dialog.QuestionText(ask, func(dir string) string { return dir })
	if ask.Form.Message != "" {
		request.Message += ". The server says:\n" + clean(ask.Form.Message)
	}
	var response struct {
		Action string `json:"action"`
	}
	q.send(ask.ID, acp.ClientMethodElicitationCreate, request, &response, func(err error) {
		a := event.Answer{ID: ask.ID, Decision: event.Refuse}
		switch {
		case err != nil:
			a.Note = "the editor answered with an error"
		case response.Action == "cancel":
			q.cancel()
		case response.Action == "accept":
			a.Decision = event.Allow
		}
		answer(a)
	})
}

// valueFacts returns what the user has to know to answer a question of an MCP server.
func valueFacts(ask event.Ask) (out []string) {
	f := ask.Form
	if !f.AsksValue() {
		return nil
	}
	if f.Message != "" {
		out = append(out, "The server says:\n"+clean(f.Message))
	}
	if ask.Question != "" {
		out = append(out, dialog.PlaceText(f)+"\n"+clean(ask.Question))
	}
	for _, text := range []string{f.Wanted, f.Problem, dialog.FormWarning} {
		if text != "" {
			out = append(out, clean(text))
		}
	}
	return out
}
