package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"agent/internal/history"
)

// screenState is what the program remembers between starts. Errors in reading or
// writing it are ignored.
type screenState struct {
	Recent []string `json:"recent,omitempty"` // the latest choices in the command palette
	Models []string `json:"models,omitempty"` // the latest selected models
	// Instructions holds the hashes of the instruction files of the last session, by
	// directory and path.
	Instructions map[string]map[string]string `json:"instructions,omitempty"`
}

// stateFile is the path of a stored screenState; empty if there is no directory
// for it.
type stateFile string

func screenStateFile(getenv func(string) string) stateFile {
	dir, err := history.Dir(getenv)
	if err != nil {
		return ""
	}
	return stateFile(filepath.Join(dir, "screen.json"))
}

func (f stateFile) read() (s screenState) {
	b, err := os.ReadFile(string(f))
	if err != nil || json.Unmarshal(b, &s) != nil {
		return screenState{}
	}
	return s
}

// update applies change to the stored state.
func (f stateFile) update(change func(*screenState)) {
	if f == "" {
		return
	}
	_ = history.Exclusive(string(f), func() error {
		s := f.read()
		change(&s)
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return history.Replace(string(f), b, false)
	})
}
