// Package sampling says how many of its cases a brute-force test tries: a sample by
// default, and all of them for the promises (make promises), which sets STORM. Only
// tests import it. Start reading at Step.
package sampling

import (
	"os"
	"strconv"
	"testing"
)

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
