// Package transcript draws a session: it reduces events to items and shows a
// window of them.
//
// Feed takes every event, live or replayed, and adds or changes items. Transcript
// holds the items in pages and draws those in its window. Pages far from the
// window are dropped and read again from the log when the window comes near.
package transcript
