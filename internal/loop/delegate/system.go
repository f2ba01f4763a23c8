package delegate

import (
	_ "embed"
	"strings"
)

// system begins the system prompt of every delegate.
//
//go:embed system.md
var system string

// System returns the beginning of the system prompt of a's delegates: the text for all
// delegates, then a's instructions.
func (a Agent) System() string { return strings.TrimSpace(system + "\n" + a.Instructions) }
