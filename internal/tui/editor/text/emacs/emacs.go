// Package emacs edits a text.Buffer with the commands that shells and emacs bind to
// control and alt keys: it moves by words and lines, cuts and yanks, changes case and
// swaps. It does no I/O and knows no keys. Start reading at Emacs.
package emacs

import "agent/internal/tui/editor/text"

// Emacs edits a buffer. It is not safe for concurrent use.
type Emacs struct {
	b     *text.Buffer
	kills *text.Kills

	// killed and yanked are the values of Buffer.Actions after the last kill and the
	// last yank, so that a command can tell whether it directly follows one. They are
	// negative before the first.
	killed, yanked int
	from, to       int // the range of the yanked text
}

// New returns the commands for b, which cut to kills and yank from them.
func New(b *text.Buffer, kills *text.Kills) *Emacs {
	return &Emacs{b: b, kills: kills, killed: -1, yanked: -1}
}
