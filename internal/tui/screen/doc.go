// Package screen holds the state that all parts of the screen share: the Window
// (options, size, look, keys, clock, hint) and the Conversation in it, which sends
// commands to the agent. It also declares the Options of the terminal program. It
// draws nothing but the status line. Start reading at Conversation.
package screen
