package mcp

import (
	"context"
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

// addCall adds a call to those that run on the server, by its progress token.
func (s *server) addCall(token string, r *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[token] = r
}

// endCall ends and removes a call.
func (s *server) endCall(token string) {
	s.mu.Lock()
	r := s.running[token]
	delete(s.running, token)
	s.mu.Unlock()
	r.end()
}

// progress passes a report of progress to its call.
func (s *server) progress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	s.mu.Lock()
	r := s.running[token]
	s.mu.Unlock()
	if r != nil {
		r.reported(progressText(p))
	}
}
