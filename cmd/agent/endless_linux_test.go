package main

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// endlessMemory is the most memory that a reply without an end may take, in MiB.
	endlessMemory = 150
	// endlessStop is how long Esc may take before a test calls the program stuck. The
	// promise is a tenth of a second, which a shared machine cannot be held to.
	endlessStop = 5 * time.Second
)

// endless are replies that never end by themselves: pieces of a stream in the
// dialect of chat completions, which are sent again and again.
func endless() map[string]func(i int) string {
	content := func(text string) string { return piece(`{"content":` + quote(text) + `}`) }
	said := func(text string) func(int) string {
		s := content(text)
		return func(int) string { return s }
	}
	begins := func(first, rest string) func(int) string {
		return func(i int) string {
			if i == 0 {
				return first
			}
			return rest
		}
	}
	argument := func(s string) string {
		return piece(`{"tool_calls":[{"index":0,"function":{"arguments":` + quote(s) + `}}]}`)
	}
	long := strings.Repeat("word ", 200)
	return map[string]func(int) string{
		"text":           said(strings.Repeat(long+"\n\n", 4)),
		"tokens":         said("word "),
		"table":          begins(content("| a | b | c |\n|---|---|---|\n"), content(strings.Repeat("| one | `two` | **three** |\n", 40))),
		"nested quotes":  said(strings.Repeat("> ", 4000) + "deep\n"),
		"growing quotes": func(i int) string { return content(strings.Repeat("> ", i%4000) + "deep\n") },
		"open fence":     begins(content("```go\n"), content(strings.Repeat("\tx := fmt.Sprintf(\"%d\", 12) // comment\n", 30))),
		"thinking":       func(int) string { return piece(`{"reasoning_content":` + quote(long) + `}`) },
		"arguments": begins(piece(`{"tool_calls":[{"index":0,"id":"c0","type":"function","function":{"name":"write","arguments":"{\"path\":\"a\",\"text\":\""}}]}`),
			argument(strings.Repeat("0123456789", 100))),
		"calls": func(i int) string {
			return piece(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"a%d\"}"}}]}`, i, i, i))
		},
		"one line":         said(strings.Repeat("x", 1000)),
		"nested list":      func(i int) string { return content(strings.Repeat("  ", i%2000) + "- item\n") },
		"list in a line":   said(strings.Repeat("- ", 4000) + "deep\n"),
		"link definitions": func(i int) string { return content(fmt.Sprintf("[link%d]: https://example.org/%d\n", i, i)) },
		"small blocks":     func(i int) string { return content(fmt.Sprintf("# h%d\n\n---\n\n`x`\n\n- a\n\n", i)) },
		"combining marks":  begins(content("a"), content(strings.Repeat("\u0301", 300))),
		"brackets":         said(strings.Repeat("[", 500) + strings.Repeat("*a _b ", 100)),
	}
}

// flood is a model's server that sends a reply without an end. It stops to send
// at a size, if there is one, and goes on waiting.
type flood struct {
	*httptest.Server
	full    chan struct{} // closed when all was sent up to the size
	dropped chan struct{} // closed when the program has ended the request
}

// endlessNames yields the names of all replies without an end.
func endlessNames() iter.Seq[string] { return maps.Keys(endless()) }

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

// peak is the most memory that was resident of the program at once, in MiB.
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

// A reply without an end is stopped at its limit. The program stays small, and
// goes on.
func TestEndlessReplyIsStopped(t *testing.T) {
	worst := 0.0
	for _, name := range slices.Sorted(endlessNames()) {
		t.Run(name, func(t *testing.T) {
			s := newFlood(t, endless()[name], 0)
			h := newHome(t, nil, "OPENAI_BASE_URL="+s.URL+"/v1", "OPENAI_API_KEY="+testKey)
			a := h.open(t, 120, 40)
			a.wait("? keys")
			began := time.Now()
			a.send("talk" + enter)
			<-s.dropped
			ended := time.Since(began)
			a.wait("? keys")
			shown := time.Since(began)
			a.send("zq")
			a.wait("› zq")
			t.Logf("%s: dropped after %v, shown after %v, typed %v later, peak %.0f MiB", name, ended, shown, time.Since(began)-shown, a.peak())
			worst = max(worst, a.peak())
		})
	}
	if !raceDetector && worst > endlessMemory {
		t.Errorf("the program took %.0f MiB, want %d at most", worst, endlessMemory)
	}
	t.Attr("promise", fmt.Sprintf("memory while a reply is endless, at its limit: at most: %.0f MiB", worst))
}

// Esc stops a reply of whatever kind at once.
func TestEscWhileAReplyIsEndless(t *testing.T) {
	var worst time.Duration
	for _, name := range slices.Sorted(endlessNames()) {
		t.Run(name, func(t *testing.T) {
			s := newFlood(t, endless()[name], 0)
			h := newHome(t, nil, "OPENAI_BASE_URL="+s.URL+"/v1", "OPENAI_API_KEY="+testKey)
			a := h.open(t, 120, 40)
			a.wait("? keys")
			a.send("talk" + enter)
			a.wait("esc stops")
			time.Sleep(300 * time.Millisecond)
			began := time.Now()
			a.send(escape)
			a.until("that it stops", func(screen string) bool {
				return strings.Contains(screen, "stopping") || strings.Contains(screen, "? keys")
			})
			first := time.Since(began)
			a.wait("? keys")
			took := time.Since(began)
			t.Logf("%s: Esc seen after %v, stopped after %v, peak %.0f MiB", name, first, took, a.peak())
			worst = max(worst, took)
			if took > endlessStop {
				t.Errorf("Esc took %v", took)
			}
		})
	}
	t.Attr("promise", fmt.Sprintf("Esc while a reply is endless, until the turn has ended: %d ms", worst.Milliseconds()))
}
