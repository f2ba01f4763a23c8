// Package wiretest holds helpers for tests of dialects: recorded responses,
// ways to split them into reads, and comparable forms of the decoded result.
package wiretest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"agent/internal/llm"
)

// Recording returns a recorded response.
func Recording(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Variants returns readers that deliver body in different pieces and line
// endings.
func Variants(body []byte) map[string]io.Reader {
	crlf := bytes.ReplaceAll(body, []byte("\n"), []byte("\r\n"))
	cr := bytes.ReplaceAll(body, []byte("\n"), []byte("\r"))
	return map[string]io.Reader{
		"whole":        bytes.NewReader(body),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(body)),
		"with \\r\\n":  iotest.HalfReader(bytes.NewReader(crlf)),
		"with \\r":     iotest.OneByteReader(bytes.NewReader(cr)),
	}
}

// Dribble returns a reader that delivers body in pieces of 1 to 7 bytes.
func Dribble(body []byte) io.Reader { return &dribble{body: body} }

type dribble struct {
	body []byte
	n    int
}

func (d *dribble) Read(b []byte) (int, error) {
	if len(d.body) == 0 {
		return 0, io.EOF
	}
	d.n++
	n := copy(b[:min(len(b), 1+d.n%7)], d.body)
	d.body = d.body[n:]
	return n, nil
}

// Answer is the decoded response.
type Answer struct {
	Deltas   []llm.Delta
	Messages []llm.Message
	Finish   llm.Finish
	Err      *llm.Error
}

// Collect consumes all deltas and assembles them.
func Collect(deltas iter.Seq2[llm.Delta, error]) *Answer {
	a := &Answer{}
	reply := llm.NewReply("r")
	for x, err := range deltas {
		if err != nil {
			if e, ok := errors.AsType[*llm.Error](err); ok {
				a.Err = e
			} else {
				a.Err = &llm.Error{Message: "not an *llm.Error: " + err.Error()}
			}
			break
		}
		a.Deltas = append(a.Deltas, x)
		reply.Add(x)
	}
	a.Messages, a.Finish = reply.Messages(), reply.Finish
	return a
}

// Content is an Answer in comparable form.
type Content struct {
	Messages []string // its messages, see Describe
	Reason   llm.Reason
	Usage    llm.Usage
	Kind     llm.ErrorKind
	Error    string
}

// Content returns the comparable form of a. With random, random suffixes of IDs
// are replaced by *.
func (a *Answer) Content(random bool) Content {
	got := Content{Reason: a.Finish.Reason, Usage: a.Finish.Usage}
	if a.Err != nil {
		got.Kind, got.Error = a.Err.Kind, a.Err.Message
	}
	for _, m := range a.Messages {
		if i := strings.LastIndex(m.ID, "_") + 1; random && len(m.ID)-i >= 8 {
			m.ID = m.ID[:i] + "*"
		}
		got.Messages = append(got.Messages, Describe(m))
	}
	return got
}

// Describe returns m as one line.
func Describe(m llm.Message) string {
	s := "text " + m.Text
	switch m.Kind {
	case llm.Thinking:
		s = "thinking " + m.Text
	case llm.WebSearch:
		s = "search"
		if m.Search != nil {
			s = m.Search.Text()
		}
	case llm.ToolCall:
		s = fmt.Sprintf("call %s %s %s", m.ID, m.Name, m.Input)
		if m.Raw != "" {
			s = fmt.Sprintf("call %s %s raw %s", m.ID, m.Name, m.Raw)
		}
	}
	for _, source := range m.Sources {
		s += " [" + source.URL + "]"
	}
	if m.Cut {
		s += " (cut)"
	}
	if m.Opaque != nil {
		s += " +" + string(m.Opaque.Data)
	}
	return s
}

// WaitForGoroutines waits until at most before goroutines are running.
func WaitForGoroutines(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}
