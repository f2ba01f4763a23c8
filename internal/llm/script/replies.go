package script

import (
	"strings"

	"agent/internal/llm"
)

// Say returns a reply that streams text word by word and stops.
func Say(text string) Reply {
	r := Reply{}
	return r.Text(text).Stop()
}

// Call returns a reply of one tool call. Args is its JSON, as the model wrote
// it.
func Call(id, name, args string) Reply {
	r := Reply{}
	return r.Call(id, name, args).Calls()
}

// Fail returns a reply that fails with err before any text.
func Fail(err *llm.Error) Reply { return Reply{Err: err} }

// Text returns r with text appended, one delta per word.
func (r Reply) Text(text string) Reply {
	i := r.next()
	for _, w := range words(text) {
		r.Deltas = append(r.Deltas, llm.TextDelta{Index: i, Text: w})
	}
	return r.end(i)
}

// Think returns r with thinking appended, one delta per word.
func (r Reply) Think(text string) Reply {
	i := r.next()
	for _, w := range words(text) {
		r.Deltas = append(r.Deltas, llm.ThinkingDelta{Index: i, Text: w})
	}
	return r.end(i)
}

// Call returns r with a tool call appended, its arguments in two deltas.
func (r Reply) Call(id, name, args string) Reply {
	i, half := r.next(), len(args)/2
	r.Deltas = append(r.Deltas,
		llm.CallDelta{Index: i, ID: id, Name: name, Args: args[:half]},
		llm.CallDelta{Index: i, Args: args[half:]})
	return r.end(i)
}

// Stop returns r with a Finish of reason Stop.
func (r Reply) Stop() Reply { return r.Finish(llm.Stop) }

// Calls returns r with a Finish of reason Calls.
func (r Reply) Calls() Reply { return r.Finish(llm.Calls) }

// Finish returns r with a Finish of the given reason. Its usage grows with the
// length of r.
func (r Reply) Finish(reason llm.Reason) Reply {
	r.Deltas = append(r.Deltas, llm.Finish{Reason: reason, Raw: string(reason),
		Usage: llm.Usage{Input: 100, Output: len(r.Deltas)}})
	return r
}

func (r Reply) end(i int) Reply {
	r.Deltas = append(r.Deltas, llm.BlockEnd{Index: i})
	return r
}

// next returns the first unused index of r.
func (r Reply) next() int {
	n := 0
	for _, d := range r.Deltas {
		if e, ok := d.(llm.BlockEnd); ok && e.Index >= n {
			n = e.Index + 1
		}
	}
	return n
}

// words splits text after each space.
func words(text string) []string { return strings.SplitAfter(text, " ") }
