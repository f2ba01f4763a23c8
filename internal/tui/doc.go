// Package tui is the terminal program: it draws what an agent tells it and
// turns keys into commands for it. It knows event.Event and event.Command, and
// nothing of tools or of where sessions and settings are kept: what it needs of
// them comes as functions in its Options.
//
// One tea.Model routes messages to plain structs: the feed reduces events to
// the items of the transcript, the editor takes what is typed, the dialog what
// is asked, an overlay what is chosen from a list, the status tells where things
// stand. Run draws the model on a screen, Plain tells of the same model in
// lines. The transcript holds pages of a session of any length, and drops and
// reads again those far from the window.
//
// Update and View do no IO: commands leave through a queue that never blocks,
// events come in through a pump that hands over all that is ready once a frame,
// and whatever takes a moment is a tea.Cmd. Time comes from one clock that tests
// replace.
//
// Every text that comes from a model, a file, a command or a server passes
// through ink.Sanitize before it is drawn.
package tui
