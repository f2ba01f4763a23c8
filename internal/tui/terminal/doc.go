// Package terminal runs a tea.Model on the terminal: it takes the terminal and
// gives it back as it was found, however the program ends or pauses, tells the
// model of its size, and draws what the model shows.
//
// Bubble Tea reads the keys and runs the model. Its own renderer looks for
// changes many times a second, whether there are any or not, and lets those
// there are wait until it looks; this one draws when something changed.
package terminal
