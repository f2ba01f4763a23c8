package layer

import tea "charm.land/bubbletea/v2"

// Layer is a part of the screen that takes input.
type Layer interface {
	// Key handles a key, or returns where it is offered next.
	Key(msg tea.KeyPressMsg) (tea.Cmd, Offer)
	// Paste handles pasted text. It reports false to offer it to the layers below.
	Paste(text string) (tea.Cmd, bool)
}

// Offer is what happens next to a key that a layer was offered.
type Offer int

const (
	Taken  Offer = iota // it was handled
	Below               // it is offered to the layers below
	Global              // it is offered to the shortcuts only
)

// Drawn is a layer that shows lines.
type Drawn interface {
	Layer
	// Place returns the part of the screen that the layer is drawn in.
	Place() Place
	// View draws the layer in at most height lines of that width, and returns the
	// position of the cursor in them, nil for none. No lines mean that the layer shows
	// nothing now.
	View(width, height int) ([]string, *tea.Cursor)
}

// Place is a part of the screen.
type Place int

const (
	// AtPrompt is the place of the prompt. Of the layers there, only the top one is drawn.
	AtPrompt Place = iota
	// AbovePrompt is the part above the prompt, where all layers are drawn.
	AbovePrompt
	// LastLine is the last line of the window, with the transcript in all others. It is drawn
	// after the transcript, and may show its scroll position.
	LastLine
	// FullScreen is the whole window. The layer on top has the keys and the mouse to itself,
	// and its keys are not joined to sequences.
	FullScreen
)

// Pointed is a layer that handles the mouse.
type Pointed interface {
	// Mouse handles a mouse event whose position is relative to the first cell of the layer.
	// After a click, the layer gets the events until the button is released, also from
	// outside. clicks is the number of clicks on this cell, 1 to 3; it is 0 for the wheel and
	// once the mouse has moved. Mouse reports false to offer the event to the transcript.
	Mouse(msg tea.MouseMsg, clicks int) (tea.Cmd, bool)
}

// Hinted is a layer with a hint in the rule above the prompt.
type Hinted interface {
	Hint() string // empty for none
}

// Keyed is a layer that names its keys in the status line while no turn runs.
type Keyed interface {
	KeyHint() string // empty for none
}

// Animated is a layer that changes as time passes.
type Animated interface {
	// Animates reports whether the layer will change without input.
	Animates() bool
	// Tick is called several times a second while any part of the screen animates.
	Tick()
}

// Canceler is a layer with something that ctrl+c ends, like the layer itself.
type Canceler interface {
	// Cancel ends it. It reports false if there is nothing to end.
	Cancel() (tea.Cmd, bool)
}

// Closer is a layer that a key closes which would otherwise interrupt the turn.
type Closer interface {
	// Closes reports whether the key closes the layer, or something in it.
	Closes(key string) bool
}

// Styled is a layer that keeps styles.
type Styled interface {
	// Restyle applies the styles of the window, which have changed.
	Restyle()
}

// Receiver is a layer that follows messages while it is open.
type Receiver interface {
	// Receive handles the size of the window, an event of the agent, or the result of a
	// command that the layer has started. It ignores other messages.
	Receive(msg tea.Msg) tea.Cmd
}
