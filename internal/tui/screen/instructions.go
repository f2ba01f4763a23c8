package screen

import "agent/internal/loop/event"

// Instructions are the instruction files of the session: AGENTS.md and others. The
// functions are nil if it uses none.
type Instructions struct {
	// Summary lists the files and skills in use; empty if there are none.
	Summary string
	// InitPrompt asks the model to write AGENTS.md; Init writes it without a model.
	InitPrompt string
	Init       func() (event.Diff, error)
	// Files returns the files that the user may edit, the project's first.
	Files func() []InstructionFile
	// Add adds a line to the project's file.
	Add func(text string) (event.Diff, error)
	// Edited is called after the user has edited a file. It returns what the user must
	// know.
	Edited func() string
}

// InstructionFile is an instruction file. Its texts are untrusted.
type InstructionFile struct {
	Path string // absolute
	Name string // for display
	What string // its size; "new" if it does not exist
}
