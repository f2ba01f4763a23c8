package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/tools"
	"agent/internal/tools/mcp"
	"agent/internal/tools/shell/supervisor"
)

// serverKind is the variable that makes the test binary a server.
const serverKind = "MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	supervisor.Run(nil)
	if kind := os.Getenv(serverKind); kind != "" {
		serve(kind)
		return
	}
	os.Exit(m.Run())
}

// serve runs a server on standard input and output.
func serve(kind string) {
	switch kind {
	case "banner":
		fmt.Print("Welcome to the server!\n{\"level\":\"info\",\"msg\":\"ready\"}\n\n")
	case "broken":
		fmt.Fprintln(os.Stderr, "cannot find the database")
		os.Exit(3)
	case "old", "mute", "late", "new", "slow":
		serveByHand(kind)
		return
	case "large":
		serveLarge()
		return
	case "storm", "deaf":
		serveHostile(kind)
		return
	case "silent":
		<-time.After(time.Hour) // without cgo, select {} would end the program as a deadlock
	}
	if kind == "library" {
		_ = newLibrary().Run(context.Background(), &sdk.StdioTransport{})
		return
	}
	_ = newServer(kind).Run(context.Background(), &sdk.StdioTransport{})
}

// serveByHand speaks protocol 2024-11-05. It does not know server/discover, and lists a tool
// with an invalid schema. A mute server ignores requests that it does not know, a late one
// rejects server/discover after it was asked to initialize, and a new one speaks only
// protocol 2026-07-28. A slow one speaks both, but only one of them to a client.
func serveByHand(kind string) {
	var discover json.RawMessage
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch m.Method {
		case "server/discover":
			switch discover = m.ID; kind {
			case "mute", "late":
				continue
			case "new", "slow":
				answer = `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"new","version":"1"}}`
			}
		case "initialize":
			if kind == "new" {
				break
			}
			if kind == "slow" {
				answer = `"error":{"code":-32600,"message":"duplicate \"initialize\" received"}`
				break
			}
			if kind == "late" {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", discover, answer)
			}
			answer = `"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[{"name":"good","inputSchema":{"type":"object"}},{"name":"bad","inputSchema":{"type":"string"}},{"name":"worse","inputSchema":{"type":"object","properties":[]}}]}`
		case "tools/call":
			answer = `"result":{"content":[{"type":"text","text":"old but good"}]}`
			if bytes.Contains(lines.Bytes(), []byte(`"worse"`)) {
				answer = `"result":{"content":[{"type":"video"},{"type":"image","data":"%"},{"type":"text","text":"old but good"}]}`
			}
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
	}
}

// dot is a PNG image of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// newServer returns a server of a kind.
func newServer(kind string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: kind, Version: "1"}, &sdk.ServerOptions{Instructions: "Ask for one row."})
	add := func(name string, run func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "runs " + name, InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"count":{"type":"integer"}}}`)}, run)
	}
	text := func(text string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	}
	if kind == "many" {
		for i := range 300 {
			s.AddTool(&sdk.Tool{Name: fmt.Sprintf("tool_%03d", i), Description: fmt.Sprintf("reads table %d of the warehouse", i), InputSchema: json.RawMessage(`{"type":"object"}`)},
				func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("row"), nil })
		}
		return s
	}
	add("echo", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(string(r.Params.Arguments)), nil
	})
	add("bad name/with spaces and a length that no provider of models accepts at all", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("named"), nil
	})
	add("env", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strings.Join(os.Environ(), "\n")), nil
	})
	add("content", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		image, _ := base64.StdEncoding.DecodeString(dot)
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "hello"}, &sdk.ImageContent{Data: image, MIMEType: "image/png"}, &sdk.AudioContent{Data: []byte("la"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "file:///a", Name: "a"}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b", Text: "inside"}},
		}, StructuredContent: map[string]any{"answer": 42}}, nil
	})
	add("fail", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := text("no such table")
		r.IsError = true
		return r, nil
	})
	add("reject", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, errors.New("not today")
	})
	add("progress", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i := range 5 {
			time.Sleep(60 * time.Millisecond) // a server at work: together longer than the limit of silence
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 5, Message: "working"})
		}
		return text("done"), nil
	})
	add("hang", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("big", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("begin" + strings.Repeat("x", 2<<20) + "end"), nil
	})
	add("noise", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprint(os.Stderr, strings.Repeat("y", 1<<20)+"\nlast line\n")
		return text("quiet"), nil
	})
	add("exit", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(1)
		return nil, nil
	})
	add("grow", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("new"), nil })
		return text("grew"), nil
	})
	return s
}

// program returns the configuration of a server that the test binary runs.
func program(t *testing.T, name, kind string) mcp.Server {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the supervisor is a helper on Unix")
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Server{Name: name, Command: []string{path}, Dir: t.TempDir(), Env: []string{serverKind + "=" + kind, "PATH=" + os.Getenv("PATH")}}
}

// connect connects to servers and waits until they are ready or have failed.
func connect(t *testing.T, o mcp.Options) *mcp.Connections {
	t.Helper()
	c := mcp.New(o)
	t.Cleanup(c.Close)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := c.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return c
}

// call calls a tool and returns its text.
func call(t *testing.T, c *mcp.Connections, server, tool, args string) string {
	t.Helper()
	r, err := c.Call(t.Context(), server, tool, json.RawMessage(args), tools.Approved{})
	if err != nil {
		t.Fatalf("%s/%s: %v", server, tool, err)
	}
	return r.Text
}

func TestToolsOfAProgram(t *testing.T) {
	saved := ""
	c := connect(t, mcp.Options{
		Servers: []mcp.Server{program(t, "one", "banner"), program(t, "two", "basic")},
		Save:    func(text string) (string, error) { saved = text; return "/outputs/mcp.txt", nil },
	})
	names := map[string]string{}
	for _, s := range c.Servers() {
		if s.State != mcp.Ready {
			t.Fatalf("%s is %s: %s", s.Name, s.State, s.Why)
		}
	}
	for _, tool := range c.Tools() {
		if other, ok := names[tool.Name]; ok || len(tool.Name) > 64 || strings.ContainsAny(tool.Name, " /.") {
			t.Errorf("the name %s of %s/%s is that of %s, or invalid", tool.Name, tool.Server, tool.Tool, other)
		}
		names[tool.Name] = tool.Server + "/" + tool.Tool
	}
	if names["mcp__one__echo"] != "one/echo" || names["mcp__two__echo"] != "two/echo" || len(names) != 24 {
		t.Errorf("the tools are %v", names)
	}
	if log := c.Log("one"); !strings.Contains(log, "Welcome to the server!") || !strings.Contains(log, `"msg":"ready"`) {
		t.Errorf("the log is %q", log)
	}
	t.Run("text", func(t *testing.T) {
		if got := call(t, c, "one", "echo", `{"text":"hi"}`); got != `{"text":"hi"}`+"\n" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("environment", func(t *testing.T) {
		if got := call(t, c, "two", "env", `{}`); strings.Contains(got, "HOME=") || !strings.Contains(got, serverKind+"=basic") {
			t.Errorf("the server sees %q", got)
		}
	})
	t.Run("content", func(t *testing.T) {
		r, err := c.Call(t.Context(), "two", "content", nil, tools.Approved{})
		if err != nil {
			t.Fatal(err)
		}
		want := "hello\n[image, image/png, 1 x 1]\n[audio, audio/wav, 2 bytes, not shown]\n[resource file:///a a]\n[resource file:///b]\ninside\n{\n  \"answer\": 42\n}\n"
		if r.Text != want || len(r.Images) != 1 || r.Source != "two" {
			t.Errorf("got %q, %d images, source %s", r.Text, len(r.Images), r.Source)
		}
	})
	t.Run("errors", func(t *testing.T) {
		r, err := c.Call(t.Context(), "two", "fail", nil, tools.Approved{})
		if err != nil || !r.IsError || r.Text != "no such table\n" {
			t.Errorf("got %+v, %v", r, err)
		}
		r, err = c.Call(t.Context(), "two", "reject", nil, tools.Approved{})
		if err == nil || !strings.Contains(err.Error(), "not today") || r.Source != "two" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	t.Run("long result", func(t *testing.T) {
		got := call(t, c, "two", "big", `{}`)
		if len(got) > 25<<10 || !strings.HasPrefix(got, "beginxxx") || !strings.HasSuffix(got, "xxxend\n") || !strings.Contains(got, "the complete result is in /outputs/mcp.txt") {
			t.Errorf("got %d bytes: %.40s … %s", len(got), got, got[max(0, len(got)-40):])
		}
		if len(saved) != 2<<20+9 {
			t.Errorf("%d bytes were saved", len(saved))
		}
	})
	t.Run("standard error", func(t *testing.T) {
		if got := call(t, c, "two", "noise", `{}`); got != "quiet\n" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("unknown server", func(t *testing.T) {
		if _, err := c.Call(t.Context(), "three", "echo", nil, tools.Approved{}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("exit during a call", func(t *testing.T) {
		_, err := c.Call(t.Context(), "two", "exit", nil, tools.Approved{})
		if err == nil || !strings.Contains(err.Error(), "may or may not have taken effect") || !strings.Contains(err.Error(), "out of memory") {
			t.Errorf("the error is %v", err)
		}
		// The next call starts the server again.
		if got := call(t, c, "two", "echo", `{"text":"again"}`); got != `{"text":"again"}`+"\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestSilenceEndsACallAndProgressDoesNot(t *testing.T) {
	s := program(t, "slow", "basic")
	s.Silence = 200 * time.Millisecond
	c := connect(t, mcp.Options{Servers: []mcp.Server{s}})
	var lines []string
	r, err := c.Call(t.Context(), "slow", "progress", nil, tools.Approved{Progress: func(text string) { lines = append(lines, text) }})
	if err != nil || r.Text != "done\n" || len(lines) == 0 || lines[0] != "1/5 working\n" {
		t.Errorf("got %q, %v after %q", r.Text, err, lines)
	}
	if _, err := c.Call(t.Context(), "slow", "hang", nil, tools.Approved{}); err == nil || !strings.Contains(err.Error(), "was silent") {
		t.Errorf("the error is %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, stop)
	if _, err := c.Call(ctx, "slow", "hang", nil, tools.Approved{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if got := call(t, c, "slow", "echo", `{}`); got != "{}\n" {
		t.Errorf("after a cancelled call, got %q", got)
	}
}

func TestListsAreFollowed(t *testing.T) {
	s := program(t, "growing", "basic")
	s.Allow, s.Deny = []string{"e*", "g*"}, []string{"exit"}
	c := connect(t, mcp.Options{Servers: []mcp.Server{s}})
	names := func() (all []string) {
		for _, tool := range c.Tools() {
			all = append(all, tool.Tool)
		}
		return all
	}
	if got := names(); !slices.Equal(got, []string{"echo", "env", "grow"}) {
		t.Errorf("the tools are %q", got)
	}
	call(t, c, "growing", "grow", `{}`)
	limit := time.After(30 * time.Second)
	for !slices.Contains(names(), "grown") {
		select {
		case <-c.Changed():
		case <-limit:
			t.Fatalf("the tools are %q", names())
		}
	}
	if got := call(t, c, "growing", "grown", `{}`); got != "new\n" {
		t.Errorf("got %q", got)
	}
}

func TestServersThatFail(t *testing.T) {
	missing := program(t, "missing", "")
	missing.Command = []string{"no-such-program"}
	off := program(t, "off", "basic")
	off.Off = "it is disabled"
	c := connect(t, mcp.Options{
		Servers:   []mcp.Server{program(t, "broken", "broken"), program(t, "old", "old"), missing, off, program(t, "silent", "silent"), {Name: "unreachable", URL: "http://127.0.0.1:1/mcp"}},
		StartTime: 3 * time.Second, // ample for a program under load
	})
	for i, want := range []struct {
		name, why string
		state     mcp.State
	}{
		{"broken", "the program ended (exit 3); its last output: cannot find the database", mcp.Failed},
		{"missing", "no-such-program", mcp.Failed},
		{"off", "it is disabled", mcp.Off},
		{"old", "", mcp.Ready},
		{"silent", "no answer within 3s", mcp.Failed},
		{"unreachable", "connection refused", mcp.Failed},
	} {
		if got := c.Servers()[i]; got.Name != want.name || got.State != want.state || !strings.Contains(got.Why, want.why) || strings.Contains(got.Why, "initialize") {
			t.Errorf("%s is %s: %s", got.Name, got.State, got.Why)
		}
	}
	old := c.Servers()[3]
	if old.Protocol != "2024-11-05" || len(old.Tools) != 2 || len(old.Rejected) != 1 || !strings.HasPrefix(old.Rejected[0], "bad: its schema cannot be used: its type is not") {
		t.Errorf("the old server has protocol %s, tools %v, rejected %q", old.Protocol, old.Tools, old.Rejected)
	}
	if got := call(t, c, "old", "good", `{}`); got != "old but good\n" {
		t.Errorf("got %q", got)
	}
	if _, err := c.Call(t.Context(), "broken", "x", nil, tools.Approved{}); err == nil || !strings.Contains(err.Error(), "cannot find the database") {
		t.Errorf("the error is %v", err)
	}
	if text := <-c.Problems(); !strings.Contains(text, "is not available") {
		t.Errorf("the user is told %q", text)
	}
}

// web is a server over HTTP that can be restarted with the same address.
type web struct {
	*httptest.Server
	mu      sync.Mutex
	handler http.Handler
	headers []http.Header
	calls   int // tools/call requests that reached the server
}

func startWeb(t *testing.T, kind string, sse bool) *web {
	w := &web{}
	w.restart(kind, sse)
	w.Server = httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		w.mu.Lock()
		w.headers = append(w.headers, req.Header.Clone())
		h := w.handler
		w.mu.Unlock()
		h.ServeHTTP(res, req)
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	return w
}

// restart forgets all sessions.
func (w *web) restart(kind string, sse bool) {
	server := newServer(kind)
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method == "tools/call" {
				w.mu.Lock()
				w.calls++
				w.mu.Unlock()
			}
			return next(ctx, method, req)
		}
	})
	get := func(*http.Request) *sdk.Server { return server }
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handler = sdk.NewStreamableHTTPHandler(get, nil)
	if sse {
		w.handler = sdk.NewSSEHandler(get, nil)
	}
}

func TestServersOverHTTP(t *testing.T) {
	w, old := startWeb(t, "basic", false), startWeb(t, "basic", true)
	c := connect(t, mcp.Options{Servers: []mcp.Server{
		{Name: "web", URL: w.URL, Headers: map[string]string{"X-Team": "blue"}},
		{Name: "sse", URL: old.URL, SSE: true},
		{Name: "guessed", URL: old.URL},
	}})
	for _, name := range []string{"web", "sse", "guessed"} {
		if got := call(t, c, name, "echo", `{"text":"hi"}`); got != `{"text":"hi"}`+"\n" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	for _, h := range w.headers {
		if h.Get("X-Team") != "blue" {
			t.Errorf("a request has the headers %v", h)
		}
	}
	w.calls = 0
	w.restart("basic", false)
	if got := call(t, c, "web", "echo", `{"text":"new session"}`); got != `{"text":"new session"}`+"\n" || w.calls != 1 {
		t.Errorf("after a restart: got %q in %d calls", got, w.calls)
	}
}

func TestDeniedServersNeedALogin(t *testing.T) {
	w := httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") != "Bearer right" {
			res.WriteHeader(http.StatusUnauthorized)
			return
		}
		sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newServer("basic") }, &sdk.StreamableHTTPOptions{Stateless: true}).ServeHTTP(res, req)
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	with := func(token string) func() (string, mcp.Authorize, error) {
		return func() (string, mcp.Authorize, error) {
			return w.URL, func(_ context.Context, h http.Header) error { h.Set("Authorization", "Bearer "+token); return nil }, nil
		}
	}
	c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "denied", URL: "/mcp", Locate: with("wrong")}, {Name: "welcome", URL: "/mcp", Locate: with("right")}}})
	if got := c.Servers(); got[0].State != mcp.NeedsLogin || got[1].State != mcp.Ready {
		t.Errorf("the servers are %s: %s and %s: %s", got[0].State, got[0].Why, got[1].State, got[1].Why)
	}
}

func TestNoServerOutlivesClose(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no /proc")
	}
	mark := "mark-" + rand.Text()
	one, two := program(t, "one", "basic"), program(t, "two", "silent")
	one.Command, two.Command = append(one.Command, mark), append(two.Command, mark)
	c := mcp.New(mcp.Options{Servers: []mcp.Server{one, two}, StartTime: time.Minute})
	c.Start()
	alive := func() (n int) {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, file := range lines {
			if text, _ := os.ReadFile(file); strings.Contains(string(text), mark) {
				n++
			}
		}
		return n
	}
	limit := time.After(30 * time.Second)
	for c.Servers()[0].State != mcp.Ready || alive() < 2 {
		select {
		case <-limit:
			t.Fatal("the servers do not start")
		default:
			runtime.Gosched()
		}
	}
	c.Close()
	if n := alive(); n > 0 {
		t.Errorf("%d servers are alive after Close", n)
	}
}
