package window

import (
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/marker"
	"agent/internal/loop/event"
)

// Reading is the file contents that the result of one call shows the model.
type Reading struct {
	Step  int // of the session, from 1
	Call  string
	Files []event.Reading
}

// Remaining returns the readings whose results are still complete in msgs.
func Remaining(reads []Reading, msgs []llm.Message) []Reading {
	complete := map[string]bool{}
	for _, m := range msgs {
		if m.Kind == llm.ToolResult && !strings.HasPrefix(m.Text, marker.Begin) {
			complete[m.ID] = true
		}
	}
	var out []Reading
	for _, r := range reads {
		if complete[r.Call] {
			out = append(out, r)
		}
	}
	return out
}
