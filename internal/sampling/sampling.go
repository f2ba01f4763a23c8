// Package sampling says how many of its cases a brute-force test tries: a sample by
// default, and all of them for the promises (make promises), which sets STORM. Only
// tests import it. Start reading at Step.
package sampling

import (
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
)

// part is the distance between the rows of a table that tests try by default.
const part = 4

// variable is set to the number of random runs if tests try all their cases.
const variable = "STORM"

// Whole reports whether tests try all their cases.
func Whole() bool { return os.Getenv(variable) != "" }

// Step returns the distance between the cases to try: 1 if tests try all of them. The
// other distances are prime, so that the sample does not follow the structure of the
// data. With -short, which the race detector uses, the sample is smaller.
func Step() int {
	switch {
	case Whole():
		return 1
	case testing.Short():
		return 97
	}
	return 17
}

// Runs returns the number of random runs: n, or the number in STORM.
func Runs(n int) int {
	if storm, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return storm
	}
	return n
}

// Rows returns the rows of a table that tests try: one in four, in the order of their
// names, or all. It is for rows that are slow because each starts a program.
func Rows[T any](table map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, name := range List(slices.Sorted(maps.Keys(table))) {
			if !yield(name, table[name]) {
				return
			}
		}
	}
}

// List is like Rows, for a table without names. It returns the index and the row.
func List[T any](table []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, row := range table {
			if Row(i) && !yield(i, row) {
				return
			}
		}
	}
}

// Row reports whether tests try row i of a table.
func Row(i int) bool { return Whole() || i%part == 0 }
