// Package screen holds the state that the parts of the screen share: the Window (options,
// size, look, keys, clock, hint) and the Conversation in it, with the Sender, which is the
// way to the agent, the Delegates and the Rewinds. A part of the screen takes only those
// that it needs. The package also declares the Options of the terminal program. It draws
// nothing but the status line. Start reading at Conversation.
package screen
