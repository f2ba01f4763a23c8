package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
)

// window is what all parts of the screen share: its size and look, the keys, the
// clock, and the line of hints.
type window struct {
	o    Options
	keys keys.Map
	look ink.Look
	st   *ink.Styles

	now func() time.Time
	// after sends a message to the model once that time has passed.
	after func(time.Duration, tea.Msg) tea.Cmd

	width, height int
	flash         string    // shown as the hint until the next key
	lastKey       time.Time // when the user last typed or clicked
	done          bool      // the program ends
}

// session is the conversation that is shown, and the way to the agent.
type session struct {
	*window
	list *transcript.Transcript
	feed *transcript.Feed
	send func(event.Command) // never blocks

	play     []Prompt // prompts that are still to be played
	broken   string   // why the session cannot be read; empty if it can
	recalls  tea.Cmd  // reads what is wanted of the session besides pages
	spending spending
	models   []Model // those that there are, once they are known
	listing  bool    // the next JobsNow is to be shown
	// described is what /status shows and waits for the permissions; nil if nothing
	// does.
	described *transcript.Row
}
