package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"agent/cmd/agent/exit"
)

// listing serves a list of models, and answers with the OpenAI dialect.
func listing(t *testing.T, models string) *server {
	return serveFunc(t, func(s *server, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/models":
			_, _ = io.WriteString(w, `{"object":"list","data":[`+models+`]}`)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			s.play(w, r)
		default:
			t.Errorf("got a request to %s", r.URL.Path)
			http.NotFound(w, r)
		}
	}, say("Here I am."), say("Here I am."))
}

const (
	oneModel  = `{"id":"tiny","max_model_len":23000},{"id":"tiny"}`
	twoModels = `{"id":"tiny","context_length":23000},{"id":"large"}`
)

// TestBaseURLAlone starts with a base URL and without a model in a directory whose
// last model speaks another dialect.
func TestBaseURLAlone(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil, "ANTHROPIC_API_KEY="+testKey)
	first := serve(t)
	if out, code := h.agent(t, "run", "--model", "anthropic/claude-sonnet-5", "--base-url", first.URL, "hello"); code != 0 {
		t.Fatalf("got %d, %s", code, out)
	}
	one, two := listing(t, oneModel), listing(t, twoModels)
	if out, code := h.agent(t, "run", "--base-url", one.URL+"/v1", "hello"); code != 0 || !strings.Contains(out, "Here I am.") || !strings.Contains(one.seen()[0].body, `"tiny"`) {
		t.Errorf("one model: got %d, %s", code, out)
	}
	out, code := h.agent(t, "run", "--base-url", two.URL+"/v1", "hello")
	if code != exit.Usage || !strings.Contains(out, "offers several models: openai/tiny, openai/large") || !strings.Contains(out, "--model openai/NAME") {
		t.Errorf("two models: got %d, %s", code, out)
	}
	out, code = h.agent(t, "run", "--base-url", two.URL+"/v1", "--model", "other", "hello")
	if code != 0 || !strings.Contains(out, `does not list the model "other"`) || !strings.Contains(out, "Here I am.") {
		t.Errorf("a model that is not listed: got %d, %s", code, out)
	}
	out, code = h.agent(t, "run", "--base-url", "http://127.0.0.1:1/v1", "hello")
	if code != exit.Usage || !strings.Contains(out, "the server at http://127.0.0.1:1/v1") {
		t.Errorf("no server: got %d, %s", code, out)
	}
	if out, code = h.agent(t, "models", "--base-url", two.URL+"/v1"); code != 0 || strings.Count(out, "/tiny") != 1 || strings.Count(out, "/large") != 1 || !strings.Contains(out, "23k") {
		t.Errorf("the list: got %d, %s", code, out)
	}
}

// TestSettingOfBaseURLAlone sets a base URL and no model in the configuration.
func TestSettingOfBaseURLAlone(t *testing.T) {
	t.Parallel()
	one, two := listing(t, oneModel), listing(t, twoModels)
	h := newHome(t, nil)
	h.configure(t, `{"base_url": "`+two.URL+`/v1"}`)
	if out, code := h.agent(t, "run", "hello"); code != exit.Usage || !strings.Contains(out, "openai/tiny, openai/large") {
		t.Errorf("two models: got %d, %s", code, out)
	}
	h.configure(t, `{"base_url": "`+one.URL+`/v1"}`)
	if out, code := h.agent(t, "run", "hello"); code != 0 || !strings.Contains(one.seen()[0].body, `"tiny"`) {
		t.Errorf("one model: got %d, %s", code, out)
	}
}

// TestBaseURLAloneOnScreen selects one of several models at the start.
func TestBaseURLAloneOnScreen(t *testing.T) {
	t.Parallel()
	two := listing(t, twoModels)
	h := newHome(t, nil)
	a := h.open(t, 120, 40, "--base-url", two.URL+"/v1")
	a.wait("Select a model", "openai/tiny", "openai/large")
	a.send("tiny" + enter)
	a.wait("openai/tiny · 127.0.0.1", "? help")
	a.send("hello" + enter)
	a.wait("Here I am.", "? help")
	a.send("/status" + enter)
	a.wait("23k")
	a.send(ctrlD)
	a.exit()

	// A prompt on the command line waits for the choice.
	b := newHome(t, nil).open(t, 120, 40, "--base-url", two.URL+"/v1", "what is it?")
	b.wait("Select a model", "openai/tiny", "openai/large")
	b.send("tiny" + enter)
	b.wait("openai/tiny · 127.0.0.1", "what is it?", "Here I am.", "? help")
	b.send(ctrlD)
	b.exit()
}
