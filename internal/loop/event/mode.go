package event

import (
	"fmt"
	"slices"
)

// Mode is a permission mode. It decides which calls run without approval. Reading in
// the workspace always does. A change of a protected path never does.
type Mode string

// The permission modes.
const (
	ModeAsk   Mode = "ask"   // every other call needs approval
	ModeEdits Mode = "edits" // file edits in the workspace run without approval
	ModePlan  Mode = "plan"  // file edits, and commands that do more than read, are denied
	ModeAll   Mode = "all"   // everything else runs without approval, commands in the sandbox
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
