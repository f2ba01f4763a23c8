package export

import (
	"fmt"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// maxNotePaths is how many paths a note names.
const maxNotePaths = 10

// changedFiles says what a command or a job changed.
func changedFiles(e *event.FilesChanged) string {
	text := fmt.Sprintf("Changed %s, +%d −%d", phrase.Count(e.Files, "file"), e.Added, e.Removed)
	if len(e.Paths) > 0 {
		text += ": " + somePaths(e.Paths, e.Files)
	}
	if len(e.Lost) > 0 {
		text += fmt.Sprintf(" (%s cannot be undone)", phrase.Count(len(e.Lost), "change"))
	}
	return text
}

// undone says what an undo or a redo did.
func undone(e *event.Undone) string {
	what := "Undone"
	if e.Redo {
		what = "Redone"
	}
	restored := len(e.Restored) + len(e.Merged)
	text := fmt.Sprintf("%s: %s restored", what, phrase.Count(restored, "path"))
	if len(e.Conflicts) > 0 {
		text += "; left as they are, because they were changed since: " + somePaths(e.Conflicts, len(e.Conflicts))
	}
	if len(e.Lost) > 0 {
		text += fmt.Sprintf("; %d could not be restored", len(e.Lost))
	}
	return text
}

// somePaths lists the first of all paths.
func somePaths(paths []string, all int) string {
	var shown []string
	for _, p := range paths[:min(len(paths), maxNotePaths)] {
		shown = append(shown, OneLine(p, maxWords))
	}
	if more := all - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
