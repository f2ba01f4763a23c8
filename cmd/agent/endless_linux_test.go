package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/cmd/agent/exit"
	"agent/internal/sampling"
)

const (
	// endlessMemory is the most memory that a reply without an end may take, in MiB.
	endlessMemory = 150
	// endlessStop is how long Esc may take before a test calls the program stuck. The
	// promise is a tenth of a second, which a shared machine cannot be held to.
	endlessStop = 5 * time.Second
)

// endless are replies that never end: pieces of a Chat Completions stream that are
// sent repeatedly.
func endless() map[string]func(i int) string {
	content := func(text string) string { return piece(`{"content":` + quote(text) + `}`) }
	// The number makes the pieces different: a repeated text would be stopped at once.
	said := func(text string) func(int) string {
		return func(i int) string { return content(fmt.Sprint(text, i, " ")) }
	}
	begins := func(first string, rest func(int) string) func(int) string {
		return func(i int) string {
			if i == 0 {
				return first
			}
			return rest(i)
		}
	}
	argument := func(s string) string {
		return piece(`{"tool_calls":[{"index":0,"function":{"arguments":` + quote(s) + `}}]}`)
	}
	long := strings.Repeat("word ", 200)
	return map[string]func(int) string{
		"text":           said(strings.Repeat(long+"\n\n", 4)),
		"tokens":         said("word "),
		"table":          begins(content("| a | b | c |\n|---|---|---|\n"), said(strings.Repeat("| one | `two` | **three** |\n", 40)+"| ")),
		"nested quotes":  said(strings.Repeat("> ", 4000) + "deep\n"),
		"growing quotes": func(i int) string { return content(strings.Repeat("> ", i%4000) + "deep\n") },
		"open fence":     begins(content("```go\n"), said(strings.Repeat("\tx := fmt.Sprintf(\"%d\", 12) // comment\n", 30))),
		"thinking": func(i int) string {
			return piece(`{"reasoning_content":` + quote(fmt.Sprint(long, i, " ")) + `}`)
		},
		"arguments": begins(piece(`{"tool_calls":[{"index":0,"id":"c0","type":"function","function":{"name":"write","arguments":"{\"path\":\"a\",\"text\":\""}}]}`),
			func(int) string { return argument(strings.Repeat("0123456789", 100)) }),
		"calls": func(i int) string {
			return piece(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"a%d\"}"}}]}`, i, i, i))
		},
		"one line":         said(strings.Repeat("x", 1000)),
		"nested list":      func(i int) string { return content(strings.Repeat("  ", i%2000) + "- item\n") },
		"list in a line":   said(strings.Repeat("- ", 4000) + "deep\n"),
		"link definitions": func(i int) string { return content(fmt.Sprintf("[link%d]: https://example.org/%d\n", i, i)) },
		"small blocks":     func(i int) string { return content(fmt.Sprintf("# h%d\n\n---\n\n`x`\n\n- a\n\n", i)) },
		"combining marks":  begins(content("a"), func(i int) string { return content(strings.Repeat("\u0301", 300) + strings.Repeat("\u0300", i%50)) }),
		"one event":        begins(content(numbers(1_000_000)), said("word ")),
		"brackets":         said(strings.Repeat("[", 500) + strings.Repeat("*a _b ", 100)),
	}
}

// endlessKinds returns the kinds to test: all, or one of the arguments
// of a call and one of text.
func endlessKinds() []string {
	if sampling.Whole() {
		return slices.Sorted(maps.Keys(endless()))
	}
	return []string{"arguments", "nested quotes"}
}

// flood is a model server that sends an endless reply. At an optional size it stops
// and keeps the connection open.
type flood struct {
	*httptest.Server
	full    chan struct{} // closed when all was sent up to the size
	dropped chan struct{} // closed when the program has ended the request
}

func newFlood(t *testing.T, next func(i int) string, size int) *flood {
	f := &flood{full: make(chan struct{}), dropped: make(chan struct{})}
	first := make(chan struct{}, 1)
	first <- struct{}{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		select {
		case <-first:
		default:
			_, _ = io.WriteString(w, say("And it works.").completion())
			return
		}
		defer close(f.dropped)
		for i, sent := 0, 0; size == 0 || sent < size; i++ {
			n, err := io.WriteString(w, next(i))
			if sent += n; err != nil {
				return
			}
		}
		w.(http.Flusher).Flush()
		close(f.full)
		<-r.Context().Done()
	}))
	t.Cleanup(f.Close)
	return f
}

// env returns the environment that connects a program to f.
func (f *flood) env() []string {
	return []string{"OPENAI_BASE_URL=" + f.URL + "/v1", "OPENAI_API_KEY=" + testKey, "GOGC=100"}
}

// open starts the program with f as its model server.
func (f *flood) open(t *testing.T) *terminal {
	t.Helper()
	a := newHome(t, nil, f.env()...).open(t, 120, 40)
	a.wait("? help")
	return a
}

// received waits until c is closed.
func (s *terminal) received(c <-chan struct{}, what string) {
	s.t.Helper()
	select {
	case <-c:
	case <-time.After(hang):
		s.t.Fatalf("%s did not come:\n%s", what, s.screen())
	}
}

// peak returns the peak resident memory of the program, in MiB.
func (s *terminal) peak() float64 {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return kib / 1024
}

// TestEndlessReplyIsStopped stops an endless reply at its limit: memory stays
// small, the reason is shown, and the session continues.
func TestEndlessReplyIsStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	worst := 0.0
	for _, name := range endlessKinds() {
		t.Run(name, func(t *testing.T) {
			s := newFlood(t, endless()[name], 0)
			a := s.open(t)
			began := time.Now()
			a.send("talk" + enter)
			a.until("why it was stopped", func(screen string) bool {
				return strings.Contains(screen, "was stopped") && strings.Contains(screen, "? help")
			})
			a.received(s.dropped, "the end of the request")
			ended := time.Since(began)
			began = time.Now()
			a.send("and now" + enter)
			a.wait("And it works.", "? help")
			peak := a.peak()
			t.Logf("ended after %v, the next turn %v later, %.0f MiB at most", ended, time.Since(began), peak)
			worst = max(worst, peak)
		})
	}
	if !raceDetector && worst > endlessMemory {
		t.Errorf("the program took %.0f MiB, want %d at most", worst, endlessMemory)
	}
	t.Attr("promise", fmt.Sprintf("a reply without an end is stopped at its limit: memory at most, of %d kinds: %.0f MiB", len(endlessKinds()), worst))
}

// TestEscDuringAnEndlessReply interrupts an endless reply at once.
func TestEscDuringAnEndlessReply(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	var seen, stopped time.Duration
	for _, name := range endlessKinds() {
		t.Run(name, func(t *testing.T) {
			s := newFlood(t, endless()[name], 7<<20) // the limit is not reached
			a := s.open(t)
			a.send("talk" + enter)
			select {
			case <-s.full:
			case <-s.dropped: // at a limit other than the size
				return
			case <-time.After(hang):
				t.Fatalf("the reply was not taken:\n%s", a.screen())
			}
			began := time.Now()
			a.send(escape)
			a.until("that the turn stops", func(screen string) bool {
				return strings.Contains(screen, "interrupting") || strings.Contains(screen, "? help")
			})
			first := time.Since(began)
			a.wait("? help")
			last := time.Since(began)
			a.received(s.dropped, "the end of the request")
			t.Logf("seen after %v, stopped after %v, %.0f MiB at most", first, last, a.peak())
			seen, stopped = max(seen, first), max(stopped, last)
			if last > endlessStop {
				t.Errorf("Esc took %v", last)
			}
		})
	}
	t.Attr("promise", fmt.Sprintf("Esc while a reply is endless, until the screen shows it; worst of %d kinds: %d ms", len(endlessKinds()), seen.Milliseconds()))
	t.Attr("promise", fmt.Sprintf("Esc while a reply is endless, until the turn has ended; worst of %d kinds: %d ms", len(endlessKinds()), stopped.Milliseconds()))
}

// TestEndlessReplyIsKept resumes, searches and exports the kept part of an endless
// reply.
func TestEndlessReplyIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	s := newFlood(t, endless()["text"], 0)
	h := newHome(t, nil, s.env()...)
	out, code := h.agent(t, "run", "talk")
	if code != exit.Failed || !strings.Contains(out, "the reply reached the limit of 8 MiB (max_reply_bytes) and was stopped") {
		t.Errorf("got exit code %d and %d bytes, want that the reply was stopped; the end:\n%s", code, len(out), out[max(0, len(out)-300):])
	}
	if out, code := h.agent(t, "sessions", "search", "word"); code != exit.Done || !strings.Contains(out, h.ids(t)[0][:8]) {
		t.Errorf("search: exit code %d:\n%s", code, out[:min(len(out), 300)])
	}
	for _, form := range []string{"md", "html", "json"} {
		if out, code := h.agent(t, "sessions", "export", "--format", form, h.ids(t)[0]); code != exit.Done || strings.Count(out, "word") < 8<<20/6 {
			t.Errorf("export as %s: exit code %d, %d bytes", form, code, len(out))
		}
	}
	a := h.open(t, 120, 40, "--continue")
	a.wait("was stopped", "? help")
	a.send("and now" + enter)
	a.wait("And it works.", "? help")
}

// TestEndlessLineOfAServer stops an MCP server whose only line never ends: memory stays small.
func TestEndlessLineOfAServer(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil, append(at(serve(t)), "GOGC=100")...)
	h.configure(t, `{"mcp": {"servers": {"flood": {"command": "sh", "args": ["-c", "tr '\\0' A < /dev/zero"]}}}}`)
	a := h.open(t, 120, 40)
	a.wait("? help")
	a.send("/mcp" + enter)
	a.wait("more than 8 MiB")
	peak := a.peak()
	t.Logf("%.0f MiB at most", peak)
	if !raceDetector && peak > 100 {
		t.Errorf("the program took %.0f MiB", peak)
	}
}
