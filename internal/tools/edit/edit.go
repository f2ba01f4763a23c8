// Package edit replaces bytes in the content of a file.
//
// What lies outside the replaced places is kept byte for byte: line endings, a
// byte order mark, invalid UTF-8, a missing last newline. A replacement is only
// made where it is certain which place is meant; there is no guessing.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Result is a file after a replacement.
type Result struct {
	After []byte
	Lines []int // the lines, from 1, on which the replaced places begin
}

// The replacements that cannot be meant.
var (
	ErrSame     = errors.New("old and new are the same, so there is nothing to change: give the text as it is in old and as it should be in new")
	ErrEmptyOld = errors.New("old is empty but the file is not: give the text to replace, with enough of its surroundings to be unique, or use write to replace the whole file")
)

// NotFoundError says that no place fits.
type NotFoundError struct {
	Nearest []Line // what looks most like it, if anything does
}

// AmbiguousError says that more than one place fits and one was wanted.
type AmbiguousError struct {
	Lines []int // where the places begin
}

// Line is a line of the file that was to be edited.
type Line struct {
	Number int // from 1
	Text   string
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	b.WriteString("old was not found: it must be in the file exactly, with every blank, tab and line ending.")
	if len(e.Nearest) == 0 {
		b.WriteString(" Nothing in the file looks like it; read the file again")
		return b.String()
	}
	b.WriteString(" The nearest lines are\n")
	for _, l := range e.Nearest {
		fmt.Fprintf(&b, "%d\t%s\n", l.Number, l.Text)
	}
	b.WriteString("Copy the text from there (without the line numbers) and try again")
	return b.String()
}

// maxPlaces is how many places an error lists.
const maxPlaces = 20

func (e *AmbiguousError) Error() string {
	var shown []string
	for _, l := range e.Lines[:min(len(e.Lines), maxPlaces)] {
		shown = append(shown, strconv.Itoa(l))
	}
	if len(e.Lines) > maxPlaces {
		shown = append(shown, "…")
	}
	return fmt.Sprintf("old fits %d places, which begin on lines %s: add lines around it until one is left, or set replace_all to change them all",
		len(e.Lines), strings.Join(shown, ", "))
}

// Replace puts new where old is in before. Without all, there must be exactly
// one such place; with all, at least one. An empty old fits an empty file.
// The error is ErrSame, ErrEmptyOld, a *NotFoundError or an *AmbiguousError.
func Replace(before, old, new []byte, all bool) (Result, error) {
	switch {
	case bytes.Equal(old, new):
		return Result{}, ErrSame
	case len(old) == 0 && len(before) > 0:
		return Result{}, ErrEmptyOld
	case len(old) == 0:
		return Result{After: bytes.Clone(new), Lines: []int{1}}, nil
	}
	for _, find := range ladder() {
		places := find(before, old, new)
		if len(places) == 0 {
			continue
		}
		lines := lineNumbers(before, places)
		if len(places) > 1 && !all {
			return Result{}, &AmbiguousError{Lines: lines}
		}
		places = apart(places)
		return Result{After: splice(before, places), Lines: lineNumbers(before, places)}, nil
	}
	return Result{}, &NotFoundError{Nearest: nearest(before, old)}
}

// place is a span of the file and what is to stand there.
type place struct {
	start, end int
	text       []byte
}

// finder returns every place where old may be meant, in the order of the file;
// they may overlap.
type finder func(before, old, new []byte) []place

// ladder holds the ways to look for old, strictest first. The first that finds
// anything decides.
func ladder() []finder {
	return []finder{exact}
}

func exact(before, old, new []byte) []place {
	var out []place
	for at := 0; ; {
		i := bytes.Index(before[at:], old)
		if i < 0 {
			return out
		}
		out = append(out, place{at + i, at + i + len(old), new})
		at += i + 1
	}
}

// apart leaves out the places that overlap an earlier one.
func apart(places []place) []place {
	end := 0
	return slices.DeleteFunc(slices.Clone(places), func(p place) bool {
		if p.start < end {
			return true
		}
		end = p.end
		return false
	})
}

func splice(before []byte, places []place) []byte {
	n := len(before)
	for _, p := range places {
		n += len(p.text) - (p.end - p.start)
	}
	after, at := make([]byte, 0, n), 0
	for _, p := range places {
		after = append(append(after, before[at:p.start]...), p.text...)
		at = p.end
	}
	return append(after, before[at:]...)
}

func lineNumbers(before []byte, places []place) []int {
	lines, line, at := make([]int, 0, len(places)), 1, 0
	for _, p := range places {
		line += bytes.Count(before[at:p.start], []byte("\n"))
		at = p.start
		lines = append(lines, line)
	}
	return lines
}
