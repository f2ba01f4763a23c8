package main

import (
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"agent/cmd/agent/exit"
	"agent/internal/history"
	"agent/internal/sampling"
)

// hosts are a server of the user, and a proxy that acts as every public host and
// records requests over https.
type hosts struct {
	home
	own    *server
	public *aProxy
}

// ownModel is a model that no provider is known to have.
const ownModel = "openai/qwen-local"

func newHosts(t *testing.T, env ...string) hosts {
	t.Helper()
	own := serve(t, say("First it is."), say("Second it is."))
	secure := httptest.NewTLSServer(nil)
	t.Cleanup(secure.Close)
	public := newProxy(t, secure.Listener.Addr().String())
	h := newHome(t, nil, append([]string{"OPENAI_API_KEY=" + testKey, "OPENAI_BASE_URL=", "ANTHROPIC_API_KEY=" + testKey, "NO_PROXY=", "HTTPS_PROXY=" + public.URL}, env...)...)
	return hosts{home: h, own: own, public: public}
}

// begin creates a session with the user's server and returns its ID.
func (h hosts) begin(t *testing.T) string {
	t.Helper()
	if out, code := h.agent(t, "run", "--model", ownModel, "--base-url", h.own.URL+"/v1", "hello"); code != 0 {
		t.Fatalf("got %d, %s", code, out)
	}
	return h.ids(t)[0]
}

// check fails the test unless the user's server got n requests and no other host
// was contacted.
func (h hosts) check(t *testing.T, requests int) {
	t.Helper()
	if got := len(h.own.seen()); got != requests {
		t.Errorf("the own server got %d requests, want %d", got, requests)
	}
	if asked := h.public.seen(); len(asked) > 0 {
		t.Errorf("the session was sent elsewhere: %q", asked)
	}
}

// onScreen resumes a session on the screen.
func onScreen(t *testing.T, h hosts, args ...string) {
	a := h.open(t, 120, 30, args...)
	a.wait(ownModel+" · "+h.own.Listener.Addr().String(), "? help")
	a.send("again" + enter)
	a.wait("Second it is.", "? help")
	a.send(ctrlD)
	a.exit()
}

// headlessly are the ways to resume a session without a screen.
func headlessly() map[string]func(*testing.T, hosts) {
	return map[string]func(*testing.T, hosts){
		"run --continue": func(t *testing.T, h hosts) {
			if out, code := h.agent(t, "run", "--continue", "again"); code != 0 {
				t.Errorf("got %d, %s", code, out)
			}
		},
		"a new session of the same directory": func(t *testing.T, h hosts) {
			if out, code := h.agent(t, "run", "again"); code != 0 {
				t.Errorf("got %d, %s", code, out)
			}
		},
		"--continue with another model of the provider": func(t *testing.T, h hosts) {
			if out, code := h.agent(t, "run", "-c", "--model", "openai/other", "again"); code != 0 {
				t.Errorf("got %d, %s", code, out)
			}
		},
		"--continue with another model in the configuration": func(t *testing.T, h hosts) {
			h.configure(t, `{"model": "anthropic/claude-sonnet-5"}`)
			if out, code := h.agent(t, "run", "-c", "again"); code != 0 {
				t.Errorf("got %d, %s", code, out)
			}
		},
	}
}

// onScreens are the ways to resume a session on the screen or in plain mode.
func onScreens() map[string]func(*testing.T, hosts) {
	return map[string]func(*testing.T, hosts){
		"the screen":            func(t *testing.T, h hosts) { onScreen(t, h) },
		"the screen --continue": func(t *testing.T, h hosts) { onScreen(t, h, "--continue") },
		"plain": func(t *testing.T, h hosts) {
			cmd := h.command("--plain", "-c")
			cmd.Stdin = strings.NewReader("again\n")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("got %v, %s", err, out)
			}
		},
		"the printed hint": func(t *testing.T, h hosts) {
			a := h.open(t, 120, 30, "-c")
			a.wait("? help")
			a.send(ctrlD)
			a.exit()
			<-a.done
			hint := regexp.MustCompile(`agent (--resume \S+)`).FindStringSubmatch(string(a.raw))
			if hint == nil {
				t.Fatalf("there is no hint in %q", a.raw)
			}
			onScreen(t, h, strings.Fields(hint[1])...)
		},
		"/resume": func(t *testing.T, h hosts) {
			a := h.open(t, 120, 30, "--model", "offline")
			a.wait("offline/guide", "? help")
			a.send("/resume" + enter)
			a.wait("hello")
			a.send("hello" + enter)
			a.wait(ownModel+" · "+h.own.Listener.Addr().String(), "? help")
			a.send("again" + enter)
			a.wait("Second it is.", "? help")
			a.send(ctrlD)
			a.exit()
		},
		"/fork": func(t *testing.T, h hosts) {
			a := h.open(t, 120, 30, "-c")
			a.wait("? help")
			a.send("/fork 1" + enter)
			a.wait("This is a fork of session", ownModel+" · "+h.own.Listener.Addr().String(), "enter to send")
			a.send(enter)
			a.wait("Second it is.", "? help")
			a.send(ctrlD)
			a.exit()
		},
	}
}

// TestContinueKeepsBaseURL continues a session that was created with --base-url in
// every possible way.
func TestContinueKeepsBaseURL(t *testing.T) {
	t.Parallel()
	ways := headlessly()
	maps.Copy(ways, onScreens())
	for name, again := range sampling.Rows(ways) {
		t.Run(name, func(t *testing.T) {
			h := newHosts(t)
			h.begin(t)
			again(t, h)
			h.check(t, 2)
		})
	}
}

// oldRecords are the records of a session as versions without base URLs wrote them.
const oldRecords = `{"type":"model","time":"2026-11-01T10:00:00Z","model":"openai/qwen-local","why":"chosen by --model"}
{"type":"user","time":"2026-11-01T10:00:00Z","text":"hello"}
{"type":"message","time":"2026-11-01T10:00:01Z","message":{"kind":"assistant","reply":"r1","text":"Hello from earlier."}}
{"type":"step_end","time":"2026-11-01T10:00:01Z","reply":"r1","model":"openai/qwen-local","finish":"stop","usage":{"input":1200,"output":34}}
{"type":"turn_end","time":"2026-11-01T10:00:01Z","reason":"done","steps":1,"usage":{"input":1200,"output":34},"duration_ns":1000000000}`

// inherit creates a session in the format of an earlier version.
func (h hosts) inherit(t *testing.T) {
	t.Helper()
	log, err := h.store().CreateFrom(history.Header{Dir: h.work, Version: "0.1.0", Time: time.Now()}, func(yield func([]byte, error) bool) {
		for _, record := range strings.Split(oldRecords, "\n") {
			if !yield([]byte(record), nil) {
				return
			}
		}
	})
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// question is asked before a session without a base URL goes to a public host.
const question = "Send the conversation to api.openai.com?"

// TestSessionWithoutBaseURL continues a session of an earlier version, whose log
// has no base URL.
func TestSessionWithoutBaseURL(t *testing.T) {
	t.Parallel()
	t.Run("headless", func(t *testing.T) {
		h := newHosts(t)
		h.inherit(t)
		for _, args := range [][]string{{"run", "-c", "again"}, {"run", "again"}, {"run", "-c", "--fork", "again"}} {
			out, code := h.agent(t, args...)
			if code != exit.Usage || !strings.Contains(out, "no recorded base URL") || !strings.Contains(out, "--base-url URL") || !strings.Contains(out, "--model "+ownModel) {
				t.Errorf("%v: got %d, %s", args, code, out)
			}
		}
		h.check(t, 0)
		if out, code := h.agent(t, "run", "-c", "--base-url", h.own.URL+"/v1", "again"); code != 0 {
			t.Errorf("with --base-url: got %d, %s", code, out)
		}
		if out, code := h.agent(t, "run", "-c", "again"); code != 0 { // now it is known
			t.Errorf("after that: got %d, %s", code, out)
		}
		h.check(t, 2)
	})
	t.Run("rejected", func(t *testing.T) {
		h := newHosts(t)
		h.inherit(t)
		for range 2 { // a rejected host needs permission again
			a := h.open(t, 120, 30, "-c")
			a.wait("Hello from earlier.", "? help")
			a.send("again" + enter)
			a.asked(question, `"qwen-local"`)
			a.send("3")
			a.wait("nothing was sent", "--base-url URL", "? help")
			a.send(ctrlD)
			a.exit()
		}
		h.check(t, 0)
	})
	t.Run("plain", func(t *testing.T) {
		h := newHosts(t)
		h.inherit(t)
		cmd := h.command("--plain", "-c")
		cmd.Stdin = strings.NewReader("again\n3\n")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), question) || !strings.Contains(string(out), "nothing was sent") {
			t.Errorf("got %v, %s", err, out)
		}
		h.check(t, 0)
	})
}

// TestSessionWithoutBaseURLApproved approves the public host once and is not asked
// again.
func TestSessionWithoutBaseURLApproved(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	h.inherit(t)
	a := h.open(t, 120, 30, "-c")
	a.wait("Hello from earlier.", "? help")
	a.send("again" + enter)
	a.asked(question)
	h.check(t, 0) // not before
	a.send("1")
	a.wait("the certificate of api.openai.com", "? help")
	a.send("and again" + enter)
	a.wait("and again", "? help")
	a.send(ctrlD)
	a.exit()
	if out, code := h.agent(t, "run", "-c", "again"); code != exit.Failed || !strings.Contains(out, "the certificate of api.openai.com") {
		t.Errorf("it is asked again: %d, %s", code, out)
	}
	if asked := h.public.seen(); len(asked) < 2 || asked[0] != "CONNECT api.openai.com:443 " || len(h.own.seen()) != 0 {
		t.Errorf("the public host was asked %q, the own one %d times", asked, len(h.own.seen()))
	}
}

// TestDamagedBaseURL continues a session whose record of the model is damaged.
func TestDamagedBaseURL(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	h.begin(t)
	infos, err := h.store().List("")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(infos[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := strings.Replace(string(log), `"base_url":"http://127`, `"base_url":"http://227`, 1)
	if damaged == string(log) {
		t.Fatalf("the log has no base URL:\n%s", log)
	}
	if err := os.WriteFile(infos[0].Path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := h.agent(t, "run", "-c", "again"); code != exit.Usage || !strings.Contains(out, "no recorded base URL") {
		t.Errorf("got %d, %s", code, out)
	}
	h.check(t, 1)
}

// TestBaseURLThatChanges says so when a session goes to another host than before.
func TestBaseURLThatChanges(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	h.begin(t)
	other := serve(t, say("Elsewhere."))
	out, code := h.agent(t, "run", "-c", "--base-url", other.URL+"/v1", "again")
	if code != 0 || !strings.Contains(out, "This session used "+h.own.URL+"/v1 before. Its requests now go to "+other.URL+"/v1.") {
		t.Errorf("got %d, %s", code, out)
	}
	h.check(t, 1)
}

// TestOpenedSessionKeepsBaseURL opens a session from a program that was started
// with another base URL.
func TestOpenedSessionKeepsBaseURL(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	h.begin(t)
	other := serve(t)
	a := h.open(t, 120, 30, "--model", "openai/other", "--base-url", other.URL+"/v1")
	a.wait(other.Listener.Addr().String(), "? help")
	a.send("/resume" + enter)
	a.wait("hello")
	a.send("hello" + enter)
	a.wait(ownModel+" · "+h.own.Listener.Addr().String(), "? help")
	a.send("again" + enter)
	a.wait("Second it is.", "? help")
	a.send(ctrlD)
	a.exit()
	h.check(t, 2)
	if n := len(other.seen()); n != 0 {
		t.Errorf("the other server got %d requests", n)
	}
}

// TestNewSessionGoesToAnotherHost opens a session at the own server from a
// program that was started with another base URL, and a new one from there.
func TestNewSessionGoesToAnotherHost(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	h.begin(t)
	other := serve(t)
	a := h.open(t, 120, 30, "--model", "openai/other", "--base-url", other.URL+"/v1")
	a.wait(other.Listener.Addr().String(), "? help")
	a.send("/resume" + enter)
	a.wait("hello")
	a.send("hello" + enter)
	a.wait(ownModel+" · "+h.own.Listener.Addr().String(), "? help")
	a.send("/new" + enter)
	a.wait("The previous session used "+h.own.URL+"/v1.", "go to "+other.URL+"/v1.", "? help")
	a.send("/new" + enter)
	a.gone("The previous session used")
	a.wait("? help")
	a.send(ctrlD)
	a.exit()
}

// TestNewSessionWithoutSecretsOfBaseURL starts new sessions after one whose base
// URL had secrets.
func TestNewSessionWithoutSecretsOfBaseURL(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	secret := strings.Replace(h.own.URL, "http://", "http://us-er:pass-word@", 1) + "/v1?key=abcdefgh"
	if out, code := h.agent(t, "run", "--model", ownModel, "--base-url", secret, "hello"); code != 0 {
		t.Fatalf("got %d, %s", code, out)
	}
	for range 2 { // requests to the offline guide change nothing
		a := h.open(t, 140, 40)
		a.wait(ownModel+", last used in this directory", "secrets: start with --base-url", "with /model", "built-in offline guide answers", "? help")
		a.send("/model openai/other" + enter)
		a.wait("start with --base-url and the full URL, or set OPENAI_BASE_URL", "? help")
		a.send("is anybody there?" + enter)
		a.wait("read FILE", "? help")
		a.send(ctrlD)
		a.exit()
		if out, code := h.agent(t, "run", "again"); code != exit.Usage || !strings.Contains(out, "--base-url") || !strings.Contains(out, "--model") {
			t.Errorf("got %d, %s", code, out)
		}
	}
	h.check(t, 1)
	if out, code := h.agent(t, "run", "--base-url", secret, "again"); code != 0 {
		t.Errorf("with the full URL: got %d, %s", code, out)
	}
	h.check(t, 2)
}

// TestModelLeavesBaseURL changes to a model of another provider, and back.
func TestModelLeavesBaseURL(t *testing.T) {
	t.Parallel()
	h := newHosts(t)
	h.begin(t)
	for _, args := range [][]string{{"-c"}, {"--model", ownModel, "--base-url", h.own.URL + "/v1"}} {
		a := h.open(t, 120, 30, args...)
		host := h.own.Listener.Addr().String()
		a.wait(ownModel+" · "+host, "? help")
		a.send("/model anthropic/claude-sonnet-5" + enter)
		a.gone(host)
		a.wait("agent 0.3.0 · anthropic/claude-sonnet-5 ", "? help")
		a.send("/model openai/another" + enter)
		a.wait("openai/another · "+host, "? help")
		a.send("/status" + enter)
		a.wait("base URL", h.own.URL+"/v1", "log", ".jsonl")
		a.send(ctrlD)
		a.exit()
	}
	h.check(t, 1)
}

// TestSecretsOfBaseURL searches all output and files for the secrets of a base URL.
func TestSecretsOfBaseURL(t *testing.T) {
	t.Parallel()
	const canary = "CANARY"
	h := newHosts(t)
	secret := strings.Replace(h.own.URL, "http://", "http://us-CANARY:pw-CANARY@", 1) + "/v1?key=ke-CANARY"
	clean := strings.Replace(h.own.URL, "http://", "http://***@", 1) + "/v1?key=***"
	run := func(want int, words string, args ...string) {
		t.Helper()
		out, code := h.agent(t, args...)
		if code != want || !strings.Contains(out, words) || strings.Contains(out, canary) {
			t.Errorf("%v: got %d, %s", args, code, out)
		}
	}
	run(0, "First it is.", "run", "--model", ownModel, "--base-url", secret, "hello")
	run(exit.Usage, "the base URL "+clean+" was saved without its secrets: start with --base-url", "run", "-c", "again")
	run(exit.Usage, clean, "run", "again")
	run(exit.Usage, "or select a model of another provider with --model", "run", "again")
	h.check(t, 1)
	run(0, "Second it is.", "run", "-c", "--base-url", secret, "--output", "stream-json", "again")
	run(exit.Failed, "nothing is listening on 127.0.0.1:1", "run", "-c", "--base-url", "http://us-CANARY:pw-CANARY@127.0.0.1:1/v1?key=ke-CANARY", "again")
	run(0, clean, "config", "show", "--base-url", secret)
	run(0, "", "models", "openai", "--base-url", secret)
	run(exit.Usage, "is not a base URL", "run", "--base-url", "us-CANARY:pw-CANARY@gw.example/v1?key=ke-CANARY", "again")
	run(0, "hello", "sessions", "show", h.ids(t)[0])
	run(0, "hello", "sessions", "export", "--format", "json", h.ids(t)[0])
	a := h.open(t, 120, 40, "-c", "--base-url", secret)
	a.wait(h.own.Listener.Addr().String(), "? help")
	a.send("/status" + enter)
	a.wait(clean)
	a.send("once more" + enter)
	a.wait("The script is over.", "? help")
	a.send(ctrlD)
	a.exit()
	<-a.done
	if raw := string(a.raw); strings.Contains(raw, canary) || !strings.Contains(raw, "--base-url "+clean) {
		t.Errorf("the screen shows a secret, or the hint lacks the flag: %q", raw[max(0, len(raw)-600):])
	}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), canary) {
			t.Errorf("%s holds a secret:\n%s", path, b)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
