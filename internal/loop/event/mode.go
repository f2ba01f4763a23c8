package event

import (
	"fmt"
	"slices"
)

// Mode is a permission mode: its name on the screen, in flags, in configuration and in logs.
// It decides which calls run without approval, unless a rule decides. Reading in the workspace and read-only commands always run. A change to a
// protected path never runs without approval.
type Mode string

// The permission modes.
const (
	ModeAsk   Mode = "ask"   // every other call needs approval
	ModeEdits Mode = "edits" // as ask, but file edits in the workspace run
	ModePlan  Mode = "plan"  // file edits and other commands are denied, requests need approval
	// ModeAll approves all other calls, except those that destroy data, write outside
	// the workspace, or run a command with the network.
	ModeAll Mode = "all"
)

// Modes are all permission modes, in the order in which a key cycles through
// them.
var Modes = []Mode{ModeAsk, ModeEdits, ModePlan, ModeAll}

// oldModes are other names of modes that users can write.
var oldModes = map[string]Mode{"auto-edit": ModeEdits, "approve-all": ModeAll}

// ParseMode returns the mode with the name s.
func ParseMode(s string) (Mode, error) {
	m := Mode(s)
	if old, ok := oldModes[s]; ok {
		m = old
	}
	if !slices.Contains(Modes, m) {
		return "", fmt.Errorf("unknown permission mode %q: use ask, edits, plan or all", s)
	}
	return m, nil
}

// Narrower returns the mode of a and b that runs less without approval. An empty mode
// is wider than all.
func Narrower(a, b Mode) Mode {
	width := func(m Mode) int { return slices.Index([]Mode{ModePlan, ModeAsk, ModeEdits, ModeAll, ""}, m) }
	if width(b) < width(a) {
		return b
	}
	return a
}
