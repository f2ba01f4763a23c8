package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// nowhere lets no server on this machine be found.
func nowhere() []string {
	return []string{"OLLAMA_HOST=127.0.0.1:1", "LMSTUDIO_BASE_URL=http://127.0.0.1:1", "LLAMACPP_BASE_URL=http://127.0.0.1:1", "VLLM_BASE_URL=http://127.0.0.1:1"}
}

// serveKeyed returns a server that lists the models large and small, and answers, for a key only.
// A rejected key is quoted in the answer.
func serveKeyed(t *testing.T, key string, answers ...answer) *server {
	return serveFunc(t, func(s *server, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s"}}`, r.Header.Get("Authorization"))
		case r.URL.Path == "/v1/models":
			_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"large","context_length":200000},{"id":"small"}]}`)
		default:
			s.play(w, r)
		}
	}, answers...)
}

// typeKey connects a server by its URL, up to the field of the key, and pastes a key.
func typeKey(a *terminal, url, key string) {
	a.t.Helper()
	a.wait("Connect a model provider", "another server")
	a.send("another")
	a.gone("anthropic")
	a.send(enter)
	a.wait("Type the base URL")
	a.send(url)
	a.wait(url)
	a.send(enter)
	a.wait("Paste a key")
	a.send(enter)
	a.wait("enter test the key")
	a.send(key)
	a.wait(fmt.Sprintf("%d characters", len(key)))
	a.send(enter)
}

// holders returns the files below dir that hold a text, and the number of all files.
func holders(t *testing.T, dir, text string) (found []string, files int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if files++; strings.Contains(string(b), text) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, files
}

// TestConnectInSession connects a server from the first screen, after a wrong key. The session
// goes on with it. The key is in the file that the user chose, and in the header of requests.
func TestConnectInSession(t *testing.T) {
	t.Parallel()
	const key = "sk-connected-48151623"
	s := serveKeyed(t, key, say("Hello from the server."), say("Hello again."))
	h := newHome(t, nil, nowhere()...)
	a := h.open(t, 100, 30, "--trace", filepath.Join(h.dir, "trace.jsonl"), "--record", filepath.Join(h.dir, "record"))
	a.wait("press Enter or type /connect")
	a.send(enter)
	typeKey(a, s.URL+"/v1", "sk-mistyped-48151623")
	a.wait("the test failed", "answered 401: Incorrect API key provided: Bearer [key]")
	a.send(enter)
	a.wait("enter test the key")
	a.send(" " + key + " ")
	a.wait(fmt.Sprintf("%d characters", len(key)+2))
	a.send(enter)
	a.wait("The system keyring cannot be used", "In the file", "Only until you quit")
	a.send(enter)
	a.wait("select a model", "large", "200k")
	a.send(enter)
	a.wait("Connected custom. API key: stored in ~/.local/state/agent/credentials/secrets.json", "custom/large")
	a.send("hello" + enter)
	a.wait("Hello from the server.", "tokens this turn")
	a.send("/status" + enter)
	a.wait("custom/large")
	a.send(ctrlD)
	a.exit()

	a.mu.Lock()
	raw := string(a.raw)
	a.mu.Unlock()
	if strings.Contains(raw, "48151623") {
		t.Error("a key is on the terminal")
	}
	if found, files := holders(t, h.dir, "48151623"); fmt.Sprint(found) != "[secrets.json]" || files < 6 {
		t.Errorf("a key is in %v of %d files", found, files)
	}
	for _, r := range s.seen() {
		if r.key != key || strings.Contains(r.body, "48151623") {
			t.Errorf("got the key %q and a request with it: %t", r.key, strings.Contains(r.body, "48151623"))
		}
	}
	if out, code := h.agent(t, "run", "--model", "custom/large", "hello"); code != exit.Done || !strings.Contains(out, "Hello again.") {
		t.Errorf("a new session: exit code %d\n%s", code, out)
	}
	if out, code := h.agent(t, "logout", "custom"); code != exit.Done {
		t.Errorf("logout: exit code %d\n%s", code, out)
	}
	if found, _ := holders(t, h.dir, "48151623"); found != nil {
		t.Errorf("after logout a key is in %v", found)
	}
}

// TestConnectUntilQuit keeps a key in memory: another session of the program has it, the next
// start does not.
func TestConnectUntilQuit(t *testing.T) {
	t.Parallel()
	const key = "sk-passing-48151623"
	s := serveKeyed(t, key, say("Hello from the server."), say("Hello again."))
	h := newHome(t, nil, nowhere()...)
	a := h.open(t, 100, 30)
	a.wait("press Enter or type /connect")
	a.send("/connect" + enter)
	typeKey(a, s.URL+"/v1", key)
	a.wait("Only until you quit")
	a.send("only")
	a.gone("From a command")
	a.send(enter)
	a.wait("select a model")
	a.send(enter)
	a.wait("kept until you quit", "custom/large")
	a.send("hello" + enter)
	a.wait("Hello from the server.", "tokens this turn")
	a.send("/new" + enter)
	a.gone("Hello from the server.")
	a.wait("custom/large", "? help")
	a.send("hello" + enter)
	a.wait("Hello again.")
	a.send(ctrlD)
	a.exit()
	if found, files := holders(t, h.dir, "48151623"); found != nil || files < 3 {
		t.Errorf("the key is in %v of %d files", found, files)
	}
	if out, code := h.agent(t, "run", "--model", "custom/large", "--base-url", s.URL+"/v1", "hello"); code == exit.Done {
		t.Errorf("the next start has the key:\n%s", out)
	}
}

// TestConnectPlainHidesKey connects in plain mode. The terminal does not echo the key, and
// echoes again after it, or after ctrl+c in its place.
func TestConnectPlainHidesKey(t *testing.T) {
	t.Parallel()
	const key = "sk-plain-48151623"
	s := serveKeyed(t, key, say("Hello from the server."))
	h := newHome(t, nil, append(nowhere(), "TERM=dumb", "CUSTOM_BASE_URL="+s.URL+"/v1")...)
	a := h.open(t, 100, 60)
	a.wait("type /connect", "\n>")
	for i, typed := range []string{ctrlC, key + enter} {
		shown := func(text string) {
			a.until(text, func(screen string) bool { return strings.Count(screen, text) == i+1 })
		}
		a.send("/connect custom" + enter)
		shown("1 Paste a key")
		a.send("1" + enter)
		shown("Paste the API key")
		waitFor(t, "the terminal to hide the input", func() bool { return !shows(t, a) })
		a.send(typed)
		waitFor(t, "the terminal to show the input", func() bool { return shows(t, a) })
	}
	a.wait("1 In the file", "to cancel\n>")
	a.send("2" + enter)
	a.wait("1 large", "2 small")
	a.send("1" + enter)
	a.wait("model: custom/large")
	a.send("hello" + enter)
	a.wait("agent: Hello from the server.", "done:")
	a.send("/quit" + enter)
	if code := a.exit(); code != exit.Done || strings.Contains(a.screen(), "48151623") {
		t.Errorf("got exit code %d and\n%s", code, a.screen())
	}
}

// TestTypedKeyStaysInTheProgram lets a command hunt for a key that was pasted in /connect.
func TestTypedKeyStaysInTheProgram(t *testing.T) {
	c := newCanary(t)
	c.sandbox = true
	if !c.sandboxed(t) {
		t.Skip("no sandbox works here")
	}
	s := serveKeyed(t, c.key, call("shell", shellCall(hunt)), say("Found nothing."))
	a, err := newTerminal(t, c.command(nowhere(), "agent", "--mode", "all"), 100, 30)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	a.wait("press Enter or type /connect")
	a.send(enter)
	typeKey(a, s.URL+"/v1", c.key)
	a.wait("Only until you quit")
	a.send("only")
	a.gone("From a command")
	a.send(enter)
	a.wait("select a model")
	a.send(enter)
	a.wait("custom/large")
	c.hunted(t, func() { a.send("look" + enter) }, func() { c.inspect(t, a.cmd.Process.Pid) })
	a.wait("Found nothing.")
	a.send(ctrlD)
	a.exit()
	c.lacks(t, "the terminal", a.raw)
	c.searchFiles(t)
}

// TestCommandKeyIsRenewed runs the command of a key again after the server has rejected the key,
// once for each request.
func TestCommandKeyIsRenewed(t *testing.T) {
	t.Parallel()
	s := serveKeyed(t, "sk-second-48151623", say("Hello from the server."))
	h := newHome(t, nil, append(nowhere(), "OPENAI_BASE_URL="+s.URL+"/v1")...)
	h.configure(t, `{"providers": {"openai": {"key": {"command": "echo run >>runs; if [ $(wc -l <runs) = 1 ]; then echo sk-first-48151623; else echo sk-second-48151623; fi"}}}}`)
	if out, code := h.agent(t, "run", "--model", "openai/any", "hello"); code != exit.Done || !strings.Contains(out, "Hello from the server.") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	runs, err := os.ReadFile(filepath.Join(h.dir, "runs"))
	if err != nil || string(runs) != "run\nrun\n" {
		t.Errorf("got the runs %q, %v", runs, err)
	}
}
