package workspace

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"agent/internal/textdiff"
)

// The largest diff that an error includes.
const (
	maxDiffLines = 60
	maxDiff      = 8 << 10 // bytes
)

const (
	readAgain = "Read it again before you change it."
	baseOnNew = "Base your change on the new content."
)

// checkUnchanged returns a *ChangedError if content differs from what the model
// last saw of the file.
func (l *Ledger) checkUnchanged(path string, content []byte) error {
	sum, step, old, ok := l.lookup(path)
	if !ok || sum == contentHash(content) {
		return nil
	}
	e := &ChangedError{Path: path, Step: step, What: readAgain}
	if diff, ok := smallDiff(old, content); ok {
		e.What = "Diff:\n" + diff + baseOnNew
		r := NewReading(path, content)
		r.Part = l.unseen(path, old) > 0
		e.Reads = []Reading{r}
	}
	return e
}

// smallDiff returns the hunks of a unified diff. It reports false if the diff is
// large, or if before or after is not text.
func smallDiff(before, after []byte) (hunks string, ok bool) {
	if before == nil || !isText(before) || !isText(after) {
		return "", false
	}
	diff := textdiff.Unified("before", "after", string(before), string(after))
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
