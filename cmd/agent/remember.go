package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"agent/internal/history"
)

// screenState is what the screen knows from one start to the next. Losing it
// costs nothing but comfort, so no error of it is told.
type screenState struct {
	Welcomed bool     `json:"welcomed,omitempty"` // the first start is over
	Recent   []string `json:"recent,omitempty"`   // what was done last
}

// stateFile is where a screenState is kept; empty where there is no place.
type stateFile string

func remembered(getenv func(string) string) stateFile {
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

// change writes what is kept anew. Of two programs that do so at once, one wins.
func (f stateFile) change(change func(*screenState)) {
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
