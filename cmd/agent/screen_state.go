package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"agent/internal/history"
)

// screenState is what the screen keeps from one start to the next. It is a
// convenience: its errors are not reported.
type screenState struct {
	Welcomed bool     `json:"welcomed,omitempty"` // the first start is over
	Recent   []string `json:"recent,omitempty"`   // the latest choices in the palette
}

// stateFile is the path of a screenState; empty if there is no place for it.
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

// update changes the state. If two programs do so at once, one of them wins.
func (f stateFile) update(change func(*screenState)) {
	s := f.read()
	change(&s)
	b, err := json.Marshal(s)
	if f == "" || err != nil || os.MkdirAll(filepath.Dir(string(f)), 0o700) != nil {
		return
	}
	new, err := os.CreateTemp(filepath.Dir(string(f)), "screen-*.json")
	if err != nil {
		return
	}
	_, err = new.Write(b)
	if closed := new.Close(); err != nil || closed != nil || os.Rename(new.Name(), string(f)) != nil {
		_ = os.Remove(new.Name())
	}
}
