package client

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

const (
	maxProgress = 100 // operations of a server that are followed at a time
	maxToken    = 200 // bytes of the token of an operation
)

// activity is what a server reports about its work: progress ($/progress), and
// experimental/serverStatus, an extension of rust-analyzer. The latter does not include checks
// in the background.
type activity struct {
	began  map[string]time.Time // operations that have not ended, by token
	ended  time.Time            // when the last one ended
	status bool                 // the server sends its status
	loads  bool                 // its last status says that it loads the project
	slow   bool                 // it has been loading the project for longer than a request may take
	loaded time.Time            // when it last finished loading the project
}

// record records a notification. It ignores those that say nothing about work.
func (a *activity) record(method string, params json.RawMessage) {
	var p struct {
		Token     json.RawMessage
		Value     struct{ Kind string }
		Quiescent bool
	}
	if method != "$/progress" && method != "experimental/serverStatus" || json.Unmarshal(params, &p) != nil {
		return
	}
	loading := a.loading()
	switch token := string(p.Token); {
	case method == "experimental/serverStatus":
		a.status, a.loads = true, !p.Quiescent
	case p.Value.Kind == "begin" && len(a.began) < maxProgress && len(token) <= maxToken:
		a.began[token] = time.Now()
	case p.Value.Kind == "end":
		delete(a.began, token)
		a.ended = time.Now()
	}
	if loading && !a.loading() {
		a.slow, a.loaded = false, time.Now()
	}
}

// loading reports whether the server reads the project, so that its answers may be
// incomplete.
func (a *activity) loading() bool {
	if a.status {
		return a.loads
	}
	return len(a.began) > 0
}

// since reports whether the server loads the project, or has begun an operation after t that
// has not ended.
func (a *activity) since(t time.Time) bool {
	return a.loads || slices.ContainsFunc(slices.Collect(maps.Values(a.began)), func(began time.Time) bool { return began.After(t) })
}
