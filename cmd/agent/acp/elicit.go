package acp

import (
	"context"

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

// elicit asks the user a question of an MCP server through the editor, in a goroutine, until
// the answer arrives or the question is withdrawn. It runs in the loop.
func (s *session) elicit(ask event.Ask) {
	forms, pages := shows(s.client)
	f := ask.Form
	if f.URL != "" && !pages || f.URL == "" && !forms {
		s.outbox.Send(event.Answer{ID: ask.ID, Decision: event.Refuse, Note: cannotShow})
		return
	}
	ctx, withdraw := context.WithCancel(s.ctx)
	s.questions[ask.ID] = withdraw
	s.feed.flush()
	request := elicitation{SessionID: s.id, ToolCallID: acp.ToolCallId(ask.ID), Mode: "form", RequestedSchema: f.Schema()}
	if f.URL != "" {
		request.Mode, request.RequestedSchema, request.URL, request.ElicitationID = "url", nil, f.URL, ask.ID
	}
	request.Message = dialog.QuestionText(ask, func(dir string) string { return dir })
	if f.Message != "" {
		request.Message += ". The server says:\n" + clean(f.Message)
	}
	s.side.Go(func() {
		defer withdraw()
		var failed error
		defer s.conn.recovered(acp.ClientMethodElicitationCreate, &failed)
		var response struct {
			Action  string         `json:"action"`
			Content map[string]any `json:"content"`
		}
		answer := event.Answer{ID: ask.ID, Decision: event.Refuse}
		err := s.conn.call(ctx, acp.ClientMethodElicitationCreate, request, &response)
		switch {
		case ctx.Err() != nil: // withdrawn
			return
		case err != nil:
			s.conn.log("elicitation/create: %v", err)
			answer.Note = "the editor answered with an error"
		case response.Action == "cancel":
			s.cancel()
		case response.Action == "accept" && f.URL != "":
			answer.Decision = event.Allow
		case response.Action == "accept":
			answer.Decision, answer.Values = event.Answered, response.Content
		}
		s.outbox.Send(answer)
	})
}
