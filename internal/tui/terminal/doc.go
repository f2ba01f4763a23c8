// Package terminal runs a tea.Model on the terminal: it prepares the terminal,
// restores it however the program ends or is suspended, sends the model its size,
// and draws the model's view.
//
// Bubble Tea only decodes the input and runs the model's Update and its commands;
// its own renderer is off. The renderer of this package draws a view as soon as it
// changes and writes only the changed parts of lines. It is the only writer to the
// terminal, also for modes (mouse, paste, title) and raw sequences (tea.Raw). Start
// reading at Show.
package terminal
