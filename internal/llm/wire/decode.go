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
	// Add decodes a payload. It reports whether the answer is complete, so that
	// the rest of the body need not be read.
	Add(payload []byte) (done bool, err error)
	// Ending reports whether the answer has ended but for what may be missing:
	// the end of the body is not worth a long wait then.
	Ending() bool
	// End adds the Finish, or returns why the answer is incomplete. The error is
	// how the body ended, nil after Add reported a complete answer.
	End(err error) error
}

// Decode yields the deltas that d makes of payloads. As with llm.Provider an
// *llm.Error comes last, if at all, and a sequence without one ends with
// llm.Finish.
func Decode(payloads *Payloads, d Decoder) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) { run(payloads.Next, d, yield) }
}

// run yields the deltas that d makes of payloads. See Payloads.Next for how they
// end.
func run(next func() ([]byte, error), d Decoder, yield func(llm.Delta, error) bool) {
	out := d.Deltas()
	for done := false; !done; {
		data, err := next()
		switch {
		case err == nil:
			if done, err = d.Add(data); err == nil {
				err = out.tooMuch
			}
			if err == nil && done {
				err = d.End(nil)
			}
		case !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
			done, err = true, d.End(err)
		}
		if err == nil && !done && out.Wait() {
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
		if d.Ending() {
			x.hurry()
		}
		return payloads.Next()
	}
	run(next, d, func(delta llm.Delta, err error) bool {
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
