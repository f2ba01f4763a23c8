// Package editor is the box in which the user types: the prompt, and the comment
// on a question. It holds a text.Buffer, optionally with the keys of vi, the
// pastes and images that stand in the text as one character each, and the way back
// through earlier prompts.
package editor
