package edit

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strconv"
)

// numberedLine matches the line number that a listing of a file prints before a
// line.
var numberedLine = regexp.MustCompile(`^ *(\d+)\t`)

// ReplaceListed is Replace for texts that may be copied from a listing with line
// numbers. If old does not match, and all its lines are numbered in sequence, the
// numbers of old and new are ignored and Numbered is set in the result, unless
// the texts have another reading.
func ReplaceListed(ctx context.Context, before, old, new []byte, all bool) (Result, error) {
	r, err := Replace(ctx, before, old, new, all)
	if _, ok := errors.AsType[*NotFoundError](err); !ok {
		return r, err
	}
	plainOld, first, ok := withoutNumbers(old)
	if !ok || !inSequence(old) || numbers(plainOld) > 0 {
		return r, err
	}
	plainNew := new
	if numbers(new) > 0 {
		var begins int
		if plainNew, begins, ok = withoutNumbers(new); !ok || begins != first || numbers(plainNew) > 0 {
			return r, err
		}
	}
	listed, e := Replace(ctx, before, plainOld, plainNew, all)
	if e != nil || listed.Fit == Exact && within(before, plainOld) {
		return r, err
	}
	listed.Numbered = true
	return listed, nil
}

// within reports whether text occurs in before after the beginning of a line, so
// that it is not copied from a listing.
func within(before, text []byte) bool {
	return bytes.Count(before, text) > bytes.Count(append([]byte("\n"), before...), append([]byte("\n"), text...))
}

// withoutNumbers returns text without the number of each line, and the first
// number. It reports false if a line has none.
func withoutNumbers(text []byte) (plain []byte, first int, ok bool) {
	for line := range bytes.Lines(text) {
		n, rest, ok := cutNumber(line)
		if !ok {
			return nil, 0, false
		}
		if plain == nil {
			first = n
		}
		plain = append(plain, rest...)
	}
	return plain, first, len(plain) > 0
}

// cutNumber returns the number of a line and the line without it.
func cutNumber(line []byte) (n int, rest []byte, ok bool) {
	m := numberedLine.FindSubmatch(line)
	if m == nil {
		return 0, line, false
	}
	n, err := strconv.Atoi(string(m[1]))
	return n, line[len(m[0]):], err == nil
}

// inSequence reports whether the numbers of the lines are consecutive.
func inSequence(text []byte) bool {
	last := 0
	for line := range bytes.Lines(text) {
		n, _, _ := cutNumber(line)
		if last > 0 && n != last+1 {
			return false
		}
		last = n
	}
	return true
}

// numbers returns how many lines of text begin with a number.
func numbers(text []byte) int {
	count := 0
	for line := range bytes.Lines(text) {
		if _, _, ok := cutNumber(line); ok {
			count++
		}
	}
	return count
}
