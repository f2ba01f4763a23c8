package loop

import "agent/internal/tools"

// reading is what the model got to know of files with the result of one call.
type reading struct {
	step  int // of the session, from 1
	call  string
	files []tools.Reading // without their contents
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
