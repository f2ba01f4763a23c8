package main

import (
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
)

// TestEditorLoadsSessionWithoutPrompt loads a session before its first prompt, with a new
// front end, like a client that starts the program for each command.
func TestEditorLoadsSessionWithoutPrompt(t *testing.T) {
	s := serve(t, say("One."))
	h := newHome(t, nil, at(s)...)
	var id acp.SessionId
	with := func(name string, f func(e *editor)) {
		t.Run(name, func(t *testing.T) { f(connectEditor(t, h, s, acp.FileSystemCapabilities{})) })
	}
	load := func(e *editor, id acp.SessionId, dirs ...string) error {
		_, err := e.LoadSession(e.t.Context(), acp.LoadSessionRequest{SessionId: id, Cwd: t.TempDir(), McpServers: []acp.McpServer{}, AdditionalDirectories: dirs})
		e.session, e.dir = id, h.work
		return err
	}
	with("create", func(e *editor) {
		id = e.open(h).session
		if err := load(e, id, t.TempDir()); err != nil {
			e.t.Errorf("load with another directory: %v", err)
		}
	})
	with("load", func(e *editor) {
		for _, wrong := range []acp.SessionId{"nosuch", id[:6], "../" + id} {
			if err := load(e, wrong); err == nil {
				e.t.Errorf("session %s was loaded", wrong)
			}
		}
		for range 2 {
			if err := load(e, id); err != nil {
				e.t.Fatal(err)
			}
			if _, err := e.CloseSession(e.t.Context(), acp.CloseSessionRequest{SessionId: id}); err != nil {
				e.t.Error(err)
			}
		}
		if all, err := e.ListSessions(e.t.Context(), acp.ListSessionsRequest{}); err != nil || len(all.Sessions) > 0 {
			e.t.Errorf("a session without a prompt is listed: %+v, %v", all.Sessions, err)
		}
	})
	with("prompt", func(e *editor) {
		if _, err := e.ResumeSession(e.t.Context(), acp.ResumeSessionRequest{SessionId: id, Cwd: t.TempDir()}); err != nil {
			e.t.Fatal(err)
		}
		e.session, e.dir = id, h.work
		e.ask("one")
	})
	with("load with a prompt", func(e *editor) {
		if err := load(e, id); err != nil || !strings.Contains(e.take(), "user one") {
			e.t.Errorf("the session has no prompt: %v", err)
		}
		if all, err := e.ListSessions(e.t.Context(), acp.ListSessionsRequest{Cwd: &h.work}); err != nil || len(all.Sessions) != 1 || all.Sessions[0].SessionId != id {
			e.t.Errorf("sessions of the directory: %+v, %v", all.Sessions, err)
		}
	})
	if out, code := h.agent(t, "sessions", "delete", "--yes", string(id)); code != 0 {
		t.Fatal(out)
	}
	with("deleted", func(e *editor) {
		if err := load(e, id); err == nil {
			e.t.Error("a deleted session was loaded")
		}
	})
}

// TestTwoEditorsLoadSessionWithoutPrompt loads a session before its first prompt in two
// front ends. The first one to get a prompt keeps it.
func TestTwoEditorsLoadSessionWithoutPrompt(t *testing.T) {
	s := serve(t, say("One."))
	h := newHome(t, nil, at(s)...)
	first, second := connectEditor(t, h, s, acp.FileSystemCapabilities{}), connectEditor(t, h, s, acp.FileSystemCapabilities{})
	id := first.open(h).session
	if _, err := second.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: id, Cwd: h.work, McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	first.ask("one")
	prompt := acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("two")}}
	_, err := second.Prompt(t.Context(), prompt)
	if err == nil || !strings.Contains(err.Error(), "is open in another program") {
		t.Errorf("a prompt while the session is open: %v", err)
	}
	if _, err := first.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Prompt(t.Context(), prompt); err == nil || !strings.Contains(err.Error(), "another program has created session") {
		t.Errorf("a prompt after the session was closed: %v", err)
	}
}
