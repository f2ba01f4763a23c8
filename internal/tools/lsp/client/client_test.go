package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/lsp/client"
	"agent/internal/tools/lsp/protocol"
)

// server is the other end of a connection, without any behavior of its own.
type server struct {
	t   *testing.T
	in  *bufio.Reader
	out io.Writer
}

// connect returns a client that runs, and its server. Both end with the test.
func connect(t *testing.T) (*client.Client, *server) {
	if runtime.GOOS == "windows" {
		t.Skip("the URIs of the test are those of Unix")
	}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	c := client.New(client.Options{Name: "x", Root: "/p", Request: time.Minute, Quiet: time.Millisecond})
	done := make(chan struct{})
	go func() {
		c.Run(stdout, stdin)
		close(done)
	}()
	go func() {
		<-c.Ended()
		in.Close()
		out.Close()
	}()
	t.Cleanup(func() {
		c.End(errors.New("the test has ended"))
		<-done
	})
	return c, &server{t, bufio.NewReader(in), out}
}

// start is connect with a server that is initialized, with these capabilities.
func start(t *testing.T, capabilities string) (*client.Client, *server) {
	t.Helper()
	c, s := connect(t)
	if got := s.receive(); !strings.Contains(got, `"method":"initialize"`) {
		t.Fatalf("the first message is %s", got)
	}
	s.send(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":` + capabilities + `}}`)
	s.expect(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	if err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, s
}

// receive returns the next message of the client.
func (s *server) receive() string {
	s.t.Helper()
	var size int
	if _, err := fmt.Fscanf(s.in, "Content-Length: %d\r\n\r\n", &size); err != nil {
		s.t.Fatal(err)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(s.in, text); err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// expect compares the next messages of the client.
func (s *server) expect(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if diff := cmp.Diff(w, s.receive()); diff != "" {
			s.t.Error(diff)
		}
	}
}

func (s *server) send(text string) {
	_, _ = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(text), text) // the client may have ended
}

// A server gets the text of a file when it is opened or changed. Of changes on disk, it gets
// deletions and those of files that are not open.
func TestDocuments(t *testing.T) {
	c, s := start(t, `{}`)
	event := func(file string, kind int) protocol.FileEvent {
		return protocol.FileEvent{URI: protocol.URIOf(file), Type: kind}
	}
	go func() {
		_ = c.Open("/p/a b.py", "")
		_ = c.Open("/p/a b.py", "")
		_ = c.Open("/p/a b.py", "x")
		c.Changed([]protocol.FileEvent{event("/p/a b.py", protocol.Created), event("/p/c", protocol.Created)})
		c.Changed([]protocol.FileEvent{event("/p/a b.py", protocol.Created)})
		c.Changed([]protocol.FileEvent{event("/p/a b.py", protocol.Deleted)})
		c.Close("/p/a b.py")
	}()
	s.expect(
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///p/a%20b.py","version":1,"languageId":"python","text":""}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///p/a%20b.py","version":2},"contentChanges":[{"text":"x"}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didSave","params":{"textDocument":{"uri":"file:///p/a%20b.py"}}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"file:///p/c","type":1}]}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"file:///p/a%20b.py","type":3}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///p/a%20b.py"}}}`,
	)
}

// At most 50 documents are open. The one that was sent first is closed.
func TestManyDocuments(t *testing.T) {
	c, s := start(t, `{}`)
	for i := range 50 {
		_ = c.Open(fmt.Sprintf("/p/%d", i), "")
		s.receive()
	}
	_ = c.Open("/p/0", "changed")
	s.receive()
	s.receive()
	_ = c.Open("/p/50", "")
	s.expect(
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///p/1"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///p/50","version":52,"text":""}}}`,
	)
	if n := len(c.Opened()); n != 50 {
		t.Errorf("%d documents are open", n)
	}
}

// Each request of the server gets an answer.
func TestServerRequests(t *testing.T) {
	_, s := start(t, `{}`)
	for method, want := range map[string]string{
		"workspace/configuration":        `"result":[null,null]`,
		"workspace/workspaceFolders":     `"result":[{"uri":"file:///p","name":"p"}]`,
		"client/registerCapability":      `"result":null`,
		"window/workDoneProgress/create": `"result":null`,
		"workspace/applyEdit":            `"result":{"applied":false,"failureReason":"not supported"}`,
		"workspace/unknown":              `"error":{"code":-32601,"message":"method not found: workspace/unknown"}`,
	} {
		s.send(`{"jsonrpc":"2.0","id":"s1","method":"` + method + `","params":{"items":[1,2]}}`)
		if got := s.receive(); !strings.Contains(got, want) || !strings.Contains(got, `"id":"s1"`) {
			t.Errorf("%s: %s", method, got)
		}
	}
}

// A request that is interrupted is canceled, and its late answer is ignored.
func TestCancel(t *testing.T) {
	c, s := start(t, `{}`)
	ctx, stop := context.WithCancel(t.Context())
	failed := make(chan error)
	request := func(ctx context.Context, result *string) {
		_, err := c.Request(ctx, "textDocument/hover", protocol.About("/p/a"), result)
		failed <- err
	}
	var first, second string
	go request(ctx, &first)
	s.expect(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///p/a"}}}`)
	if !c.Busy() {
		t.Error("a client that waits for an answer is not busy")
	}
	stop()
	if err := <-failed; err != context.Canceled {
		t.Errorf("the error of an interrupted request is %v", err)
	}
	s.expect(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`)
	s.send(`{"jsonrpc":"2.0","id":2,"result":"late"}`)
	go request(t.Context(), &second)
	s.receive()
	s.send(`{"jsonrpc":"2.0","id":3,"result":"answer"}`)
	if err := <-failed; err != nil || first != "" || second != "answer" || c.Busy() {
		t.Errorf("the results are %q and %q: %v", first, second, err)
	}
}

// An invalid message ends the connection with a reason. One that is too large is skipped.
func TestFrames(t *testing.T) {
	large := fmt.Sprintf("content-length: %d\r\nContent-Type: x\r\n\r\n%s", 16<<20+1, strings.Repeat(" ", 16<<20+1))
	values := "[" + strings.Repeat("0,", 300_001) + "0]"
	for name, c := range map[string]struct{ sent, want string }{
		"wrong length":   {"Content-Length: 3\r\n\r\n{}Content-Length: 2\r\n\r\n{}", "a message is not valid JSON"},
		"no length":      {"\r\n{}", `invalid Content-Length ""`},
		"negative":       {"Content-Length: -1\r\n\r\n{}", `invalid Content-Length "-1"`},
		"no header":      {"hello\r\n\r\n", "read the header of a message: malformed"},
		"long line":      {strings.Repeat("x", 1<<16), "the header of a message is longer than 4096 bytes"},
		"many lines":     {strings.Repeat("x: y\r\n", 1<<14), "the header of a message is longer than 4096 bytes"},
		"end in message": {"Content-Length: 10\r\n\r\n{", "the language server has ended"},
		"end in header":  {"Content-Length: 10\r\n", "the language server has ended"},
		"many values":    {fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(values), values), "the language server has ended"},
		"too large":      {large + "Content-Length: 2\r\n\r\nno", "a message is not valid JSON"},
	} {
		done := client.New(client.Options{Name: "x"})
		done.Run(strings.NewReader(c.sent), io.Discard)
		if err := done.Err(); !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err := done.Wait(t.Context()); !errors.Is(err, done.Err()) || !strings.HasPrefix(err.Error(), "x: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A server that does not read its input does not block the client.
func TestNotReading(t *testing.T) {
	c, _ := start(t, `{}`)
	var err error
	for i := 0; err == nil; i++ {
		if i > 100 {
			t.Fatal("all messages were queued")
		}
		err = c.Open("/p/a", fmt.Sprint(i))
	}
	if want := "the language server does not read its input"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the error is %v", err)
	}
}

// Errors are those of the text that was sent last.
func TestErrors(t *testing.T) {
	c, s := start(t, `{"diagnosticProvider":{}}`)
	_ = c.Open("/p/a", "old")
	s.receive()
	publish := func(version int, message string) {
		p := protocol.Published{URI: "file:///p/a", Version: version, Diagnostics: []protocol.Diagnostic{{Message: message}, {Severity: 2, Message: "a warning"}}}
		text, err := json.Marshal(map[string]any{"method": "textDocument/publishDiagnostics", "params": p})
		if err != nil {
			t.Fatal(err)
		}
		s.send(string(text))
	}
	publish(1, "old")
	_ = c.Open("/p/a", "new")
	s.receive()
	s.receive()
	publish(1, "old")
	if found, ok := c.Published("/p/a"); ok {
		t.Errorf("without an answer about the new text: %v", found)
	}
	found := make(chan []protocol.Diagnostic)
	go func() {
		all, ok := c.Errors(t.Context(), "/p/a")
		if !ok {
			t.Error("there is no answer")
		}
		found <- all
	}()
	s.expect(`{"jsonrpc":"2.0","id":2,"method":"textDocument/diagnostic","params":{"textDocument":{"uri":"file:///p/a"}}}`)
	publish(2, "published")
	s.send(`{"id":2,"result":{"items":[{"message":"pulled"}]}}`)
	if diff := cmp.Diff([]protocol.Diagnostic{{Message: "pulled"}, {Message: "published"}}, <-found); diff != "" {
		t.Error(diff)
	}
}
