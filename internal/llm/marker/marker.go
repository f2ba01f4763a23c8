// Package marker defines the notes that stand for text that a model did not get.
// A model that copies one into a file or a command destroys what the note stands
// for, so tools look for them in new text. The package knows no tool and no
// conversation. Start reading at Note and Copied.
package marker

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
)

// Begin begins every text that Note returns.
const Begin = "[truncated: "

// Note returns the note "[truncated: …]". It is one line without "]".
func Note(format string, args ...any) string { return Begin + fmt.Sprintf(format, args...) + "]" }

// notes matches a complete note, or one whose "]" was cut off. It matches neither
// the source code that formats a note nor prose about notes. The second form is that
// of read for the lines after a page. The further forms are those of earlier versions,
// which stored conversations contain.
var notes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[truncated: [\pL\pN/~][^\]\n]*\]?` +
		`|\[lines \d+-\d+ of [^\]\n]*; continue with offset \d+\]?` +
		`|\[cut: [\pL\pN/~][^\]\n]*\. (All of it is|It began)[^\]\n]*\]?` +
		`|… \[(truncated, \d+ bytes|\d+ bytes, cut)\]` +
		`|… \(\d+ bytes? more\)` +
		`|\[\d+ images? cut\]` +
		`|\[\.\.\. \d+ bytes \(\d+ lines\) of output omitted \.\.\.\]`)
})

// Copied returns the first note in text that none of known contains; empty if
// there is none.
func Copied(text []byte, known ...[]byte) string {
	if !bytes.ContainsAny(text, "[…") {
		return ""
	}
	for _, found := range notes().FindAll(text, -1) {
		if !containedInAny(found, known) {
			return string(found)
		}
	}
	return ""
}

func containedInAny(note []byte, texts [][]byte) bool {
	for _, t := range texts {
		if bytes.Contains(t, note) {
			return true
		}
	}
	return false
}
