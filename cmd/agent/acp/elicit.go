package acp

import (
	"github.com/coder/acp-go-sdk"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
)

// cannotShow is why a question of an MCP server is declined.
const cannotShow = "the editor cannot show questions of MCP servers"

// elicitation asks the user what an MCP server wants to know
// (https://agentclientprotocol.com/protocol/elicitation). The SDK has no session in it.
type elicitation struct {
	SessionID       acp.SessionId  `json:"sessionId"`
	ToolCallID      acp.ToolCallId `json:"toolCallId"`
	Mode            string         `json:"mode"`
	Message         string         `json:"message"`
	RequestedSchema map[string]any `json:"requestedSchema,omitempty"`
	ElicitationID   string         `json:"elicitationId,omitempty"`
	URL             string         `json:"url,omitempty"`
}

// shows reports whether an editor shows forms, and whether it shows pages.
func shows(c acp.ClientCapabilities) (forms, pages bool) {
	e := c.Elicitation
	return e != nil && e.Form != nil, e != nil && e.Url != nil
}

// elicit asks the user a question of an MCP server, and passes on the answer.
func (q *questions) elicit(ask event.Ask, answer func(event.Answer)) {
	forms, pages := shows(q.client)
	f := ask.Form
	if f.URL != "" && !pages || f.URL == "" && !forms {
		answer(event.Answer{ID: ask.ID, Decision: event.Refuse, Note: cannotShow})
		return
	}
	request := elicitation{SessionID: q.session, ToolCallID: acp.ToolCallId(ask.ID), Mode: "form", RequestedSchema: f.Schema()}
	if f.URL != "" {
		request.Mode, request.RequestedSchema, request.URL, request.ElicitationID = "url", nil, f.URL, ask.ID
	}
	request.Message = dialog.QuestionText(ask, func(dir string) string { return dir })
	if f.Message != "" {
		request.Message += ". The server says:\n" + clean(f.Message)
	}
	var response struct {
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	q.send(ask.ID, acp.ClientMethodElicitationCreate, request, &response, func(err error) {
		a := event.Answer{ID: ask.ID, Decision: event.Refuse}
		switch {
		case err != nil:
			a.Note = "the editor answered with an error"
		case response.Action == "cancel":
			q.cancel()
		case response.Action == "accept" && f.URL != "":
			a.Decision = event.Allow
		case response.Action == "accept":
			a.Decision, a.Values = event.Answered, response.Content
		}
		answer(a)
	})
}
