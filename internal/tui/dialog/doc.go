// Package dialog shows the questions that wait for the user: the approval of a
// tool call, a guard's question about the turn, and questions of the model.
//
// Dialog draws the first question and turns keys into an answer. It takes care
// that no key approves by accident: a question takes keys only after a pause
// (arming), a key that is held down answers nothing (held), and a yes counts only
// after the end of what it approves was on the screen.
package dialog
