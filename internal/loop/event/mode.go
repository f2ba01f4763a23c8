package event

import (
	"fmt"
	"slices"
)

// Mode is a permission mode, as sessions and protocols hold it: see Name.
// It decides which calls run without approval, unless a rule decides. Reading in the workspace and read-only commands always run. A change to a
// protected path never runs without approval.
type Mode string

// The permission modes.
const (
	ModeAsk Mode = "ask" // every other call needs approval
	// ModeAuto runs file edits in the workspace, and commands in the complete sandbox if undo
	// can restore what they change. Users read and write it as "auto".
	ModeAuto Mode = "edits"
	ModePlan Mode = "plan" // file edits and other commands are denied, requests need approval
	// ModeAll approves all other calls, except edits and commands that write outside the workspace,
	// commands that use the network or that the sandbox cannot contain, and calls that name files
	// that may hold secrets.
	ModeAll Mode = "all"
)

// Modes are all permission modes, in the order in which a key cycles through
// them.
var Modes = []Mode{ModeAsk, ModeAuto, ModePlan, ModeAll}

// autoName is the name of ModeAuto.
const autoName = "auto"

// Name returns the name of m for the user and the model.
func (m Mode) Name() string {
	if m == ModeAuto {
		return autoName
	}
	return string(m)
}

// ModeNames returns the names of modes.
func ModeNames(modes []Mode) []string {
	var names []string
	for _, m := range modes {
		names = append(names, m.Name())
	}
	return names
}

// otherNames are names of modes that users can also write.
var otherNames = map[string]Mode{autoName: ModeAuto, "auto-edit": ModeAuto, "approve-all": ModeAll}

// ParseMode returns the mode that a user writes as s.
func ParseMode(s string) (Mode, error) {
	m := Mode(s)
	if other, ok := otherNames[s]; ok {
		m = other
	}
	if !slices.Contains(Modes, m) {
		return "", fmt.Errorf("unknown permission mode %q: use ask, auto, plan or all", s)
	}
	return m, nil
}

// Narrower returns the mode of a and b that runs less without approval. An empty mode
// is wider than all.
func Narrower(a, b Mode) Mode {
	width := func(m Mode) int { return slices.Index([]Mode{ModePlan, ModeAsk, ModeAuto, ModeAll, ""}, m) }
	if width(b) < width(a) {
		return b
	}
	return a
}
