// Package transcript draws a session: it reduces events to items and shows a
// window of them.
//
// Feed takes every event, live or replayed. It adds items to a Transcript and
// updates the state of the session. Transcript holds the items in pages and draws
// those in its window. Pages far from the window are dropped, and read from the
// log again when the window comes near.
//
// The package never sends a command to the agent and never writes to the terminal.
package transcript
