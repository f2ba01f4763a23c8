// Package dialog shows the questions that wait for the user: permission requests
// for tool calls, a guard's question about the turn, and questions of the model. It
// never runs a call and never sends an answer itself. Start reading at Dialog, whose
// form draws the first question and turns keys into an answer. A Dialog prevents
// accidental approvals: a question takes keys only after a pause (arming), a key
// that is held down answers nothing (held), and a yes counts only after the end of
// the command was on the screen.
package dialog
