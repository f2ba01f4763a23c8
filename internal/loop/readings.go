package loop

import (
	"iter"

	"agent/internal/tools"
)

// readings returns what the model got to know of files in events, those of a
// session from its beginning on, each with the number of its step.
func readings(events []Durable) iter.Seq2[int, []tools.Reading] {
	return func(yield func(int, []tools.Reading) bool) {
		step := 1
		for _, e := range events {
			switch e := e.(type) {
			case *ToolEnd:
				if len(e.Reads) > 0 && !yield(step, e.Reads) {
					return
				}
			case *StepEnd:
				step++
			}
		}
	}
}

// stored returns readings as a session keeps them: without the files' contents.
func stored(reads []tools.Reading) []tools.Reading {
	var out []tools.Reading
	for _, r := range reads {
		r.Content = nil
		out = append(out, r)
	}
	return out
}
