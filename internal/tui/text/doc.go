// Package text holds what a person types: a buffer of text with a caret, its
// undo, what was cut from it, how it is broken into rows, and the keys of vi.
// It knows neither terminal nor screen, and nothing in it reads or writes.
//
// The caret always stands between two characters as people count them: letters
// with their marks, and pictures joined of several, move and go as one. A token
// is one character that stands for much: the caller knows for what. Offsets are
// in bytes. All else follows from one edit, which replaces a range by a text.
package text
