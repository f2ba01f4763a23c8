package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"agent/cmd/agent/exit"
)

// sampleAnswer is an answer with every kind of markup.
const sampleAnswer = "# Title\n\n**bold** and *emphasis*, `code`, ~~gone~~, [a link](https://example.org).\n\n" +
	"| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] one\n- two\n\n> quoted\n\n```go\nfunc main() {}\n```\n"

// TestPipedOutputHasNoEscapes runs plain mode and `agent run` without a terminal.
func TestPipedOutputHasNoEscapes(t *testing.T) {
	t.Parallel()
	s := serve(t, say(sampleAnswer), call("edit", `{"path":"main.go","old":"hello","new":"goodbye"}`), say(sampleAnswer), say(sampleAnswer))
	h := newHome(t, map[string]string{"main.go": goFile}, append(at(s), "COLORTERM=truecolor", "CLICOLOR_FORCE=1")...)
	cmd := h.command("--mode", "auto")
	cmd.Stdin = strings.NewReader("hi\nedit it\n/help\n/theme\n/model\n/status\n/diff\n/nonsense\n")
	plain, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, plain)
	}
	run, _ := h.agent(t, "run", "hi")
	for _, out := range []string{string(plain), run} {
		if !strings.Contains(out, "bold") {
			t.Errorf("the answer is missing: %q", out)
		}
		if i := strings.IndexByte(out, '\x1b'); i >= 0 {
			t.Errorf("got an escape sequence: %q", out[max(0, i-40):min(i+40, len(out))])
		}
	}
}

// TestRunKeepsLinesApart sends both streams to one file: a notice after streamed
// text begins a line.
func TestRunKeepsLinesApart(t *testing.T) {
	t.Parallel()
	s := serve(t, answer{text: "First the tree.", calls: []string{"list", `{}`}}, say("Done."))
	h := newHome(t, map[string]string{"main.go": goFile}, at(s)...)
	out, code := h.agent(t, "run", "look")
	if code != exit.Done || !strings.Contains(out, "First the tree.\n· list") {
		t.Errorf("got exit code %d and %q", code, out)
	}
}

// TestRetryNoticePunctuation retries after an error that ends with a punctuation
// mark.
func TestRetryNoticePunctuation(t *testing.T) {
	t.Parallel()
	var failed atomic.Bool
	s := serveFunc(t, func(s *server, w http.ResponseWriter, r *http.Request) {
		if !failed.Swap(true) {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error": {"message": "We are overloaded. Sorry about that!"}}`)
			return
		}
		s.play(w, r)
	}, say("Hello."))
	h := newHome(t, nil, at(s)...)
	out, code := h.agent(t, "run", "hi")
	if code != exit.Done || !strings.Contains(out, "about that! Retrying in ") {
		t.Errorf("got exit code %d and %q", code, out)
	}
}

// TestPipedTextIsInert prints an answer with control characters to a pipe: a file may be
// shown on a terminal later. All other text is unchanged, and so is JSON.
func TestPipedTextIsInert(t *testing.T) {
	t.Parallel()
	const hostile = "all:\n\techo é 👩‍💻\u200b\n\x1b]0;title\x07 \x1b[2J \u009b31m \x7f\b\rend"
	const inert = "all:\n\techo é 👩‍💻\u200b\n␛]0;title␇ ␛[2J \\x9b31m ␡␈␍end\n"
	s := serve(t, say(hostile), say(hostile))
	h := newHome(t, nil, at(s)...)
	if out, _ := h.agent(t, "run", "hi"); out != inert {
		t.Errorf("run: %q", out)
	}
	var result struct{ Session, Answer string }
	out, _ := h.agent(t, "run", "--output", "json", "hi")
	if err := json.Unmarshal([]byte(out), &result); err != nil || result.Answer != hostile {
		t.Errorf("run --output json: %v, %q", err, out)
	}
	if out, _ := h.agent(t, "sessions", "show", result.Session); !strings.HasSuffix(out, "\n"+inert) {
		t.Errorf("sessions show: %q", out)
	}
	for _, args := range [][]string{{"sessions"}, {"sessions", "search", "title"}, {"sessions", "export", result.Session}} {
		if out, code := h.agent(t, args...); code != exit.Done || out == "" || strings.ContainsAny(out, "\x1b\x07\u009b\x7f\b\r") {
			t.Errorf("%q: %d, %q", args, code, out)
		}
	}
}
