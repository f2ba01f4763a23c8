// Package prompt holds the user's input to the agent: the prompt with its suggestions,
// images, history and external editor, the queue of messages, and the saved draft. It
// draws only its own lines and knows no other layer. Start reading at Prompt, which
// connects the parts, and at Box, the layer that the user types in.
package prompt
