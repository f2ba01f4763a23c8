package main

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// hosts are a server of the user's own, and what stands for every public host:
// a proxy that records whom the program wanted to reach over https.
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

// begin makes a session at the own server and returns its ID.
func (h hosts) begin(t *testing.T) string {
	t.Helper()
	if out, code := h.agent(t, "run", "--model", ownModel, "--base-url", h.own.URL+"/v1", "hello"); code != 0 {
		t.Fatalf("got %d, %s", code, out)
	}
	return h.ids(t)[0]
}

// check holds that the own server has got so many requests, and that nobody
// else was asked.
func (h hosts) check(t *testing.T, requests int) {
	t.Helper()
	if got := len(h.own.seen()); got != requests {
		t.Errorf("the own server got %d requests, want %d", got, requests)
	}
	if asked := h.public.seen(); len(asked) > 0 {
		t.Errorf("the session was sent elsewhere: %q", asked)
	}
}

// TestContinueKeepsBaseURL continues a session that was made with --base-url in
// every way there is.
func TestContinueKeepsBaseURL(t *testing.T) {
	screen := func(args ...string) func(*testing.T, hosts, string) {
		return func(t *testing.T, h hosts, _ string) {
			a := h.open(t, 120, 30, args...)
			a.wait(ownModel+" · "+h.own.Listener.Addr().String(), "? keys")
			a.send("again" + enter)
			a.wait("Second it is.", "? keys")
			a.send(ctrlD)
			a.exit()
		}
	}
	for name, again := range map[string]func(t *testing.T, h hosts, id string){
		"run --continue": func(t *testing.T, h hosts, _ string) {
			if out, code := h.agent(t, "run", "--continue", "again"); code != 0 {
				t.Errorf("got %d, %s", code, out)
			}
		},
		"a new session of the same directory": func(t *testing.T, h hosts, _ string) {
			if out, code := h.agent(t, "run", "again"); code != 0 {
				t.Errorf("got %d, %s", code, out)
			}
		},
		"--continue with another model of the provider": func(t *testing.T, h hosts, _ string) {
			if out, code := h.agent(t, "run", "-c", "--model", "openai/other", "again"); code != 0 {
				t.Errorf("got %d, %s", code, out)
			}
		},
		"--continue with another model in the configuration": func(t *testing.T, h hosts, _ string) {
			h.configure(t, `{"model": "anthropic/claude-sonnet-5"}`)
			if out, code := h.agent(t, "run", "-c", "again"); code != 0 {
				t.Errorf("got %d, %s", code, out)
			}
		},
		"the screen":            screen(),
		"the screen --continue": screen("--continue"),
		"plain": func(t *testing.T, h hosts, _ string) {
			cmd := h.command("--plain", "-c")
			cmd.Stdin = strings.NewReader("again\n")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("got %v, %s", err, out)
			}
		},
		"the printed hint": func(t *testing.T, h hosts, _ string) {
			a := h.open(t, 120, 30, "-c")
			a.wait("? keys")
			a.send(ctrlD)
			a.exit()
			hint := regexp.MustCompile(`agent (--resume \S+)`).FindStringSubmatch(string(a.raw))
			if hint == nil {
				t.Fatalf("there is no hint in %q", a.raw)
			}
			screen(strings.Fields(hint[1])...)(t, h, "")
		},
		"/resume": func(t *testing.T, h hosts, id string) {
			a := h.open(t, 120, 30, "--model", "offline")
			a.wait("offline/guide", "? keys")
			a.send("/resume" + enter)
			a.wait("hello")
			a.send("hello" + enter)
			a.wait(ownModel+" · "+h.own.Listener.Addr().String(), "? keys")
			a.send("again" + enter)
			a.wait("Second it is.", "? keys")
			a.send(ctrlD)
			a.exit()
		},
		"/fork": func(t *testing.T, h hosts, _ string) {
			a := h.open(t, 120, 30, "-c")
			a.wait("? keys")
			a.send("/fork 1" + enter)
			a.wait("This is a fork of session", ownModel+" · "+h.own.Listener.Addr().String(), "enter sends")
			a.send(enter)
			a.wait("Second it is.", "? keys")
			a.send(ctrlD)
			a.exit()
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHosts(t)
			id := h.begin(t)
			again(t, h, id)
			h.check(t, 2)
		})
	}
}
