// Package tui is the terminal program: it draws the events of an agent and turns
// keys into commands for it. It knows event.Event and event.Command, and nothing
// of tools, files or settings: what it needs of them comes as functions in its
// Options.
//
// The model routes messages to parts that own their state. All parts share the
// window (size, look, keys, clock) and the session (the transcript, the feed, the
// way to the agent). Parts that could be used by themselves have packages:
// transcript, editor, dialog, list, keys, and below them ink, markdown, diff and
// terminal.
//
// A key takes this way. The terminal package reads it and Bubble Tea hands it to
// model.Update, which hands it to model.press. stack.key offers it to the layers
// from the top: what is open (help, a list, the search, the pager), then
// question.Key, typing.Key, shortcuts.Key and prompt.Key. The layer that takes it
// changes its part, and sends a command with session.send, which never blocks:
// relay passes commands on to the agent.
//
// A delta takes this way. pump gathers events and sends them as one batch, once a
// frame while text streams. model.apply hands each event to transcript.Feed.Apply,
// which adds the text to the row of its message and touches the row. Then
// model.layout calls Transcript.Layout, which draws the touched rows in the window,
// and model.View returns the screen. The renderer in package terminal writes the
// cells that changed.
//
// Update and View do no I/O: what takes a moment is a tea.Cmd. Time comes from one
// clock that tests replace. Every text that comes from a model, a file, a command
// or a server passes through ink.Sanitize before it is drawn.
package tui
