package textdiff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"agent/internal/textdiff"
)

// Every line of a hunk is where its header says, in the text before and in the one
// after.
func TestHeadersNameTheirLines(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var before, after []string
		for i := range r.IntN(120) {
			line := fmt.Sprintf("line %d\n", i)
			before = append(before, line)
			switch r.IntN(12) {
			case 0:
			case 1:
				after = append(after, line, fmt.Sprintf("new %d\n", i))
			case 2:
				after = append(after, fmt.Sprintf("changed %d\n", i))
			default:
				after = append(after, line)
			}
		}
		check(t, seed, textdiff.Unified("a", "b", strings.Join(before, ""), strings.Join(after, "")), before, after)
	}
}

func check(t *testing.T, seed uint64, diff string, before, after []string) {
	t.Helper()
	from, to, inHunk := 0, 0, false
	for line := range strings.Lines(diff) {
		if line[0] == '@' {
			f := strings.Fields(line)
			if _, err := fmt.Sscanf(f[1]+" "+f[2], rangeFormat(f), &from, &to); err != nil {
				t.Fatalf("seed %d: header %q: %v", seed, line, err)
			}
			inHunk = true
			continue
		}
		if !inHunk {
			continue
		}
		if line[0] != '+' {
			if from < 1 || before[from-1] != line[1:] {
				t.Fatalf("seed %d: %q is not line %d of the text before", seed, line, from)
			}
			from++
		}
		if line[0] != '-' {
			if to < 1 || after[to-1] != line[1:] {
				t.Fatalf("seed %d: %q is not line %d of the text after", seed, line, to)
			}
			to++
		}
	}
}

// rangeFormat returns the format of the two ranges of a header.
func rangeFormat(fields []string) string {
	format := "-%d"
	if _, count, ok := strings.Cut(fields[1], ","); ok {
		format += "," + count
	}
	format += " +%d"
	if _, count, ok := strings.Cut(fields[2], ","); ok {
		format += "," + count
	}
	return format
}
