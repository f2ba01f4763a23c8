package tui

import (
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

const hunk = `@@ -40,6 +40,7 @@ func serve(cfg Config) error {
 	mux := routes()
 	srv := &http.Server{
-		Handler: mux,
+		Handler:           mux,
+		ReadHeaderTimeout: cfg.Timeout,
 	}
 	return srv.ListenAndServe()
 }
`

func edit() event.Diff {
	return event.Diff{Path: "server/server.go", Unified: hunk, Added: 2, Removed: 1}
}

func TestStart(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{
			Models: screen.Models{Name: "openai/m", Why: "OPENAI_API_KEY is set"},
		})
		d.golden("start-" + size)
	})
}

// asked returns a turn up to the permission request for an edit.
func asked() []event.Event {
	return []event.Event{
		userSaid("the server ignores --timeout, fix it"),
		done(llm.Assistant, "r1", "The flag is parsed but never reaches the listener. Looking at how the config is built."),
		call("r1", "1", "read"), call("r1", "2", "read"), call("r1", "3", "read"), call("r1", "4", "search"),
		start("1", "read config.go", "read", file("config.go")),
		start("2", "read main.go", "read", file("main.go")),
		start("3", "read server.go", "read", file("server.go")),
		result("1", "read config.go", "read", event.OK, "40 lines", "1 package config", 12*time.Millisecond),
		result("2", "read main.go", "read", event.OK, "80 lines", "1 package main", 22*time.Millisecond),
		result("3", "read server.go", "read", event.OK, "90 lines", "1 package server", 32*time.Millisecond),
		start("4", `search "Timeout"`, "read"),
		result("4", `search "Timeout"`, "read", event.OK, "7 matches in 3 files", "config.go:4: Timeout", 41*time.Millisecond),
		&event.StepEnd{Reply: "r1", Usage: llm.Usage{Input: 18_000, Output: 200}},
		call("r2", "5", "edit"),
		event.Asked{Ask: event.Ask{ID: "5", Title: "edit server/server.go", Effect: "write", Targets: []event.Target{file("server/server.go")},
			Diffs: []event.Diff{edit()}, Why: "changes files (permission mode: ask)", Scope: "all edits"}},
	}
}

// answered continues the turn of asked: the edit is allowed, and a test runs.
func answered() []event.Event {
	e := result("5", "edit server/server.go", "write", event.OK, "", "done", 3*time.Millisecond)
	e.Diffs = []event.Diff{edit()}
	return []event.Event{
		&event.Decided{ID: "5", Decision: event.Always, Scope: "all edits"},
		start("5", "edit server/server.go", "write", file("server/server.go")),
		e,
		&event.StepEnd{Reply: "r2", Usage: llm.Usage{Input: 18_100, Output: 200}},
		done(llm.Thinking, "r3", "The user wants it tested.\nSo the tests are run."),
		call("r3", "6", "shell"),
		start("6", "shell go test ./server/...", "execute"),
		event.Progress{ID: "6", Text: "ok  \tshop/server/route\t0.21s\n--- FAIL: TestTimeout (0.00s)\n"},
	}
}

// closing ends the turn of asked.
func closing() []event.Event {
	return []event.Event{
		result("6", "shell go test ./server/...", "execute", event.Failed, "exit code 1", "--- FAIL: TestTimeout (0.00s)\nFAIL", 4100*time.Millisecond),
		&event.StepEnd{Reply: "r3", Usage: llm.Usage{Input: 18_300, Output: 200}},
		done(llm.Assistant, "r4", "Fixed: `ReadHeaderTimeout` now takes the flag. One test still expects the old default."),
		&event.StepEnd{Reply: "r4", Usage: llm.Usage{Input: 18_600, Output: 200}},
		turnEnd(event.Done, 14*time.Second),
	}
}

func TestTurn(t *testing.T) {
	sizes(t, func(t *testing.T, size string, w, h int) {
		d := newDriver(t, w, h, screen.Options{})
		d.typeText("the server ignores --timeout, fix it")
		d.press("enter")
		d.advance(time.Second)
		d.golden("sent-" + size)
		d.events(asked()...)
		d.armDialog()
		d.golden("ask-edit-" + size)
		d.press("2")
		d.golden("answered-" + size)
		d.events(answered()...)
		d.advance(4100 * time.Millisecond)
		d.golden("running-" + size)
		d.events(closing()...)
		d.golden("done-" + size)
		d.press("ctrl+t")
		d.golden("opened-" + size)
		d.wantCommands(
			event.Prompt{Text: "the server ignores --timeout, fix it"},
			event.Answer{ID: "5", Decision: event.Always},
		)
	})
}
