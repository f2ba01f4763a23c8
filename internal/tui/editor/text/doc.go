// Package text holds the text that the user edits: a Buffer with a caret, undo and a
// layout in Rows, and the Kills that were cut or copied. All changes are replacements of
// a range. The caret is always between two user-perceived characters (grapheme clusters).
// A token is a private use character that stands for something longer, such as a paste;
// the caller knows its meaning. Offsets are in bytes. The package does no I/O and knows
// neither the terminal nor the screen. The commands of emacs and the keys of vi are
// packages of their own. Start reading at Buffer.
package text
