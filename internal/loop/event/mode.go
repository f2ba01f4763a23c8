package event

import (
	"fmt"
	"slices"
)

// Mode is a permission mode. It decides which calls run without approval, unless a rule
// decides. Reading in the workspace and read-only commands always run. A change to a
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

// Name returns the name of m for users: "ask", "auto-edit", "plan" or "approve-all".
// Configuration and logs hold string(m).
func (m Mode) Name() string {
	switch m {
	case ModeEdits:
		return "auto-edit"
	case ModeAll:
		return "approve-all"
	}
	return string(m)
}

// Label returns m as it is shown: "ask", "auto-edit", "plan (read-only)" or "approve all".
func (m Mode) Label() string {
	switch m {
	case ModeEdits:
		return "auto-edit"
	case ModePlan:
		return "plan (read-only)"
	case ModeAll:
		return "approve all"
	}
	return string(m)
}

// ParseMode returns the mode with the name s or the stored value s.
func ParseMode(s string) (Mode, error) {
	for _, m := range Modes {
		if s == string(m) || s == m.Name() {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown permission mode %q: use ask, edits, plan or all", s)
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
