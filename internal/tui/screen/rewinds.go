package screen

import (
	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// Rewinds says whether the session can be rewound, and what comes with the next Rewound.
type Rewinds struct {
	Broken  string // why the session cannot be read; empty if it can
	Undoing bool   // the next Rewound comes with an undo of files
	// Returning is a prompt that returns to the editor with the Rewound that removes it; nil
	// for none.
	Returning *event.PastPrompt

	list *transcript.Transcript
}

// Problem tells the user why the session cannot be rewound or forked now; empty if it can.
func (r *Rewinds) Problem() string {
	switch {
	case r.Broken != "":
		return "Cannot rewind or fork, because the session cannot be read: " + r.Broken
	case !r.list.Pages.Settled:
		return "The session is still being read. Try again in a moment."
	}
	return ""
}

// End returns the number of events of the session.
func (r *Rewinds) End() int { return r.list.Pages.Events() }

// said returns the notice about a rewind, and forgets that files were undone with it.
func (r *Rewinds) said() string {
	text := "Session rewound. Files are not changed, and the log keeps the removed turns."
	switch {
	case r.Returning != nil:
		text = "Interrupted before the answer began: the prompt was removed from the session."
	case r.Undoing:
		text = "Session rewound. The log keeps the removed turns."
	}
	r.Undoing = false
	return text
}
