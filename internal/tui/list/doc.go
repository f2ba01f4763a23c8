// Package list shows lists to choose from: sessions, models, commands, themes and
// prompts to rewind to. Chooser is their common part, with a marked row and a filter.
// Completion is the short list above the editor. The package never acts on a choice
// itself. Start reading at Chooser.
package list
