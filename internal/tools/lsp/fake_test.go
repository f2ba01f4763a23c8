package lsp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"agent/internal/tools/lsp"
	"agent/internal/tools/process"
)

// fake is a language server in this process. It speaks the protocol over pipes, with a
// decoder of its own.
type fake struct {
	// answer returns the result of a request; nil selects the one of script.
	answer func(f *fake, method string, params map[string]any) any
	// opened is called for every text that the server gets, with its URI and version.
	opened func(f *fake, uri, text string, version int)
	// memory is what the server seems to use.
	memory int64
	caps   map[string]any

	in       *io.PipeReader
	stdin    *io.PipeWriter
	out      *io.PipeWriter
	stdout   *io.PipeReader
	log      process.Log
	mu       sync.Mutex
	received []string      // methods of the messages of the client
	replies  chan string   // the answers of the client, as JSON
	gone     chan struct{} // closed when the client has ended the server
	end      sync.Once
}

func newFake() *fake {
	f := &fake{caps: map[string]any{"positionEncoding": "utf-8", "renameProvider": true}, replies: make(chan string, 100), gone: make(chan struct{})}
	f.in, f.stdin = io.Pipe()
	f.stdout, f.out = io.Pipe()
	return f
}

func (f *fake) Stdin() io.WriteCloser { return f.stdin }
func (f *fake) Stdout() io.Reader     { return f.stdout }
func (f *fake) Log() *process.Log     { return &f.log }
func (f *fake) Memory() int64         { return f.memory }
func (f *fake) Close()                { f.Kill() }
func (f *fake) Kill() {
	f.end.Do(func() {
		close(f.gone)
		f.stdin.Close()
		f.out.Close()
		f.in.Close()
	})
}

// send writes a message with its header.
func (f *fake) send(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintf(f.out, "Content-Length: %d\r\n\r\n%s", len(b), b) // fails when the client has left
}

// publish sends diagnostics. A version of 0 is left out.
func (f *fake) publish(uri string, version int, messages ...string) {
	all := []any{}
	for _, m := range messages {
		all = append(all, map[string]any{"severity": 1, "message": m, "range": map[string]any{"start": map[string]any{"line": 1, "character": 0}}})
	}
	all = append(all, map[string]any{"severity": 2, "message": "only a warning"})
	p := map[string]any{"uri": uri, "diagnostics": all}
	if version > 0 {
		p["version"] = version
	}
	f.send(map[string]any{"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": p})
}

// serve reads the messages of the client until it leaves.
func (f *fake) serve() {
	b := bufio.NewReader(f.in)
	for {
		size := 0
		for {
			line, err := b.ReadString('\n')
			if err != nil {
				return
			}
			line = strings.TrimSpace(line)
			if line == "" {
				break
			}
			size, _ = strconv.Atoi(strings.TrimPrefix(line, "Content-Length: "))
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(b, text); err != nil {
			return
		}
		f.handle(text)
	}
}

func (f *fake) handle(text []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params map[string]any
	}
	if err := json.Unmarshal(text, &m); err != nil {
		panic(err)
	}
	if m.Method == "" {
		f.replies <- string(text)
		return
	}
	f.mu.Lock()
	f.received = append(f.received, m.Method)
	f.mu.Unlock()
	document, _ := m.Params["textDocument"].(map[string]any)
	switch {
	case m.Method == "textDocument/didOpen" && f.opened != nil:
		f.opened(f, document["uri"].(string), document["text"].(string), int(document["version"].(float64)))
	case m.Method == "textDocument/didChange" && f.opened != nil:
		change := m.Params["contentChanges"].([]any)[0].(map[string]any)
		f.opened(f, document["uri"].(string), change["text"].(string), int(document["version"].(float64)))
	case m.ID == nil:
	default:
		var result any
		if f.answer != nil {
			result = f.answer(f, m.Method, m.Params)
		}
		if result == none {
			return
		}
		if m.Method == "initialize" && result == nil {
			result = map[string]any{"capabilities": f.caps}
		}
		if failed, ok := result.(failure); ok {
			f.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": int(failed), "message": "failed"}})
			return
		}
		f.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	}
}

// failure is the result of a request that fails, with this code.
type failure int

// works says that an operation of the server begins or ends.
func (f *fake) works(kind string) {
	f.send(map[string]any{"jsonrpc": "2.0", "method": "$/progress", "params": map[string]any{"token": "work", "value": map[string]any{"kind": kind}}})
}

// status says whether the server loads the project, like rust-analyzer.
func (f *fake) status(loads bool) {
	f.send(map[string]any{"jsonrpc": "2.0", "method": "experimental/serverStatus", "params": map[string]any{"health": "ok", "quiescent": !loads}})
}

// none is the result of a request that is not answered.
const none = "none"

// got returns how many messages of a method the server has received.
func (f *fake) got(method string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.received {
		if m == method {
			n++
		}
	}
	return n
}

// starts returns a function that starts fakes in order, and fails the test if there are
// more starts.
func starts(t *testing.T, all ...*fake) func(lsp.Server, string) (lsp.Process, error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	return func(lsp.Server, string) (lsp.Process, error) {
		mu.Lock()
		defer mu.Unlock()
		if len(all) == 0 {
			t.Error("a server was started that the test does not expect")
			return nil, io.EOF
		}
		f := all[0]
		all = all[1:]
		wg.Go(f.serve)
		return f, nil
	}
}
