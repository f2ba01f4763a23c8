package wire

import (
	"context"
	"errors"
	"iter"

	"agent/internal/llm"
)

// Decoder turns the payloads of one answer into deltas.
type Decoder interface {
	// Deltas returns the queue of the deltas to yield next.
	Deltas() *Deltas
	// Add decodes a payload.
	Add(payload []byte) (State, error)
	// End adds the Finish, or returns why the answer is incomplete. The error is
	// how the body ended, nil after Add returned Complete.
	End(err error) error
}

// State is how far an answer has come.
type State int

// The states of an answer.
const (
	Open     State = iota // more follows
	Ending                // only counts of tokens can follow: the end is not worth a long wait
	Complete              // the rest of the body is not read
)

// Decode yields the deltas that d makes of payloads. As with llm.Provider an
// *llm.Error comes last, if at all, and a sequence without one ends with
// llm.Finish.
func Decode(payloads *Payloads, d Decoder) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) { run(payloads.Next, d, func() {}, yield) }
}

// run yields the deltas that d makes of payloads, and calls hurry when the answer
// is ending. See Payloads.Next for how payloads end.
func run(next func() ([]byte, error), d Decoder, hurry func(), yield func(llm.Delta, error) bool) {
	out := d.Deltas()
	for state := Open; state != Complete; {
		data, err := next()
		switch {
		case err == nil:
			if state, err = d.Add(data); err == nil {
				err = out.tooMuch
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

// Stream yields the deltas that d makes of the answer's payloads. See
// llm.Provider.
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

// Untrusted is the error of an answer with calls of which an event could not be
// read.
func Untrusted() *llm.Error {
	return &llm.Error{Kind: llm.ErrCut, Message: "a part of the answer could not be read, so its tool calls cannot be trusted", Retry: true}
}
