// Package editor is the input box for the prompt and for comments in dialogs. It
// holds a text.Buffer, optionally with vi keys, pastes and images as tokens of one
// character each, and the prompt history. It never sends anything. Start reading at
// Editor.
package editor
