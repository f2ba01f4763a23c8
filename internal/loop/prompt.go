package loop

import _ "embed"

// prompt is the system prompt of the program.
//
//go:embed prompt.md
var prompt string
