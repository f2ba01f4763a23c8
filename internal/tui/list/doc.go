// Package list shows lists of which one row is chosen: sessions, models, commands,
// themes, points to rewind to. Chooser is the part that all have in common, with a
// marked row and a filter that typing narrows. Completion is the short list above
// the editor.
package list
