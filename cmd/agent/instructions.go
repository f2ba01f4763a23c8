package main

import (
	"maps"
	"os"

	"agent/internal/loop/instructions"
)

// instructionNotices returns notices about instruction files that cannot be used, also about
// agents, which a.trust has read, and one if the files differ from those of the last session
// in the directory.
func (a *app) instructionNotices() (all []string) {
	files := a.project.Files()
	sums := map[string]string{}
	for _, f := range files {
		sums[f.Path] = f.Sum
	}
	state := screenStateFile(os.Getenv)
	before, known := state.read().Instructions[a.dir]
	if known {
		if notice := instructions.Changed(files, before); notice != "" {
			all = append(all, notice)
		}
	}
	if (known || len(sums) > 0) && !maps.Equal(before, sums) {
		state.update(func(s *screenState) { s.rememberInstructions(a.dir, sums) })
	}
	return append(all, a.project.Notices()...)
}

// maxInstructed is the number of directories whose instruction files are remembered.
const maxInstructed = 200

// rememberInstructions stores the hashes of the instruction files of a directory.
func (s *screenState) rememberInstructions(dir string, sums map[string]string) {
	if s.Instructions == nil {
		s.Instructions = map[string]map[string]string{}
	}
	for other := range s.Instructions {
		if len(s.Instructions) >= maxInstructed && other != dir {
			delete(s.Instructions, other)
		}
	}
	s.Instructions[dir] = sums
}
