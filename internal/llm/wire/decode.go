package wire

import (
	"context"
	"errors"
	"iter"

	"agent/internal/llm"
)

// Decoder turns the payloads of one response into deltas.
type Decoder interface {
	// Deltas returns the queue of deltas to yield next.
	Deltas() *Deltas
	// Add decodes a payload.
	Add(payload []byte) (State, error)
	// End adds the Finish, or returns why the response is incomplete. err is
	// the error that ended the body; nil after Add returned Complete.
	End(err error) error
}

// State is the progress of a response.
type State int

// The states of a response.
const (
	Open     State = iota // more follows
	Ending                // only token counts can follow: the wait for the end is short
	Complete              // the rest of the body is not read
)

// Decode yields the deltas that d decodes from payloads. As with llm.Provider,
// an *llm.Error comes last, and a sequence without one ends with llm.Finish.
func Decode(payloads *Payloads, d Decoder) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) { run(payloads.Next, d, func() {}, yield) }
}

// run yields the deltas that d decodes from payloads, and calls hurry once the
// response is Ending. See Payloads.Next for how payloads end.
func run(next func() ([]byte, error), d Decoder, hurry func(), yield func(llm.Delta, error) bool) {
	out := d.Deltas()
	for state := Open; state != Complete; {
		data, err := next()
		switch {
		case err == nil:
			if state, err = d.Add(data); err == nil {
				err = out.err
			}
			if err == nil && state == Complete {
				err = d.End(nil)
			}
		case !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
			state, err = Complete, d.End(err)
		}
		if state == Ending {
			hurry()
		}
		if err == nil && state != Complete && out.Wait() {
			continue
		}
		if !out.Flush(yield) {
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
	}
}

// Stream yields the deltas that d decodes from payloads. See llm.Provider.
func (x *Exchange) Stream(payloads *Payloads, d Decoder, yield func(llm.Delta, error) bool) {
	d.Deltas().More = payloads.More
	next := func() ([]byte, error) {
		if err := x.ctx.Err(); err != nil {
			return nil, err
		}
		return payloads.Next()
	}
	run(next, d, x.hurry, func(delta llm.Delta, err error) bool {
		if err != nil {
			err = x.Failed(err)
		} else if _, ok := delta.(llm.Finish); ok {
			x.drain()
		}
		return yield(delta, err)
	})
}

// UnreadableCalls is the error of a response with tool calls in which an event
// could not be read.
func UnreadableCalls() *llm.Error {
	return &llm.Error{Kind: llm.ErrCut, Message: "a part of the answer could not be read, so its tool calls cannot be trusted", Retry: true}
}
