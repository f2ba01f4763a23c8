package event

import "fmt"

// Mode is a permission mode. It decides which calls run without approval. Reading in
// the workspace always does. A change of a protected path never does.
type Mode string

// The permission modes.
const (
	ModeAsk   Mode = "ask"   // every other call needs approval
	ModeEdits Mode = "edits" // file edits in the workspace run without approval
	ModePlan  Mode = "plan"  // file edits are denied, every other call needs approval
	ModeAll   Mode = "all"   // everything runs without approval
)

// Modes are all permission modes, in the order in which a key cycles through
// them.
var Modes = []Mode{ModeAsk, ModeEdits, ModePlan, ModeAll}

// ParseMode returns the mode called s.
func ParseMode(s string) (Mode, error) {
	for _, m := range Modes {
		if s == string(m) {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown permission mode %q: use ask, edits, plan or all", s)
}
