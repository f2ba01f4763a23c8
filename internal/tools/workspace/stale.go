package workspace

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// What has changed in a file is told as a diff up to this size.
const (
	maxDiffLines = 60
	maxDiff      = 8 << 10 // bytes
)

// stale returns a *ChangedError for a file that is no longer what the model
// knows of it.
func (l *Ledger) stale(path string, content []byte) error {
	sum, step, old, ok := l.knows(path)
	if !ok || sum == sumOf(content) {
		return nil
	}
	e := &ChangedError{Path: path, Step: step, What: "Read it again before you change it."}
	if diff, ok := smallDiff(old, content); ok {
		e.What = "This is what has changed:\n" + diff + "Make your change in view of that."
		e.Reads = []Reading{NewReading(path, content)}
	}
	return e
}

// smallDiff returns the hunks of a unified diff, if there are two texts and they
// differ little.
func smallDiff(before, after []byte) (hunks string, ok bool) {
	if before == nil || !isText(before) || !isText(after) {
		return "", false
	}
	diff := udiff.Unified("before", "after", string(before), string(after))
	at := strings.Index(diff, "@@")
	if at < 0 {
		return "", false
	}
	hunks = diff[at:]
	if !strings.HasSuffix(hunks, "\n") {
		hunks += "\n"
	}
	return hunks, len(hunks) <= maxDiff && strings.Count(hunks, "\n") <= maxDiffLines
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }
