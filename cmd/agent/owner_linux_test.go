package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"agent/cmd/agent/exit"
)

// stranger is an unused user ID.
const stranger = 424242

// foreign serves as fake does, on a socket that belongs to another user.
func foreign(t *testing.T, of map[string]string) *httptest.Server {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can open a socket as another user")
	}
	type listening struct {
		l   net.Listener
		err error
	}
	got := make(chan listening)
	go func() { // its thread exits with the goroutine
		runtime.LockOSThread()
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, stranger, 0, 0)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		got <- listening{l, err}
	}()
	l := <-got
	if l.err != nil {
		t.Fatal(l.err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch a, ok := of[r.Method+" "+r.URL.Path]; {
		case ok:
			_, _ = io.WriteString(w, a)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, say("A stranger answers.").completion())
		default:
			http.NotFound(w, r)
		}
	}))
	_ = s.Listener.Close()
	s.Listener = l.l
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// A server of another user is offered and not used, unless the user names it.
func TestForeignServer(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	t.Parallel()
	s := foreign(t, localServers()["OLLAMA_HOST"])
	offer := "The server at " + s.Listener.Addr().String() + " belongs to another user, so it is not used automatically. Choose it with --model ollama/qwen3:8b."
	h := newHome(t, nil, "OLLAMA_HOST="+s.URL)
	waitFor(t, "the server to be found", func() bool {
		out, code := h.agent(t, "run", "hello")
		if code != 0 || strings.Contains(out, "A stranger") {
			t.Fatalf("got %d, %s", code, out)
		}
		return strings.Contains(out, offer)
	})
	for _, form := range []string{"json", "stream-json"} {
		out, code := h.agent(t, "run", "--output", form, "hello")
		if code != 0 || strings.Contains(out, "A stranger") || !strings.Contains(out, offer) {
			t.Errorf("%s: got %d, %s", form, code, out)
		}
	}
	a := h.open(t, 120, 40)
	a.wait("No model is connected", "belongs to another user", "--model ollama/qwen3:8b.", "? help")
	a.send("/model ollama/qwen3:8b" + enter)
	a.wait("ollama/qwen3:8b · 127", "? help")
	a.send("hello" + enter)
	a.wait("A stranger answers.", "? help")
	a.send(ctrlD)
	a.exit()

	// Any user may get that port next.
	if out, code := h.agent(t, "run", "hello"); code != 0 || strings.Contains(out, "A stranger") || !strings.Contains(out, offer) {
		t.Errorf("a new session: got %d, %s", code, out)
	}
	ids := h.ids(t)
	if out, code := h.agent(t, "run", "--resume="+ids[1], "again"); code != exit.Usage || !strings.Contains(out, "the server belongs to another user") || !strings.Contains(out, "--model ollama/qwen3:8b") {
		t.Errorf("the session that was there: got %d, %s", code, out)
	}
	if out, code := h.agent(t, "run", "--resume="+ids[1], "--model", "ollama/qwen3:8b", "again"); code != 0 || !strings.Contains(out, "A stranger answers.") {
		t.Errorf("by name: got %d, %s", code, out)
	}
	h.configure(t, `{"model": "ollama/qwen3:8b"}`)
	if out, code := h.agent(t, "run", "hello"); code != 0 || !strings.Contains(out, "A stranger answers.") {
		t.Errorf("by the configuration: got %d, %s", code, out)
	}
}
