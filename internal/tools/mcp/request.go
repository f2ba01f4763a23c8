package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/llm/phrase"
)

// request sends a request of the protocol that only reads. If the connection is lost, it is
// sent once more on a new connection. The server must answer within its limit of silence.
// An error contains text of the server.
func request[R any](ctx context.Context, s *server, send func(context.Context, *sdk.ClientSession) (R, error)) (got R, err error) {
	if err := s.calls.wait(ctx); err != nil {
		return got, err
	}
	defer s.calls.done()
	for again := true; ; again = false {
		session, err := s.ready(ctx)
		if err != nil {
			return got, err
		}
		limited, stop := context.WithTimeoutCause(ctx, s.Silence, errSilent)
		got, err = send(limited, session)
		silent := errors.Is(context.Cause(limited), errSilent)
		stop()
		switch {
		case err == nil:
			return got, nil
		case ctx.Err() != nil:
			return got, ctx.Err()
		case silent:
			return got, fmt.Errorf("the MCP server %s did not answer within %s", s.Name, phrase.Count(int(s.Silence/time.Second), "second"))
		case !hasEnded(err):
			_, err = s.failed(err)
			return got, err
		}
		s.drop(session)
		if !again {
			return got, fmt.Errorf("the MCP server %s closed the connection%s", s.Name, s.lastOutput(err))
		}
	}
}
