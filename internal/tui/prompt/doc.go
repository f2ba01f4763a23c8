// Package prompt holds what the user types for the agent: the prompt with its
// suggestions, images, history and external editor, the queue of messages that wait,
// and the draft that is saved. It draws only its own lines and knows no other layer.
// Start reading at Prompt.
package prompt
