package loop

import (
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// stored returns readings as a session keeps them: without the files' contents.
func stored(reads []tools.Reading) []event.Reading {
	var out []event.Reading
	for _, r := range reads {
		out = append(out, event.Reading{Path: r.Path, Sum: r.Sum, First: r.First, Last: r.Last})
	}
	return out
}

// restored returns what a session kept of readings.
func restored(reads []event.Reading) []tools.Reading {
	var out []tools.Reading
	for _, r := range reads {
		out = append(out, tools.Reading{Path: r.Path, Sum: r.Sum, First: r.First, Last: r.Last})
	}
	return out
}
