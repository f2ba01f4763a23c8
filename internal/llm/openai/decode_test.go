package openai

import (
	"errors"
	"io"
	"iter"

	"agent/internal/llm"
)

// decoded is all that came of an answer.
type decoded struct {
	deltas   []llm.Delta
	messages []llm.Message
	finish   llm.Finish
	err      *llm.Error
}

func decode(r io.Reader) *decoded { return collect(Decode(r)) }

// collect takes all deltas and assembles them.
func collect(deltas iter.Seq2[llm.Delta, error]) *decoded {
	d := &decoded{}
	reply := llm.NewReply("r")
	for x, err := range deltas {
		if err != nil {
			if e, ok := errors.AsType[*llm.Error](err); ok {
				d.err = e
			} else {
				d.err = &llm.Error{Message: "not an *llm.Error: " + err.Error()}
			}
			break
		}
		d.deltas = append(d.deltas, x)
		reply.Add(x)
	}
	d.messages, d.finish = reply.Messages(), reply.Finish
	return d
}
