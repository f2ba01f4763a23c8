package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
	diff "github.com/google/go-cmp/cmp"

	front "agent/cmd/agent/acp"
	"agent/cmd/agent/exit"
)

// TestEditorSession edits a file and runs a command with the user's approval, changes
// options, and opens the session again.
func TestEditorSession(t *testing.T) {
	s := serve(t,
		call("todo", `{"items":[{"text":"greet","state":"active"}]}`, "read", `{"path":"main.go"}`),
		call("edit", `{"path":"main.go","old":"hello","new":"goodbye"}`),
		call("shell", `{"command":"echo $((6*7)) >out.txt; cat out.txt"}`),
		say("It says **goodbye** now."),
	)
	h := newHome(t, map[string]string{"main.go": goFile, ".agent/commands/greet.md": "Say hello to $ARGUMENTS."}, at(s)...)
	h.configure(t, `{"sandbox": false}`) // the questions must be the same on all systems
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{}).open(h)
	e.choose = pick(acp.PermissionOptionKindAllowOnce)
	if got := e.ask("say goodbye"); got != acp.StopReasonEndTurn {
		t.Errorf("the turn stopped with %s", got)
	}
	edit := `<main.go: "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n" -> "package main\n\nfunc main() {\n\tprintln(\"goodbye\")\n}\n">`
	command := "`echo $((6*7)) >out.txt; cat out.txt` execute"
	block := `"` + "```sh\\necho $((6*7)) >out.txt; cat out.txt\\n```" + `"`
	result := `"` + "```\\n42\\n[exit 0]\\n```" + `"`
	listed, output := "call read main.go read completed", "call \"```sh" // with the file, and while the command runs
	got := e.take("usage", "options", "call todo", listed, output)
	want := strings.Join([]string{
		"commands /compact /undo /redo /greet",
		"title say goodbye",
		"call read other pending",
		"plan [in_progress] greet",
		"call read main.go read in_progress @main.go",
		"call edit other pending",
		`call Edit main.go? edit pending @main.go:4 "Edit main.go?\n\nchanges files (permission mode: ask)" ` + edit,
		"call edit main.go edit in_progress @main.go",
		"call edit main.go edit completed @main.go:4 " + edit,
		"call shell other pending",
		"call " + command + " pending " + block + " \"Run this command in DIR?\\n\\nit writes to `out.txt`\"",
		"call " + command + " in_progress " + block,
		"call " + command + " completed " + block + " " + result,
		"text It says **goodbye** now.",
		"text > not checked: 1 file edited, no check ran",
	}, "\n")
	if d := diff.Diff(want, got); d != "" {
		t.Errorf("updates (-want +got):\n%s", d)
	}
	want = `Edit main.go? "Edit main.go?\n\nchanges files (permission mode: ask)" ` + edit +
		" [allow_once Yes] [allow_always Yes, and allow all edits in this session] [reject_once No]\n" +
		"`echo $((6*7)) >out.txt; cat out.txt` " + block + " \"Run this command in DIR?\\n\\nit writes to `out.txt`\" [allow_once Yes] [reject_once No]"
	if d := diff.Diff(want, e.questions()); d != "" {
		t.Errorf("permission requests (-want +got):\n%s", d)
	}
	e.again(h, edit, result)
}

// again changes options, closes the session and opens it again.
func (e *editor) again(h home, edit, result string) {
	t, ctx := e.t, e.t.Context()
	t.Helper()
	e.take()
	if _, err := e.SetSessionMode(ctx, acp.SetSessionModeRequest{SessionId: e.session, ModeId: "edits"}); err != nil {
		t.Error(err)
	}
	r, err := e.SetSessionConfigOption(ctx, option(e.session, "model", "openai/gpt-5.1-mini"))
	if err != nil || values(r.ConfigOptions) != " mode=edits model=openai/gpt-5.1-mini effort=default" {
		t.Errorf("set the model: %s, %v", values(r.ConfigOptions), err)
	}
	if r, err = e.SetSessionConfigOption(ctx, option(e.session, "effort", "high")); err != nil || values(r.ConfigOptions) != " mode=edits model=openai/gpt-5.1-mini effort=high" {
		t.Errorf("set the effort: %s, %v", values(r.ConfigOptions), err)
	}
	for id, value := range map[string]string{"mode": "wild", "model": "anthropic/claude-opus-4-5", "taste": "good"} {
		if _, err := e.SetSessionConfigOption(ctx, option(e.session, id, value)); err == nil {
			t.Errorf("the option %s was set to %s", id, value)
		}
	}
	if _, err := e.CloseSession(ctx, acp.CloseSessionRequest{SessionId: e.session}); err != nil {
		t.Error(err)
	}
	all, err := e.ListSessions(ctx, acp.ListSessionsRequest{Cwd: &h.work})
	if err != nil || len(all.Sessions) != 1 || all.Sessions[0].SessionId != e.session || *all.Sessions[0].Title != "say goodbye" {
		t.Errorf("sessions: %+v, %v", all.Sessions, err)
	}
	e.take()
	loaded, err := e.LoadSession(ctx, acp.LoadSessionRequest{SessionId: e.session, Cwd: h.work, McpServers: []acp.McpServer{}})
	if err != nil || values(loaded.ConfigOptions) != " mode=edits model=openai/gpt-5.1-mini effort=high" {
		t.Errorf("load: %s, %v", values(loaded.ConfigOptions), err)
	}
	want := strings.Join([]string{
		"user say goodbye",
		"call edit main.go edit completed @main.go:4 " + edit,
		"call shell echo $((6*7)) >out.txt; cat out.txt execute completed " + result,
		"text It says **goodbye** now.",
		"plan [in_progress] greet",
	}, "\n")
	if d := diff.Diff(want, e.take("call read", "call todo", "commands", "options", "usage")); d != "" {
		t.Errorf("replay (-want +got):\n%s", d)
	}
	if _, err := e.CloseSession(ctx, acp.CloseSessionRequest{SessionId: e.session}); err != nil {
		t.Error(err)
	}
	if _, err := e.ResumeSession(ctx, acp.ResumeSessionRequest{SessionId: e.session, Cwd: h.work}); err != nil {
		t.Error(err)
	}
	if got := e.take("commands", "options"); got != "" {
		t.Errorf("resuming sent the transcript: %s", got)
	}
	if got := e.ask("once more"); got != acp.StopReasonEndTurn {
		t.Errorf("the turn of the resumed session stopped with %s", got)
	}
}

// TestEditorSettings sets options of a session before its first prompt, each time with a new
// front end, like a client that starts the program for each command.
func TestEditorSettings(t *testing.T) {
	s := serve(t, say("One."), say("Two."))
	h := newHome(t, nil, at(s)...)
	var id acp.SessionId
	// with calls f with a new front end, and expects the options after the session is loaded.
	with := func(loaded string, f func(e *editor)) {
		t.Run("", func(t *testing.T) {
			e := connectEditor(t, h, s, acp.FileSystemCapabilities{})
			if loaded == "" {
				e.open(h)
				id = e.session
			} else {
				r, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: id, Cwd: h.work, McpServers: []acp.McpServer{}})
				if err != nil || values(r.ConfigOptions) != loaded {
					t.Fatalf("load: %s, want %s, %v", values(r.ConfigOptions), loaded, err)
				}
				e.session, e.dir = id, h.work
			}
			f(e)
		})
	}
	unlisted := func(e *editor) {
		e.t.Helper()
		if all, err := e.ListSessions(e.t.Context(), acp.ListSessionsRequest{}); err != nil || len(all.Sessions) > 0 {
			e.t.Errorf("sessions without a prompt are listed: %+v, %v", all.Sessions, err)
		}
		if out, _ := h.agent(e.t, "sessions"); !strings.Contains(out, "There are no sessions") {
			e.t.Errorf("sessions without a prompt are listed: %s", out)
		}
	}
	with("", func(e *editor) {
		if files, _ := filepath.Glob(filepath.Join(h.dir, ".local/state/agent/sessions/*.jsonl")); len(files) > 0 {
			e.t.Errorf("an empty session is stored: %q", files)
		}
		if _, err := e.SetSessionMode(e.t.Context(), acp.SetSessionModeRequest{SessionId: id, ModeId: "plan"}); err != nil {
			e.t.Error(err)
		}
	})
	with(" mode=plan model=openai/gpt-5.1 effort=default", func(e *editor) {
		unlisted(e)
		if _, err := e.SetSessionConfigOption(e.t.Context(), option(id, "model", "openai/gpt-5.1-mini")); err != nil {
			e.t.Error(err)
		}
		if _, err := e.SetSessionConfigOption(e.t.Context(), option(id, "effort", "high")); err != nil {
			e.t.Error(err)
		}
	})
	with(" mode=plan model=openai/gpt-5.1-mini effort=high", func(e *editor) { unlisted(e); e.ask("one") })
	with(" mode=plan model=openai/gpt-5.1-mini effort=high", func(e *editor) {
		if _, err := e.SetSessionMode(e.t.Context(), acp.SetSessionModeRequest{SessionId: id, ModeId: "all"}); err != nil {
			e.t.Error(err)
		}
	})
	with(" mode=ask model=openai/gpt-5.1-mini effort=high", func(*editor) {}) // with a prompt, all must be chosen again
	with("", func(e *editor) {
		if _, err := e.SetSessionMode(e.t.Context(), acp.SetSessionModeRequest{SessionId: id, ModeId: "all"}); err != nil {
			e.t.Error(err)
		}
	})
	with(" mode=all model=openai/gpt-5.1 effort=default", func(*editor) {})
	out, code := h.agent(t, "run", "--continue", "two")
	if requests := s.seen(); code != 0 || len(requests) != 2 || !strings.Contains(requests[1].body, "One.") {
		t.Errorf("--continue does not continue the session with a prompt: %s", out)
	}
}

// option returns the request that sets an option.
func option(session acp.SessionId, id, value string) acp.SetSessionConfigOptionRequest {
	return acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{
		SessionId: session, ConfigId: acp.SessionConfigId(id), Value: acp.SessionConfigValueId(value),
	}}
}

// TestEditorPrompt sends links, resources, an image and a custom command, and two sessions
// run at once.
func TestEditorPrompt(t *testing.T) {
	s := serve(t, say("One."), say("Two."), say("Three."))
	h := newHome(t, map[string]string{"a.go": "package a\n", ".agent/commands/greet.md": "Say hello to $ARGUMENTS."}, at(s)...)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{}).open(h)
	first := e.session
	e.open(h)
	prompt := func(id acp.SessionId, blocks ...acp.ContentBlock) error {
		_, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: id, Prompt: blocks})
		return err
	}
	at := "file://" + filepath.ToSlash(filepath.Join(h.work, "a.go"))
	err := prompt(first, acp.TextBlock("Compare "), acp.ResourceLinkBlock("a.go", at+"#L1"), acp.TextBlock(" with "),
		acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: "zed:///selection", Text: "package b"}}),
		acp.ImageBlock(base64.StdEncoding.EncodeToString(pixel()), "image/png"))
	if err != nil {
		t.Error(err)
	}
	if err := prompt(e.session, acp.TextBlock("/greet Ann")); err != nil {
		t.Error(err)
	}
	var bodies []string
	for _, r := range s.seen() {
		bodies = append(bodies, r.body)
	}
	for i, want := range []string{`Compare a.go#L1 with zed:///selection\n\nzed:///selection:\n` + "```" + `\npackage b\n` + "```", "Say hello to Ann."} {
		if i >= len(bodies) || !strings.Contains(bodies[i], want) {
			t.Errorf("request %d has no %q: %.3000s", i, want, bodies[i:])
		}
	}
	if !strings.Contains(bodies[0], "data:image/png;base64,") {
		t.Errorf("the request has no image: %.3000s", bodies[0])
	}
	if err := prompt(first, acp.AudioBlock("AAAA", "audio/wav")); err == nil || !strings.Contains(err.Error(), "audio is not supported") {
		t.Errorf("audio: %v", err)
	}
	if err := prompt(first, acp.ImageBlock("AAAA", "image/png")); err == nil {
		t.Error("a broken image was accepted")
	}
	for text, want := range map[string]string{
		"/gret Ann": "unknown command /gret: did you mean /greet?",
		"/cost":     "/cost is a command of the terminal. Commands in an editor: /compact, /undo, /redo, /greet",
		"/zzz":      "unknown command /zzz. Commands in an editor: /compact, ",
	} {
		if err := prompt(first, acp.TextBlock(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := prompt(first, acp.TextBlock("/etc/hosts is wrong")); err != nil {
		t.Error(err)
	}
	if err := prompt("nothing", acp.TextBlock("hi")); err == nil || !strings.Contains(err.Error(), "is not open") {
		t.Errorf("unknown session: %v", err)
	}
}

// pixel returns an image.
func pixel() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1)))
	return b.Bytes()
}

// TestEditorCancels cancels a turn while the model answers and during a permission request,
// and sends two prompts at once.
func TestEditorCancels(t *testing.T) {
	edit := call("write", `{"path":"b.txt","content":"b\n"}`)
	s := serve(t, begin("A long answer"), edit, edit, say("Again."))
	h := newHome(t, nil, at(s)...)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{}).open(h)
	cancel := func() {
		if err := e.Cancel(t.Context(), acp.CancelNotification{SessionId: e.session}); err != nil {
			t.Error(err)
		}
	}
	stopped := make(chan acp.StopReason)
	go func() { stopped <- e.ask("talk") }()
	waitFor(t, "text", func() bool { return strings.Contains(e.peek(), "A long answer") })
	if _, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: e.session, Prompt: []acp.ContentBlock{acp.TextBlock("me too")}}); err == nil {
		t.Error("a second prompt was accepted")
	}
	cancel()
	if got := <-stopped; got != acp.StopReasonCancelled {
		t.Errorf("the answer stopped with %s", got)
	}

	asked := make(chan struct{})
	e.choose = func(ctx context.Context, r acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		close(asked)
		<-ctx.Done() // the agent withdraws the question
		return acp.RequestPermissionOutcome{Cancelled: &acp.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}
	}
	go func() { stopped <- e.ask("write") }()
	<-asked
	cancel()
	if got := <-stopped; got != acp.StopReasonCancelled {
		t.Errorf("the question stopped with %s", got)
	}

	e.choose = pick("") // the user cancels in the dialog
	if got := e.ask("write again"); got != acp.StopReasonCancelled {
		t.Errorf("the cancelled question stopped with %s", got)
	}
	if got := e.ask("and now?"); got != acp.StopReasonEndTurn {
		t.Errorf("the next turn stopped with %s", got)
	}
	if _, err := os.Stat(filepath.Join(h.work, "b.txt")); err == nil {
		t.Error("the file was written")
	}
}

// TestEditorLeaves closes the connection in the middle of a turn. The turn ends and is
// saved.
func TestEditorLeaves(t *testing.T) {
	s := serve(t, begin("A long answer"))
	h := newHome(t, nil, at(s)...)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{}).open(h)
	go func() {
		_, _ = e.Prompt(context.Background(), acp.PromptRequest{SessionId: e.session, Prompt: []acp.ContentBlock{acp.TextBlock("talk")}})
	}()
	waitFor(t, "text", func() bool { return strings.Contains(e.peek(), "A long answer") })
	e.in.Close()
	if err := <-e.ended; err != nil {
		t.Error(err)
	}
	e.ended <- nil
	all, err := h.store().List("")
	if err != nil || len(all) != 1 {
		t.Fatalf("sessions: %v, %v", all, err)
	}
	log, err := os.ReadFile(all[0].Path)
	if err != nil || !strings.Contains(string(log), `"turn_end"`) || !strings.Contains(string(log), `"interrupted"`) {
		t.Errorf("the session is not complete: %v\n%s", err, log)
	}
}

// TestEditorFaults sends messages that are wrong. Each gets an error, and the connection
// lives on.
func TestEditorFaults(t *testing.T) {
	s := serve(t)
	h := newHome(t, nil, at(s)...)
	h.enter(t)
	toAgent, in := io.Pipe()
	fromAgent, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- front.Serve(context.Background(), toAgent, out, editorOptions(&flags{}, &exit.Signals{}))
	}()
	answers := bufio.NewScanner(fromAgent)
	for _, c := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `"id":1,"error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":7}}`, `"id":2,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"src","mcpServers":[]}}`, `cwd must be an absolute path`},
		{`{"jsonrpc":"2.0","id":4,"method":"session/load","params":{"cwd":"/","sessionId":"nothing","mcpServers":[]}}`, `"id":4,"error":{"code":-32603`},
		{`{"jsonrpc":"2.0","id":4,"method":"session/load","params":{"cwd":"/","sessionId":"","mcpServers":[]}}`, `"id":4,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"nothing","prompt":[{"type":"text","text":"` + strings.Repeat("x", 11<<20) + `"}]}}`, `"id":5,"error":{"code":-32600,"message":"Invalid request","data":{"error":"the message is larger than 10 MiB`},
		{`{"text":"` + strings.Repeat("x", 11<<20) + `"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":`, `"id":null,"error":{"code":-32700`},
		{`[]`, `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":"six","method":"initialize","params":{"protocolVersion":99}}`, `"id":"six","result":{"agentCapabilities"`},
	} {
		if _, err := io.WriteString(in, c.line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), c.want) {
			t.Errorf("%.200s: got %.400s, want %s", c.line, answers.Text(), c.want)
		}
	}
	in.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestEditorFiles reads and changes a file with unsaved text in the editor.
func TestEditorFiles(t *testing.T) {
	s := serve(t,
		call("read", `{"path":"main.go"}`, "read", `{"path":"crlf.txt"}`),
		call("edit", `{"path":"main.go","old":"unsaved","new":"agreed"}`),
		call("edit", `{"path":"main.go","old":"agreed","new":"lost"}`),
		say("Done."),
	)
	h := newHome(t, map[string]string{"main.go": goFile, "crlf.txt": "one\r\ntwo\r\n"}, at(s)...)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}).open(h)
	e.files["main.go"] = strings.ReplaceAll(goFile, "hello", "unsaved")
	e.files["crlf.txt"] = "one\ntwo" // saved: only its line ends differ
	asked := 0
	e.choose = func(ctx context.Context, r acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		if asked++; asked == 2 { // the user types while the question waits
			e.mu.Lock()
			e.files["main.go"] += "// more\n"
			e.mu.Unlock()
		}
		return pick(acp.PermissionOptionKindAllowOnce)(ctx, r)
	}
	if got := e.ask("go"); got != acp.StopReasonEndTurn {
		t.Errorf("the turn stopped with %s", got)
	}
	want := strings.ReplaceAll(goFile, "hello", "agreed")
	if got := read(t, h, "main.go"); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if d := diff.Diff(map[string]string{"main.go": want}, e.writes); d != "" {
		t.Errorf("writes to the editor (-want +got):\n%s", d)
	}
	body := s.seen()[3].body
	for _, want := range []string{"unsaved", "changes of this file that are not saved", "its text in the editor has changed since the call was prepared", `1\tone\n2\ttwo`} {
		if !strings.Contains(body, want) {
			t.Errorf("the model did not get %q", want)
		}
	}
	if strings.Count(body, "changes of this file that are not saved") != 1 {
		t.Error("crlf.txt counts as unsaved")
	}
}

// TestEditorUndo undoes a turn and rejects an undo.
func TestEditorUndo(t *testing.T) {
	s := serve(t, call("write", `{"path":"new.txt","content":"n\n"}`), say("Done."))
	h := newHome(t, nil, at(s)...)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{}).open(h)
	e.choose = pick(acp.PermissionOptionKindAllowOnce)
	e.ask("write")
	e.questions()
	e.choose = pick(acp.PermissionOptionKindRejectOnce)
	e.ask("/undo")
	if got := read(t, h, "new.txt"); got != "n\n" {
		t.Errorf("the rejected undo left %q", got)
	}
	e.take()
	e.choose = pick(acp.PermissionOptionKindAllowOnce)
	if got := e.ask("/undo"); got != acp.StopReasonEndTurn {
		t.Errorf("the undo stopped with %s", got)
	}
	if _, err := os.Stat(filepath.Join(h.work, "new.txt")); err == nil {
		t.Error("the file is still there")
	}
	if got := e.questions(); !strings.Contains(got, "Undo the changes of 1 turn in 1 file?") {
		t.Errorf("the user was asked: %s", got)
	}
	if got := e.take(); !strings.Contains(got, "Undo: 1 file restored.") {
		t.Errorf("updates: %s", got)
	}
	e.choose = func(ctx context.Context, _ acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		_ = e.Cancel(ctx, acp.CancelNotification{SessionId: e.session})
		<-ctx.Done() // the agent withdraws the question
		return acp.RequestPermissionOutcome{Cancelled: &acp.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}
	}
	if got := e.ask("/redo"); got != acp.StopReasonCancelled {
		t.Errorf("the cancelled redo stopped with %s", got)
	}
	e.take()
	e.ask("/undo")
	if got := e.take(); !strings.Contains(got, "nothing is left to undo") {
		t.Errorf("an undo without changes says nothing: %s", got)
	}
}

// TestEditorOutput streams the output of a command while it runs, loads the open session
// again, and cuts a long output.
func TestEditorOutput(t *testing.T) {
	s := serve(t,
		call("shell", `{"command":"echo one; while [ ! -e go ]; do sleep 0.01; done; echo two"}`),
		call("read", `{"path":"long.txt"}`), say("Done."),
	)
	h := newHome(t, map[string]string{"long.txt": strings.Repeat("A line of a long file.\n", 1500)}, at(s)...)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{}).open(h)
	e.choose = pick(acp.PermissionOptionKindAllowOnce)
	stopped := make(chan acp.StopReason)
	go func() { stopped <- e.ask("run") }()
	waitFor(t, "the first line", func() bool { return strings.Contains(e.peek(), "```\\none\\n```") })
	if err := os.WriteFile(filepath.Join(h.work, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := <-stopped; got != acp.StopReasonEndTurn {
		t.Errorf("the turn stopped with %s", got)
	}
	if got := e.take(); !strings.Contains(got, `one\ntwo\n[exit 0]`) {
		t.Errorf("the updates have no complete output:\n%s", got)
	}
	if _, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: e.session, Cwd: h.work, McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	got := e.take()
	if !strings.HasPrefix(got, "user run\n") || !strings.Contains(got, `one\ntwo\n[exit 0]`) || !strings.Contains(got, " omitted]") || len(got) > 15<<10 {
		t.Errorf("the replay has %d bytes:\n%s", len(got), got)
	}
}

// TestEditorQuestions answers a question of the model and a plan, and gives a standing
// permission.
func TestEditorQuestions(t *testing.T) {
	s := serve(t,
		call("ask", `{"question":"Which color?","choices":[{"text":"red","explain":"like fire"},{"text":"blue"}]}`),
		call("present_plan", `{"title":"Paint","steps":["paint it blue"]}`),
		call("write", `{"path":"a.txt","content":"a\n"}`),
		call("write", `{"path":"b.txt","content":"b\n"}`),
		say("Done."),
	)
	h := newHome(t, nil, at(s)...)
	e := connectEditor(t, h, s, acp.FileSystemCapabilities{}).open(h)
	if _, err := e.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: e.session, ModeId: "plan"}); err != nil {
		t.Error(err)
	}
	answers := []string{"blue", "Yes, and ask before each edit", "Yes, and allow all edits in this session"}
	e.choose = func(_ context.Context, r acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		for _, o := range r.Options {
			if len(answers) > 0 && o.Name == answers[0] {
				answers = answers[1:]
				return acp.RequestPermissionOutcome{Selected: &acp.RequestPermissionOutcomeSelected{Outcome: "selected", OptionId: o.OptionId}}
			}
		}
		t.Errorf("a question without that answer: %+v", r.Options)
		return acp.RequestPermissionOutcome{Cancelled: &acp.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}
	}
	if got := e.ask("paint"); got != acp.StopReasonEndTurn || len(answers) > 0 {
		t.Errorf("the turn stopped with %s; not asked: %q", got, answers)
	}
	want := strings.Join([]string{
		`Which color? "1. red: like fire" [allow_once red] [allow_once blue] [reject_once Let the model decide]`,
		`Approve this plan? "# Paint\n\n## Steps\n\n1. paint it blue\n" [allow_once Yes, and ask before each edit] [allow_once Yes, and continue in mode auto] [reject_once No, keep planning]`,
		`Create a.txt? "Create a.txt?\n\nchanges files (permission mode: ask)" <a.txt: new file -> "a\n"> [allow_once Yes] [allow_always Yes, and allow all edits in this session] [reject_once No]`,
	}, "\n")
	if d := diff.Diff(want, e.questions()); d != "" {
		t.Errorf("questions (-want +got):\n%s", d)
	}
	if got := e.take(); !strings.Contains(got, "mode plan") || !strings.Contains(got, "mode ask") {
		t.Errorf("the modes were not sent:\n%s", got)
	}
	if body := s.seen()[1].body; !strings.Contains(body, "blue") || read(t, h, "b.txt") != "b\n" {
		t.Errorf("the answer did not reach the model: %.3000s", body)
	}
}
