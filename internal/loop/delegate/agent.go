package delegate

import "agent/internal/loop/event"

// Agent describes a kind of delegate.
type Agent struct {
	Name        string // a-z, 0-9, - and _, beginning with a letter
	Description string // when to use it, in one line, for the model and the user
	// Instructions are appended to the system prompt that all delegates have.
	Instructions string
	// Tools are the names of the tools that its delegates have. Nil means all that a
	// delegate can have; empty means none.
	Tools []string
	// Model is PROVIDER/NAME, or the name of a model of the parent's provider. It is
	// Small for small_model, and empty for the model of the parent.
	Model    string
	Effort   string     // reasoning effort; empty for the default
	MaxSteps int        // 0 for the default
	MaxCost  float64    // in US dollars; 0 for no limit
	Mode     event.Mode // the most permissive mode it may have; empty for that of the parent
	Worktree bool       // each of its delegates works in a git worktree of its own

	Source string // its file, for display; empty if it is built in
	// FromRepository is set if its file is in the repository. The user then has to
	// confirm it before its first use.
	FromRepository bool
	Text           string // content of the file
}

// Small, as the model of an Agent, is small_model; the model of the parent if there is
// none.
const Small = "small"
