package lsp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agent/internal/tools/lsp/client"
	"agent/internal/tools/lsp/protocol"
)

// running is a server that a pool has started.
type running struct {
	*client.Client
	pool    *Pool
	server  Server
	root    string // absolute
	process Process
	used    time.Time // guarded by servers.mu
}

// request calls Request of the client. Its error includes what the server printed before it
// ended.
func (r *running) request(ctx context.Context, method string, params protocol.Params, result any) (partial bool, err error) {
	partial, err = r.Request(ctx, method, params, result)
	return partial, r.explain(err)
}

// explain adds the end of standard error to an error that says that the server has ended.
func (r *running) explain(err error) error {
	if err == nil || !errors.Is(err, r.Err()) {
		return err
	}
	if last := r.process.Log().Last(3); last != "" {
		return fmt.Errorf("%w. It printed:\n%s", err, last)
	}
	return err
}
