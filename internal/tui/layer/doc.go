// Package layer offers keys and pastes to the parts of the screen: what was opened
// last comes first, the prompt last.
package layer
