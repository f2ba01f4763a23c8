// Package screen holds what all parts of the screen share: the Window (options,
// size, look, keys, clock, hint), and the Conversation that is shown in it, with the
// way to the agent. It also declares the Options of the terminal program.
package screen
