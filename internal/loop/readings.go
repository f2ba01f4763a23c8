package loop

import (
	"agent/internal/loop/event"
	"agent/internal/tools/workspace"
)

// stored returns readings as a session keeps them: without the files' contents.
func stored(reads []workspace.Reading) []event.Reading {
	var out []event.Reading
	for _, r := range reads {
		out = append(out, event.Reading{Path: r.Path, Sum: r.Sum, First: r.First, Last: r.Last})
	}
	return out
}

// restored returns what a session kept of readings.
func restored(reads []event.Reading) []workspace.Reading {
	var out []workspace.Reading
	for _, r := range reads {
		out = append(out, workspace.Reading{Path: r.Path, Sum: r.Sum, First: r.First, Last: r.Last})
	}
	return out
}
