package history_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"agent/internal/sampling"
)

// many is the number of records in the log whose bytes are damaged.
const many = 200

// before returns the number of lines that are complete in the first n bytes. A
// line that only lacks its newline is complete.
func before(ends []int, n int) int {
	lines, found := slices.BinarySearch(ends, n+1)
	if found {
		lines++
	}
	return lines
}

func TestTruncationAtEveryByte(t *testing.T) {
	t.Parallel()
	text, ends := sample(t, many)
	for n := 0; n < len(text); n += sampling.Step() {
		m, got, problems := revive(t, text[:n])
		lines := before(ends, n)
		lacks(t, got, many, func(i int) bool { return i >= lines })
		valid := 0
		if lines > 0 {
			valid = min(ends[lines-1], n)
		}
		if lost := n - valid; m.torn.Len() != lost || len(problems) > 0 != (lost > 0) {
			t.Fatalf("cut at %d: %d of %d bytes kept, told %v", n, m.torn.Len(), lost, problems)
		}
	}
	t.Attr("promise", fmt.Sprintf("a log cut off anywhere keeps every record that is whole, and takes the next: cuts tried: %d", len(text)/sampling.Step()))
}

func TestFlipOfEveryByte(t *testing.T) {
	t.Parallel()
	text, ends := sample(t, many)
	for i := 0; i < len(text); i += sampling.Step() {
		damaged := bytes.Clone(text)
		damaged[i] ^= 0x15
		_, got, problems := revive(t, damaged)
		if len(problems) == 0 {
			t.Fatalf("flip at %d: not noticed", i)
		}
		hit := before(ends, i-1) // a newline belongs to no record
		lacks(t, got, many, func(n int) bool { return n == hit && text[i] != '\n' })
	}
	t.Attr("promise", fmt.Sprintf("a damaged byte costs one record and is reported: bytes tried: %d", len(text)/sampling.Step()))
}

func TestZerosAtEveryPage(t *testing.T) {
	t.Parallel()
	text, ends := sample(t, many)
	for from := 0; from < len(text); from += 61 * sampling.Step() {
		to := min(from+4096, len(text))
		damaged := bytes.Clone(text)
		clear(damaged[from:to])
		_, got, problems := revive(t, damaged)
		if len(problems) == 0 {
			t.Fatalf("zeros at %d: not noticed", from)
		}
		lacks(t, got, many, func(n int) bool { return ends[n-1] < to && ends[n]-1 > from })
	}
}

// A program died while writing, and another one ignored the incomplete record.
func TestIncompleteLineBeforeNextRecord(t *testing.T) {
	t.Parallel()
	text, ends := sample(t, many)
	start, end := ends[100], ends[101]
	for n := start; n < end; n += sampling.Step() {
		_, got, problems := revive(t, slices.Concat(text[:n], text[end:]))
		whole := n == end-1 // only its newline is missing, so nothing is lost
		if len(problems) == 0 && !whole {
			t.Fatalf("fragment of %d bytes: not noticed", n-start)
		}
		lacks(t, got, many, func(i int) bool { return i == 101 && !whole })
	}
}
