package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/tools"
)

// running is a call that runs. Its methods are safe for concurrent use.
type running struct {
	tool   string          // its name at the server
	ctx    context.Context // of the call
	user   tools.Approved  // what the call needs of the user: Progress and Ask
	asking chan struct{}   // has a token while the user is being asked: one question at a time

	pages chan string // IDs of pages on which the user has finished

	mu       sync.Mutex // held while Progress is called
	over     bool
	limit    time.Duration
	silence  *time.Timer
	waiting  int      // questions that the user has not answered
	asked    int      // questions of the server
	declined int      // questions without an answer
	reasons  []string // why, at most maxReasons
}

// newRunning begins to measure the silence of the server, after which it calls stop. The
// caller ends the call.
func newRunning(ctx context.Context, tool string, user tools.Approved, limit time.Duration, stop func()) *running {
	r := &running{tool: tool, ctx: ctx, user: user, asking: make(chan struct{}, 1), pages: make(chan string, maxAsked), limit: limit}
	r.silence = time.AfterFunc(limit, stop)
	return r
}

// end ends the call: Progress is not called after that.
func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.silence.Stop()
}

// reported restarts the limit of silence, and shows the user a report of the server.
func (r *running) reported(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.restart(r.limit)
	if !r.over && r.user.Progress != nil {
		r.user.Progress(text)
	}
}

// restart measures the silence from now on, up to limit, unless the user is being asked.
// The caller holds mu.
func (r *running) restart(limit time.Duration) {
	if !r.over && r.waiting == 0 {
		r.silence.Reset(limit)
	}
}

// pause stops measuring the silence while the user is asked, until resume is called with
// the limit that applies from then.
func (r *running) pause() (resume func(limit time.Duration)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting++
	r.silence.Stop()
	return func(limit time.Duration) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.waiting--
		r.restart(limit)
	}
}

// runningCalls are the calls that run on a server. Its methods are safe for concurrent use.
type runningCalls struct {
	slots chan struct{} // has a token for each request that runs

	mu      sync.Mutex
	byToken map[string]*running // by progress token
}

func newRunningCalls() *runningCalls {
	return &runningCalls{slots: make(chan struct{}, maxCalls), byToken: map[string]*running{}}
}

// wait waits until a request may run. The caller calls done when it has run. The error is that
// of ctx.
func (c *runningCalls) wait(ctx context.Context) error {
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// done lets the next request run.
func (c *runningCalls) done() { <-c.slots }

// add adds a call by its progress token.
func (c *runningCalls) add(token string, r *running) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byToken[token] = r
}

// end ends and removes a call.
func (c *runningCalls) end(token string) {
	c.mu.Lock()
	r := c.byToken[token]
	delete(c.byToken, token)
	c.mu.Unlock()
	r.end()
}

// all returns the calls, by tool.
func (c *runningCalls) all() []*running {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Values(c.byToken), func(a, b *running) int { return strings.Compare(a.tool, b.tool) })
}

// progress passes a report of progress to its call.
func (c *runningCalls) progress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	c.mu.Lock()
	r := c.byToken[token]
	c.mu.Unlock()
	if r != nil {
		r.reported(progressText(p))
	}
}
