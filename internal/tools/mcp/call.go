package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
)

// callTool calls a tool. A call that was not delivered is repeated once on a new
// connection.
func (s *server) callTool(ctx context.Context, name string, args json.RawMessage, user tools.Approved) (tools.Result, error) {
	if err := s.calls.wait(ctx); err != nil {
		return tools.Result{}, err
	}
	defer s.calls.done()
	for again := true; ; again = false {
		session, err := s.ready(ctx)
		if err != nil {
			return tools.Result{}, err
		}
		got, d, err := s.callOnce(ctx, session, name, args, user)
		if err == nil {
			return got, nil
		}
		if ctx.Err() != nil {
			return tools.Result{}, ctx.Err()
		}
		broke := d == delivered && streamBroke(err) // then the method lost drops the session
		if !hasEnded(err) && d != refused && !broke {
			return s.failed(err)
		}
		if !broke {
			s.drop(session)
		}
		if d == delivered {
			return tools.Result{}, advice.Add(fmt.Errorf("the MCP server %s closed the connection during the call%s", s.Name, s.lastOutput(err)),
				"The call may or may not have taken effect. Check that before you repeat it")
		}
		if !again {
			return s.failed(err)
		}
	}
}

// hasEnded reports whether err means that the connection or the session has ended.
func hasEnded(err error) bool {
	if _, wire := errors.AsType[*jsonrpc.Error](err); !wire && strings.Contains(err.Error(), sentTooMuch) {
		return true // the SDK gives the error of the transport to some of the calls
	}
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe)
}

// streamBroke reports whether err comes from the transport, not from the server. The SDK has no
// type for the error of a call whose answer was lost over HTTP, for example because the
// server was started again.
func streamBroke(err error) bool {
	_, wire := errors.AsType[*jsonrpc.Error](err)
	return !wire && strings.Contains(err.Error(), `sending "`)
}

// errSilent is why a call without progress ends.
var errSilent = errors.New("silent")

// callOnce calls a tool on a session. It ends the call if the server is silent for too long.
func (s *server) callOnce(ctx context.Context, session *sdk.ClientSession, name string, args json.RawMessage, user tools.Approved) (tools.Result, delivery, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	token := rand.Text()
	s.sent.add(token)
	call := newRunning(ctx, name, user, s.Silence, func() { stop(errSilent) })
	s.calls.add(token, call)
	defer s.calls.end(token)
	if args == nil {
		args = json.RawMessage("{}")
	}
	p := &sdk.CallToolParams{Name: name, Arguments: args}
	p.SetProgressToken(token)
	got, err := session.CallTool(ctx, p)
	if err != nil {
		if err = s.openPages(ctx, call, err); err == nil {
			got, err = session.CallTool(ctx, p)
		}
	}
	d := s.sent.remove(token)
	if err != nil {
		if errors.Is(context.Cause(ctx), errSilent) {
			err = &silentError{s.Name, s.Silence}
		}
		return tools.Result{}, d, err
	}
	result := s.result(ctx, name, got)
	call.addQuestions(&result)
	return result, d, nil
}

// silentError is the error of a call that ended because the server was silent.
type silentError struct {
	server string
	limit  time.Duration
}

func (e *silentError) Error() string {
	return fmt.Sprintf("the MCP server %s was silent for %s, so the call was cancelled. It may or may not have taken effect", e.server, phrase.Count(int(e.limit/time.Second), "second"))
}

// progressText returns a report of progress as a line.
func progressText(p *sdk.ProgressNotificationParams) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	text := number(p.Progress)
	if p.Total > 0 {
		text += "/" + number(p.Total)
	}
	return strings.TrimSpace(text+" "+phrase.Clip(p.Message, maxStated)) + "\n"
}

// failed returns the result of a call with an error. What the server says is data.
func (s *server) failed(err error) (tools.Result, error) {
	if _, ok := errors.AsType[*silentError](err); ok {
		return tools.Result{}, err
	}
	if _, ok := errors.AsType[*pageError](err); ok {
		return tools.Result{Source: s.Name}, err
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		code := fmt.Sprintf(" (error %d)", wire.Code)
		if strings.Contains(wire.Message, strconv.FormatInt(wire.Code, 10)) {
			code = "" // many servers write it into the message
		}
		return tools.Result{Source: s.Name}, fmt.Errorf("the MCP server %s answers: %s%s", s.Name, phrase.Clip(wire.Message, maxResult), code)
	}
	return tools.Result{Source: s.Name}, fmt.Errorf("the MCP server %s: %s", s.Name, phrase.Clip(err.Error(), maxStated))
}

// lastOutput returns ": " and the last line that the program of the server wrote, or else the
// text of err. It is empty if err says only that the connection was closed.
func (s *server) lastOutput(err error) string {
	text := plain(err)
	if i := strings.Index(text, sentTooMuch); i >= 0 {
		text = text[i:]
	} else if last := s.log.Last(1); last != "" && !s.Remote() {
		text = last
	} else if text == closedIt {
		return ""
	}
	return ": " + phrase.Clip(text, maxStated)
}
