// Package ink is what everything on the screen is drawn with: text made fit for
// a terminal (Sanitize), broken into lines (Wrap), and drawn in the pens of a
// theme. A Look is all that decides how things are drawn; of it come the Styles.
// A Span is text in one Pen; a line is spans, and Draw writes it for the
// terminal.
package ink
