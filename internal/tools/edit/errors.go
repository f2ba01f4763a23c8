package edit

import (
	"fmt"
	"strconv"
	"strings"
)

// NotFoundError means that no place matches.
type NotFoundError struct {
	Near Near // the most similar lines, if any
	Hunk bool // the text is a hunk of a patch
}

// Near is the most similar part of a file, as a diff from the text (-) to the
// file (+).
type Near struct {
	First, Last int // lines of the file, from 1; 0 if nothing is similar
	Diff        string
	// Composed means that lines differ only in the composition of characters.
	Composed bool
	// Indented means that the lines differ only in blanks at their ends.
	Indented bool
}

func (e *NotFoundError) Error() string {
	what, sign := "old was not found", "old"
	if e.Hunk {
		what, sign = "its lines were not found", "the patch"
	}
	if e.Near.First == 0 {
		return what + ", and nothing in the file is similar. Read the file again"
	}
	lines := fmt.Sprintf("lines %d-%d", e.Near.First, e.Near.Last)
	if e.Near.First == e.Near.Last {
		lines = fmt.Sprintf("line %d", e.Near.First)
	}
	retry := "Retry with the exact text of the file"
	if e.Near.Composed {
		retry = "Lines that look the same differ in the composition of characters: \u00e9 is either one character (U+00E9) or e and a combining accent (U+0301). " +
			"Retry with the characters of the file, or with lines that have only ASCII"
	}
	if e.Near.Indented {
		return fmt.Sprintf("%s: only the indentation differs, %s (- is only in %s, + only in the file):\n%s%s", what, lines, sign, e.Near.Diff, retry)
	}
	return fmt.Sprintf("%s. The most similar text is %s (- is only in %s, + only in the file):\n%s%s",
		what, lines, sign, e.Near.Diff, retry)
}

// AmbiguousError means that several places match.
type AmbiguousError struct {
	Lines []int // lines of the places, at most maxPlaces+1
	Hunk  bool  // the text is a hunk of a patch
}

// maxPlaces is how many places an error lists. Searches look for one more, to
// know whether there are more.
const maxPlaces = 20

func (e *AmbiguousError) Error() string {
	var shown []string
	for _, l := range e.Lines[:min(len(e.Lines), maxPlaces)] {
		shown = append(shown, strconv.Itoa(l))
	}
	number, more := strconv.Itoa(len(e.Lines)), ""
	if len(e.Lines) > maxPlaces {
		number, more = fmt.Sprintf("more than %d", maxPlaces), ", ..."
	}
	text := fmt.Sprintf(" matches %s places, on lines %s%s. Add surrounding lines until it is unique", number, strings.Join(shown, ", "), more)
	if e.Hunk {
		return "it" + text + ", or name the enclosing line after @@"
	}
	return "old" + text + ", or set replace_all to change all of them"
}
