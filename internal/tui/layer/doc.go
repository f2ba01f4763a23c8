// Package layer dispatches keys and pastes to the parts of the screen, from the one
// opened last down to the prompt. It draws nothing. Start reading at Stack.
package layer
