package undo

import (
	"encoding/json"
	"time"

	"agent/internal/tools/snapshot"
)

// kind is the kind of a note.
type kind string

const (
	kindTouched kind = ""      // a snapshot.Touched: Call, Path, Before and Tool
	kindAfter   kind = "after" // what a call left: Call, Path and State
	kindJob     kind = "job"   // a call continues as a background job: Call
	kindTurn    kind = "turn"  // a turn begins: ID, Turn, Roots and Heads
	kindTyped   kind = "typed" // a command of the user begins: ID, Call, Turn and Roots
	kindEnd     kind = "end"   // the turn with ID ends: Heads and Commands
	kindUndo    kind = "undo"  // an undo begins: ID, Turn, Roots, Redo, Of and Items
	kindDone    kind = "done"  // the undo with ID was applied, except for Skipped
)

// note is the content of all notes in a pack.
type note struct {
	Kind   kind            `json:"kind,omitempty"`
	ID     string          `json:"id,omitempty"`
	Call   string          `json:"call,omitempty"`
	Path   string          `json:"path,omitempty"` // absolute
	Before *snapshot.State `json:"before,omitempty"`
	After  *snapshot.State `json:"after,omitempty"`
	// Tool is set if a tool made the change, not a command.
	Tool bool `json:"tool,omitempty"`
	// Refreshed is set if After is an index that stages the same as before the call, or a file that
	// replaced one with the same content.
	Refreshed bool `json:"refreshed,omitempty"`
	// Dropped is as in snapshot.Touched.
	Dropped int `json:"dropped,omitempty"`

	Added   int      `json:"added,omitempty"`   // lines
	Removed int      `json:"removed,omitempty"` // lines
	Turn    *Turn    `json:"turn,omitempty"`
	Roots   []string `json:"roots,omitempty"` // the workspace first, if the note begins a step
	// Repositories are the git directories outside Roots of which these are worktrees.
	Repositories []string        `json:"repositories,omitempty"`
	Heads        map[string]head `json:"heads,omitempty"` // by root
	Commands     int             `json:"commands,omitempty"`
	Redo         bool            `json:"redo,omitempty"`
	Of           []string        `json:"of,omitempty"` // IDs of the steps to undo
	Items        []journalItem   `json:"items,omitempty"`
	Skipped      []int           `json:"skipped,omitempty"` // indices of Items that were not applied
}

// journalItem is a path that an undo restores.
type journalItem struct {
	Path string         `json:"path"` // absolute
	From snapshot.State `json:"from"`
	To   snapshot.State `json:"to"`
	Link string         `json:"link,omitempty"` // another name of the file, absolute; empty to write its content
	// Inode identifies the file that From describes, as in snapshot.Inode. A file that is restored
	// in place keeps it. Empty if it is not known, and if From is no file.
	Inode string `json:"inode,omitempty"`
}

// Turn identifies a turn of the session.
type Turn struct {
	Number int       `json:"number"` // from 1
	At     int       `json:"at"`     // number of the event of its prompt
	Prompt string    `json:"prompt"` // its first line
	Time   time.Time `json:"time"`
}

// decode returns the note with that body. It reports false if it is damaged.
func decode(body []byte) (n note, ok bool) {
	return n, json.Unmarshal(body, &n) == nil
}

// stored returns s without the fields that are not needed later.
func stored(s snapshot.State) *snapshot.State {
	if s.Hash != "" && s.Kept == "" {
		s.Stamp = ""
	}
	return &s
}
