package edit

import (
	"bytes"
	"strings"
)

// Looking for the nearest lines is bounded: the search in lines of the file,
// the answer in lines and in bytes of each.
const (
	maxSearched = 50_000
	maxShown    = 8
	maxWidth    = 200
)

// alike is how much two lines must have in common (of 1) to be near.
const alike = 0.5

// nearest returns the lines of the file that look most like the first line of
// old that says anything, and as many after them as old has.
func nearest(before, old []byte) []Line {
	first, skipped := "", 0
	for l := range bytes.Lines(old) {
		if first = strings.TrimSpace(string(l)); first != "" {
			break
		}
		skipped++
	}
	if first == "" {
		return nil
	}
	want := pairs(first)
	lines := bytes.SplitN(before, []byte("\n"), maxSearched+1)
	lines = lines[:min(len(lines), maxSearched)]
	best, at := alike, -1
	for i, l := range lines {
		// A long line holds pairs of everything.
		if len(l) > 4*len(first)+maxWidth {
			continue
		}
		if s := similarity(want, strings.TrimSpace(string(l))); s > best {
			best, at = s, i
		}
	}
	if at < 0 {
		return nil
	}
	n := min(bytes.Count(bytes.TrimSuffix(old, []byte("\n")), []byte("\n"))+1-skipped, maxShown)
	var out []Line
	for i := at; i < min(at+max(n, 1), len(lines)); i++ {
		out = append(out, Line{i + 1, clip(lines[i])})
	}
	return out
}

func clip(line []byte) string {
	s := strings.TrimSuffix(string(line), "\r")
	if len(s) > maxWidth {
		s = s[:maxWidth] + "…"
	}
	return strings.ToValidUTF8(s, "�")
}

// pairs counts the pairs of neighbouring bytes in s.
func pairs(s string) map[[2]byte]int {
	out := make(map[[2]byte]int, len(s))
	for i := range len(s) - 1 {
		out[[2]byte{s[i], s[i+1]}]++
	}
	return out
}

// similarity is the share of pairs of bytes that two lines have in common, from
// 0 to 1 (Dice's coefficient).
func similarity(want map[[2]byte]int, line string) float64 {
	total, common := max(len(line)-1, 0), 0
	for _, n := range want {
		total += n
	}
	if total == 0 {
		return 0
	}
	for p, n := range pairs(line) {
		common += min(n, want[p])
	}
	return 2 * float64(common) / float64(total)
}
