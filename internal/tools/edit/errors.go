package edit

import (
	"fmt"
	"strconv"
	"strings"
)

// NotFoundError says that no place fits.
type NotFoundError struct {
	Near Near // what looks most like it, if anything does
	Hunk bool // it was a hunk of a patch that was looked for
}

// Near is the part of a file that looks most like a text, as a diff from the
// text (-) to the file (+).
type Near struct {
	First, Last int // lines of the file, from 1; 0 if nothing looks like it
	Diff        string
}

func (e *NotFoundError) Error() string {
	what, sign := "old was not found", "old"
	if e.Hunk {
		what, sign = "its lines were not found", "the patch"
	}
	if e.Near.First == 0 {
		return what + ", and nothing in the file looks like it: read the file again"
	}
	lines := fmt.Sprintf("lines %d-%d", e.Near.First, e.Near.Last)
	if e.Near.First == e.Near.Last {
		lines = fmt.Sprintf("line %d", e.Near.First)
	}
	return fmt.Sprintf("%s. Nearest in the file is %s (- is only in %s, + only in the file):\n%sTry again with the text as it is in the file",
		what, lines, sign, e.Near.Diff)
}

// AmbiguousError says that more than one place fits and one was wanted.
type AmbiguousError struct {
	Lines []int // where the places begin, or the first of very many
	Hunk  bool  // it was a hunk of a patch that was looked for
}

// maxPlaces is how many places an error lists. One more is looked for, to know
// that there are more.
const maxPlaces = 20

func (e *AmbiguousError) Error() string {
	var shown []string
	for _, l := range e.Lines[:min(len(e.Lines), maxPlaces)] {
		shown = append(shown, strconv.Itoa(l))
	}
	number, which := strconv.Itoa(len(e.Lines)), "which"
	if len(e.Lines) > maxPlaces {
		number, which = fmt.Sprintf("more than %d", maxPlaces), "the first of which"
	}
	text := fmt.Sprintf(" %s places, %s begin on lines %s: add lines around it until one is left", number, which, strings.Join(shown, ", "))
	if e.Hunk {
		return "it fits" + text + ", or name what encloses it after @@"
	}
	return "old fits" + text + ", or set replace_all to change them all"
}
