// Package text holds the text that the user edits: Buffer is text with a cursor,
// undo, a list of what was cut (kills), named marks, and a layout in rows. All
// changes follow from one edit, which replaces a range by text. The cursor is
// always between two characters as the user counts them: a letter goes with its
// accents, and an emoji of several code points is one character. A token is one
// character that stands for something longer, for instance pasted text; the
// caller knows for what. Offsets are in bytes. The package does no I/O and knows
// neither the terminal nor the screen; the keys of vi are in package vi. Start
// reading at Buffer.
package text
