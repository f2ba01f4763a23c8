// Package ink holds the drawing primitives of the screen: it sanitizes text for the
// terminal (Sanitize), wraps it (Wrap) and styles it. It knows no part of the
// screen and never writes to the terminal. A Look selects a theme and the
// terminal's abilities; Look.Styles returns the Styles. A Span is text in one Pen;
// a line is a slice of spans, which Draw encodes. Start reading at Look and
// Sanitize.
package ink
