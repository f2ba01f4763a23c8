// Package tui is the screen: a Bubble Tea program that draws the events of an agent
// and turns keys into commands for it. It never runs tools, opens files or reads
// settings; it uses them through functions in screen.Options. Start
// reading at Run and model.Update.
//
// The model routes messages to parts that own their state. Parts share screen.Window
// (size, look, keys, clock). A part that follows the session also has its transcript,
// its feed, screen.Sender (the way to the agent) or screen.Delegates. The model and
// package plain hold the whole screen.Conversation. The larger parts are packages:
// prompt, slash, transcript, editor, dialog, list, pager. Package plain is the other
// front end, which prints lines.
//
// A key takes this way. The terminal package reads it, and Bubble Tea hands it to
// model.Update, which calls model.press. model.cancel handles ctrl+c. layer.Stack.Key
// offers any other key to the layers from the top: help, a list, the search or the pager
// if they are open, then question.Key, Prompt.Assist, shortcuts.Key and Prompt.Box. The
// layer that takes the key changes its part, or sends a command with Sender.Send. Send
// never waits for the agent: screen.Outbox passes commands on in order.
//
// The layers also draw their lines, which layer.Stack.Draw places above and at the prompt
// or in the full window, and get the mouse events over them, ticks, and the questions for
// their hints: see package layer. The lines around them are in display.makePanel.
//
// A delta takes this way. pump gathers events and sends them as one batch, once a
// frame while text streams. model.apply hands each event to Feed.Apply of package
// transcript, which adds the text to the row of its message and marks the row as
// changed. Then display.layout calls Transcript.Layout, which draws the changed rows in
// the window, and model.View returns the screen. The renderer in package terminal
// writes the cells that changed.
//
// Update and View do no I/O: work that takes time is a tea.Cmd. Time comes from one
// clock that tests replace. Text from a model, a file, a command or a server passes
// through ink.Sanitize before it is drawn.
package tui
