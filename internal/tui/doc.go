// Package tui is the terminal program: it draws what an agent tells it and
// turns keys into commands for it. It knows loop.Event and loop.Command, and
// nothing of tools, files or sessions.
//
// One tea.Model routes messages to plain structs: the feed reduces events to
// the items of the transcript, the editor takes what is typed, the dialog what
// is asked, the status tells where things stand. Update does no IO: commands
// leave through a queue that never blocks, events come in through a pump that
// hands over all that is ready once a frame. Time comes from one clock that
// tests replace.
//
// Every text that comes from a model, a file, a command or a server passes
// through Sanitize before it is drawn.
package tui
