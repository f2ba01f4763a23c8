// Package terminal runs a tea.Model on the terminal: it takes the terminal and
// restores it however the program ends or pauses, tells the model its size, and
// draws what the model shows.
//
// Bubble Tea decodes the input, runs the model's Update and its commands, and
// nothing else: it has no renderer here, and its output is empty. The renderer of
// this package draws the model's view as soon as it changes, where Bubble Tea's
// looks for changes at fixed intervals; it writes only the parts of lines that
// changed, and is the only writer to the terminal, also for modes (mouse, paste,
// title) and for sequences that draw nothing (tea.Raw). Start reading at Show.
package terminal
