package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

const (
	maxProgress = 100 // operations of a server that are followed at a time
	maxToken    = 200 // bytes of the token of an operation
)

// activity is what a server says about its work: as progress ($/progress), and as
// rust-analyzer's extension experimental/serverStatus. The latter leaves out checks in the
// background.
type activity struct {
	began  map[string]time.Time // operations that have not ended, by token
	ended  time.Time            // when the last one ended
	status bool                 // the server sends its status
	loads  bool                 // by its status, it loads the project
}

// note records a notification. It reports false for one that says nothing about work.
func (a *activity) note(method string, params json.RawMessage) bool {
	var p struct {
		Token     json.RawMessage
		Value     struct{ Kind string }
		Quiescent bool
	}
	if method != "$/progress" && method != "experimental/serverStatus" || json.Unmarshal(params, &p) != nil {
		return false
	}
	switch token := string(p.Token); {
	case method == "experimental/serverStatus":
		a.status, a.loads = true, !p.Quiescent
	case p.Value.Kind == "begin" && len(a.began) < maxProgress && len(token) <= maxToken:
		a.began[token] = time.Now()
	case p.Value.Kind == "end":
		delete(a.began, token)
		a.ended = time.Now()
	}
	return true
}

// loading reports whether the server reads the project, so that its answers may be
// incomplete.
func (a *activity) loading() bool {
	if a.status {
		return a.loads
	}
	return len(a.began) > 0
}

// since reports whether the server loads the project, or has begun to work since t and not
// finished.
func (a *activity) since(t time.Time) bool {
	for _, began := range a.began {
		if began.After(t) {
			return true
		}
	}
	return a.status && a.loads
}

func (r *running) loading() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.work.loading()
}

// settled is a check for until.
func (r *running) settled() (bool, time.Duration) { return !r.loading(), 0 }

// settle waits until the server is not loading the project. If that takes too long, it
// reports false, and does not wait again for the same work.
func (r *running) settle(ctx context.Context) bool {
	r.mu.Lock()
	wait := !r.slow || !r.work.loading()
	r.mu.Unlock()
	settled := wait && r.until(ctx, r.settled)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slow = !settled && !errors.Is(ctx.Err(), context.Canceled)
	return settled
}

// until waits until check reports true. It calls check whenever the server has sent
// diagnostics or progress, and after the time that check returns, if that is not 0. It
// reports false if ctx or the connection ends first.
func (r *running) until(ctx context.Context, check func() (done bool, again time.Duration)) bool {
	for {
		r.mu.Lock()
		news := r.news
		r.mu.Unlock()
		done, again := check()
		if done {
			return true
		}
		var timer <-chan time.Time
		if again > 0 {
			timer = time.After(again)
		}
		select {
		case <-news:
		case <-timer:
		case <-r.done:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
