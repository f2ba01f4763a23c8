package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/tools"
	"agent/internal/tools/mcp"
)

// serveHostile runs a server on standard input and output by hand. A storm reports many
// changes of its tools; its result is how often they were listed. A deaf server does not
// read after it has listed its tools. A curious one asks questions without end during a
// call, and does not read the answers.
func serveHostile(kind string) {
	lines := bufio.NewScanner(os.Stdin)
	lists := 0
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
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			lists++
			answer = `"result":{"tools":[{"name":"go","inputSchema":{"type":"object"}},{"name":"count","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			for i := 0; kind == "curious"; i++ {
				fmt.Printf(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"%s","requestedSchema":{"type":"object","properties":{"x":{"type":"string"}}}}}`+"\n", i, strings.Repeat("?", 1000))
			}
			if strings.Contains(lines.Text(), `"name":"go"`) {
				fmt.Print(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", 500))
			}
			answer = fmt.Sprintf(`"result":{"content":[{"type":"text","text":"%d lists"}]}`, lists)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
		if kind == "deaf" && m.Method == "tools/list" {
			<-time.After(time.Hour) // without cgo, select {} would end the program as a deadlock
		}
	}
}

// A server that reports changes all the time is not asked for its tools all the time.
func TestAStormOfChanges(t *testing.T) {
	c := connect(t, mcp.Options{Servers: []mcp.Server{program(t, "storm", "storm")}})
	call(t, c, "storm", "go", `{}`)
	for range 20 { // these calls follow the requests that the changes caused
		call(t, c, "storm", "go", `{}`)
	}
	if got := call(t, c, "storm", "count", `{}`); len(got) > len("99 lists\n") {
		t.Errorf("10,500 changes caused %s", got)
	}
}

// A call can be cancelled although the server does not read it.
func TestADeafServer(t *testing.T) {
	c := connect(t, mcp.Options{Servers: []mcp.Server{program(t, "deaf", "deaf")}})
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, "deaf", "go", json.RawMessage(`{"text":"`+strings.Repeat("x", 1<<20)+`"}`), tools.Approved{})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the call succeeds")
		}
	case <-time.After(15 * time.Second):
		t.Fatal("the call does not end")
	}
}

// A server cannot send requests with arguments of calls to another host.
func TestServersCannotChooseAnotherHost(t *testing.T) {
	inner := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host got %s %s", r.Method, r.URL)
	}))
	t.Cleanup(inner.Close)
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sse" {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: %s/admin\n\n", inner.URL)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		http.Redirect(w, r, inner.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(func() { outer.CloseClientConnections(); outer.Close() })
	c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "redirect", URL: outer.URL}, {Name: "sse", URL: outer.URL + "/sse", SSE: true}}})
	for _, s := range c.Servers() {
		if s.State != mcp.Failed || !strings.Contains(s.Why, "refers to "+inner.URL) {
			t.Errorf("%s is %s: %s", s.Name, s.State, s.Why)
		}
	}
}

// The body of an error is limited, whatever its type.
func TestEndlessErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it, and TestEndlessEvents reads as much")
	}
	const most = 64 << 20
	sent := make(chan int, 100)
	w := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusTeapot)
		n := 0
		for piece := strings.Repeat("x", 1<<20); n < 2*most && r.Context().Err() == nil; n += len(piece) {
			if _, err := io.WriteString(w, piece); err != nil {
				break
			}
		}
		sent <- n
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "endless", URL: w.URL}}})
	if s := c.Servers()[0]; s.State != mcp.Failed {
		t.Errorf("the server is %s", s.State)
	}
	if n := <-sent; n > most {
		t.Errorf("%d bytes of an error were read", n)
	}
}

// The definitions of a server are limited together.
func TestLargeDefinitions(t *testing.T) {
	page := 0
	big := strings.Repeat("x", 60<<10)
	w := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
		case "tools/list":
			page++
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"nextCursor":"more","tools":[{"name":"t%d","inputSchema":{"type":"object","title":%q}}]}}`, m.ID, page, big)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
		}
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "large", URL: w.URL}}})
	s := c.Servers()[0]
	size := 0
	for _, tool := range s.Tools {
		size += len(tool.Schema)
	}
	if s.State != mcp.Ready || size == 0 || size > 16<<20 || len(s.Rejected) != 1 {
		t.Errorf("%s: %s with %d tools of %d bytes, without %q", s.State, s.Why, len(s.Tools), size, s.Rejected)
	}
}

// A server is checked before each connection.
func TestServersAreCheckedAgain(t *testing.T) {
	s := program(t, "checked", "basic")
	var checks atomic.Int32
	s.Check = func() error {
		if checks.Add(1) > 1 {
			return errors.New("it has changed")
		}
		return nil
	}
	c := connect(t, mcp.Options{Servers: []mcp.Server{s}})
	if got := call(t, c, "checked", "echo", `{}`); got != "{}\n" {
		t.Errorf("got %q", got)
	}
	if err := c.Reconnect(t.Context(), "checked"); err == nil || !strings.Contains(err.Error(), "it has changed") {
		t.Errorf("the error is %v", err)
	}
	if _, err := c.Call(t.Context(), "checked", "echo", nil, tools.Approved{}); err == nil || !strings.Contains(err.Error(), "it has changed") {
		t.Errorf("the call ends with %v", err)
	}
}

// A tool whose schema is nested very deep is left out, and the others are used. References
// that never end, and patterns, are left to the server.
func TestHostileSchemas(t *testing.T) {
	properties := make([]string, 100_000)
	for i := range properties {
		properties[i] = fmt.Sprintf(`"p%d":{}`, i)
	}
	list := []string{
		`{"name":"deep","inputSchema":{"type":"object","properties":` + strings.Repeat(`{"a":`, 400) + `{}` + strings.Repeat(`}`, 400) + `}}`,
		`{"name":"many","inputSchema":{"type":"object","properties":{` + strings.Join(properties, ",") + `}}}`,
		`{"name":"loop","inputSchema":{"type":"object","$ref":"#","properties":{"a":{"$ref":"#/properties/a"}}}}`,
		`{"name":"pattern","inputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"(((a{1,1000}){1,1000}){1,1000})*(?<=b)"}}}}`,
	}
	w := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[` + strings.Join(list, ",") + `]}`
		case "tools/call":
			answer = `"result":{"content":[{"type":"text","text":"ok"}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "x", URL: w.URL}}})
	s := c.Servers()[0]
	if s.State != mcp.Ready || len(s.Tools) != 2 || len(s.Rejected) != 2 || !strings.HasPrefix(s.Rejected[0], "deep: its schema cannot be used: it has more than 100 levels") {
		t.Fatalf("%s: %s, %d tools, %q", s.State, s.Why, len(s.Tools), s.Rejected)
	}
	for _, tool := range []string{"loop", "pattern"} {
		_, got, err := run(t, &mcp.Toolbox{Connections: c}, "mcp_call", `{"tool":"mcp__x__`+tool+`","arguments":{"a":"`+strings.Repeat("a", 10_000)+`"}}`)
		if err != nil || got.Text != "ok\n" {
			t.Errorf("%s: %q, %v", tool, got.Text, err)
		}
	}
}

// An event that never ends is not kept in memory: the call fails. A long stream of short
// events is no failure.
func TestEndlessEvents(t *testing.T) {
	const most = 40 << 20
	sent := make(chan int, 1)
	w := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[{"name":"endless","inputSchema":{"type":"object"}},{"name":"long","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			line := "data: " + strings.Repeat("x", 1<<20) + "\r\n"
			if m.Params.Name == "long" {
				line = ": " + strings.Repeat("x", 1<<20) + "\r\n\r\n"
			}
			n := 0
			for ; n < most+8<<20 && r.Context().Err() == nil; n += len(line) {
				if _, err := io.WriteString(w, line); err != nil {
					break
				}
			}
			fmt.Fprintf(w, "\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"end\"}]}}\n\n", m.ID)
			sent <- n
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "x", URL: w.URL}}})
	if got := call(t, c, "x", "long", `{}`); got != "end\n" || <-sent <= most {
		t.Errorf("the long stream ends with %q", got)
	}
	if _, err := c.Call(t.Context(), "x", "endless", nil, tools.Approved{}); err == nil {
		t.Error("the endless event is a result")
	}
	if n := <-sent; n > most {
		t.Errorf("%d bytes of an event were read", n)
	}
}

// Long tuples in schemas take little time, and closing does not wait until all are listed.
func TestLongTuples(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	tool := func(name string, length int) string {
		var tuple []string
		for i := range length {
			tuple = append(tuple, fmt.Sprintf(`{"const":%d}`, i))
		}
		return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"a":{"type":"array","items":[%s]}}}}`, name, strings.Join(tuple, ","))
	}
	list := []string{tool("huge", 60_000)}
	for i := range 40 {
		list = append(list, tool(fmt.Sprintf("long%d", i), 4000))
	}
	listed := make(chan bool, 10)
	w := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[` + strings.Join(list, ",") + `]}`
			defer func() { listed <- true }()
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
	}))
	t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
	o := mcp.Options{Servers: []mcp.Server{{Name: "x", URL: w.URL}}}

	c := mcp.New(o)
	c.Start()
	<-listed
	closed := make(chan bool)
	go func() { c.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Fatal("Close waits until all tools are listed")
	}

	s := connect(t, o).Servers()[0]
	if s.State != mcp.Ready || len(s.Tools) != 40 || len(s.Rejected) != 1 || s.Rejected[0] != "huge: its schema is larger than 64 KiB" {
		t.Errorf("%s: %s, %d tools, %q", s.State, s.Why, len(s.Tools), s.Rejected)
	}
}

// A server that asks questions without end is disconnected before they fill the memory,
// whether a user can answer them or not, and over HTTP too.
func TestAFloodOfQuestions(t *testing.T) {
	flood := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		if m.ID == nil || m.Method == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		switch m.Method {
		case "initialize":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID)
		case "tools/list":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}}`, m.ID)
		case "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			for i := 0; r.Context().Err() == nil; i++ {
				if _, err := fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"x":{"type":"string"}}}}}`+"\n\n", i); err != nil {
					return
				}
			}
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
		}
	}))
	defer flood.Close()
	for _, asks := range []bool{true, false} {
		c := connect(t, mcp.Options{Asks: asks, Servers: []mcp.Server{program(t, "curious", "curious"), {Name: "flood", URL: flood.URL}}})
		for _, name := range []string{"curious", "flood"} {
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			_, err := c.Call(ctx, name, "go", json.RawMessage(`{}`), tools.Approved{})
			if err == nil || ctx.Err() != nil {
				t.Errorf("%s, asks %t: %v", name, asks, err)
			}
			stop()
		}
	}
}

// serveLarge runs a server whose tools answer with more than is read. It logs a line before
// each answer.
func serveLarge() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	large := strings.Repeat("x", 9<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[` + strings.TrimSuffix(strings.Repeat(`{"name":"NAME","inputSchema":{"type":"object"}},`, 6), ",") + `]}`
			for _, name := range []string{"ok", "first", "last", "unknown", "notice", "batch"} {
				answer = strings.Replace(answer, "NAME", name, 1)
			}
		case "tools/call":
			fmt.Fprintln(os.Stderr, "a line of the log")
			answer = `"result":{"content":[{"type":"text","text":"fine"}]}`
			result := `"result":{"content":[{"type":"text","text":"` + large + `"}]}`
			switch m.Params.Name {
			case "first":
				answer = result
			case "last":
				fmt.Printf(`{"jsonrpc":"2.0",%s,"id":%s}`+"\n", result, m.ID)
				continue
			case "unknown":
				fmt.Printf(`{"jsonrpc":"2.0",%s,"id":%s,"more":"%s"}`+"\n", result, m.ID, strings.Repeat("y", 1000))
				continue
			case "notice":
				fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}`+"\n", large)
			case "batch":
				fmt.Println("[" + strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/x"},`, 100_000) + `{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + answer + "}]")
				continue
			}
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
	}
}

// An answer that is too long is an error of its call, and the server stays connected. If
// nobody can tell which call it answers, or a batch is too long, the server is disconnected
// with the reason.
func TestMessagesThatAreTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about sizes, which the race detector makes slow")
	}
	c := connect(t, mcp.Options{Servers: []mcp.Server{program(t, "large", "large")}})
	fails := func(tool, want string) {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if r, err := c.Call(ctx, "large", tool, json.RawMessage(`{}`), tools.Approved{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %d bytes and the error %v, want %q", tool, len(r.Text), err, want)
		}
	}
	fails("first", "the MCP server large answers: a message of more than 8 MiB, which was not read")
	fails("last", "the MCP server large answers: a message of more than 8 MiB, which was not read")
	for _, tool := range []string{"ok", "notice"} {
		if got := call(t, c, "large", tool, `{}`); got != "fine\n" {
			t.Errorf("%s: %q", tool, got)
		}
	}
	if log := c.Log("large"); !strings.Contains(log, "the server sent more than 8 MiB in a message") {
		t.Errorf("the log is %q", log)
	}
	fails("unknown", "closed the connection during the call: the server sent more than 8 MiB in a message")
	fails("batch", "closed the connection during the call: the server sent more than 1000 messages in a line")
	if got := call(t, c, "large", "ok", `{}`); got != "fine\n" {
		t.Errorf("after that: %q", got)
	}
}

// Over HTTP an answer that is too long is an error of its call, too, as one message or as an
// event.
func TestLongAnswersOverHTTP(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about sizes, which the race detector makes slow")
	}
	large := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "1"}, nil)
	large.AddTool(&sdk.Tool{Name: "large", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Repeat("x", 9<<20)}}}, nil
	})
	for _, asJSON := range []bool{true, false} {
		w := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return large }, &sdk.StreamableHTTPOptions{JSONResponse: asJSON}))
		t.Cleanup(func() { w.CloseClientConnections(); w.Close() })
		c := connect(t, mcp.Options{Servers: []mcp.Server{{Name: "x", URL: w.URL}}})
		_, err := c.Call(t.Context(), "x", "large", json.RawMessage(`{}`), tools.Approved{})
		if want := "the MCP server x answers: a message of more than 8 MiB, which was not read"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("as JSON %t: got %v, want %q", asJSON, err, want)
		}
	}
}
