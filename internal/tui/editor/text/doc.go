// Package text holds the text that the user edits: a Buffer with a caret, undo, a
// kill ring, named marks and a layout in rows. All changes are replacements of a
// range. The caret is always between two user-perceived characters (grapheme
// clusters). A token is a private use character that stands for something longer,
// such as a paste; the caller knows its meaning. Offsets are in bytes. The package
// does no I/O and knows neither the terminal nor the screen; vi keys are in package
// vi. Start reading at Buffer.
package text
