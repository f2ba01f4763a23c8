package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// pacer is a model server on loopback that plays answers at a given pace, one per
// request, and records times.
type pacer struct {
	*httptest.Server
	mu      sync.Mutex
	plays   []play
	asked   []time.Time    // when each request had come
	bodies  [][]byte       // of the requests
	done    []time.Time    // when each answer had been sent
	first   chan time.Time // gets when the first piece of an answer was sent
	dropped chan time.Time // gets when the reader of an answer went away
}

// play is one answer.
type play struct {
	tokens []string
	every  time.Duration // between two of them; 0 sends all at once
	call   string        // a file that the answer reads, in place of text
	tool   string        // a tool that the answer calls with args, in place of text
	args   string
	tasks  int         // delegates that the answer starts, in place of text
	hold   bool        // repeats the text forever
	last   func()      // called when all but the end was sent; may be nil
	send   func(i int) // called before token i is sent; may be nil
}

func newPacer(b *testing.B) *pacer {
	p := &pacer{first: make(chan time.Time, 1000), dropped: make(chan time.Time, 1000)}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	b.Cleanup(p.Close)
	return p
}

// env returns the environment that connects a program to p.
func (p *pacer) env() []string {
	return []string{"OPENAI_BASE_URL=" + p.URL + "/v1", "OPENAI_API_KEY=" + testKey}
}

// next adds answers.
func (p *pacer) next(plays ...play) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plays = append(p.plays, plays...)
}

func (p *pacer) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	at := time.Now()
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	p.mu.Lock()
	now := play{tokens: []string{"The script is over."}}
	if len(p.plays) > 0 {
		now, p.plays = p.plays[0], p.plays[1:]
	}
	p.asked, p.bodies = append(p.asked, at), append(p.bodies, body)
	p.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if !p.say(w, r, now) {
		p.dropped <- time.Now()
		return
	}
	p.mu.Lock()
	p.done = append(p.done, time.Now())
	p.mu.Unlock()
}

// say plays one answer and reports whether the client read all of it.
func (p *pacer) say(w http.ResponseWriter, r *http.Request, now play) bool {
	flush := w.(http.Flusher).Flush
	begun := time.Now()
	for i := 0; i < len(now.tokens) || now.hold; i++ {
		if i == 0 {
			p.first <- begun
		}
		if now.send != nil {
			now.send(i)
		}
		_, _ = io.WriteString(w, piece(`{"content":`+quote(now.tokens[i%len(now.tokens)])+`}`))
		if now.every == 0 {
			continue
		}
		flush()
		select {
		case <-time.After(time.Until(begun.Add(time.Duration(i+1) * now.every))):
		case <-r.Context().Done():
			return false
		}
	}
	if now.last != nil {
		flush()
		now.last()
	}
	reason := "stop"
	if now.call != "" {
		now.tool, now.args = "read", `{"path":`+quote(now.call)+`}`
	}
	if now.tool != "" {
		reason = "tool_calls"
		_, _ = io.WriteString(w, callPiece(0, begun.UnixNano(), now.tool, now.args))
	}
	for i := range now.tasks {
		reason = "tool_calls"
		_, _ = io.WriteString(w, callPiece(i, begun.UnixNano()+int64(i), "delegate", fmt.Sprintf(`{"agent":"general","prompt":"Do part %d."}`, i)))
	}
	_, _ = io.WriteString(w, `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":`+quote(reason)+`}],"usage":{"prompt_tokens":1200,"completion_tokens":34,"total_tokens":1234}}`+"\n\ndata: [DONE]\n\n")
	flush()
	return true
}

// callPiece is the event of a tool call. The number makes its ID unique.
func callPiece(index int, number int64, tool, args string) string {
	return piece(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%s,"arguments":%s}}]}`, index, number, quote(tool), quote(args)))
}

// piece is one event of the stream.
func piece(delta string) string {
	return `data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
}

// between returns the time from each answer except the last to the next request.
func (p *pacer) between() (all []time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range len(p.asked) - 1 {
		all = append(all, p.asked[i+1].Sub(p.done[i]))
	}
	return all
}

// speech returns n tokens of a typical answer: prose with emphasis, lists, a table,
// code.
func speech(n int) []string {
	const text = `## What happens to the timeout

The flag is **parsed** in ` + "`main.go`" + `, but it never reaches the listener: the server is built from
a literal that leaves the field at zero, and a zero there means that nothing is ever given up.
So a client that opens a connection and says nothing holds it until the process ends.

1. hand ` + "`cfg.Timeout`" + ` on to **NewServer**, which takes it as it is
2. set it for the *headers*, not for the whole request, or uploads would be cut
3. say so in the [documentation](https://example.org/timeouts)

` + "```go" + `
func NewServer(addr string, mux http.Handler, timeout time.Duration) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           mux,
		ReadHeaderTimeout: timeout, // what the flag said
	}
}
` + "```" + `

| flag | before | after |
|------|--------|-------|
| none | never | ten seconds |
| 5s | never | five seconds |

`
	tokens := strings.SplitAfter(text, " ")
	all := make([]string, 0, n)
	for i := range n {
		round := strconv.Itoa(i/len(tokens) + 1) // the loop stops replies that repeat themselves
		all = append(all, strings.Replace(tokens[i%len(tokens)], "timeout\n", "timeout "+round+"\n", 1))
	}
	return all
}

// plainWord matches a token that is a word of prose without markup.
var plainWord = regexp.MustCompile(`^[a-z]{3,} $`)

// numbered replaces the plain words of tokens by numbered words, so that the screen
// shows which token arrived.
func numbered(tokens []string) []string {
	out := slices.Clone(tokens)
	for i, t := range out {
		if plainWord.MatchString(t) {
			out[i] = fmt.Sprintf("x%04d ", i)
		}
	}
	return out
}

// kilobytes returns an answer of about n KiB with a unique last line.
func kilobytes(n int, end string) []string {
	var all []string
	size := 0
	for _, t := range speech(n * 1024) {
		if size += len(t); size > n*1024 {
			break
		}
		all = append(all, t)
	}
	return append(all, "\n\n```\n\n"+end)
}
