package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Looking for the nearest lines is bounded: the search in lines of the file,
// the answer in lines and in bytes of each.
const (
	maxSearched = 50_000
	maxShown    = 24
	maxWidth    = 200
	maxSlack    = 3 // lines more or fewer than old has
)

// minSimilarity is how much two lines must have in common (of 1) to be near.
const minSimilarity = 0.5

// nearest finds the lines of the file that look most like those of old.
func nearest(ctx context.Context, before []byte, old []string) Near {
	d := newDocument(ctx, before)
	if d.count() == 0 {
		return Near{}
	}
	lines := d.lines(0, min(d.count(), maxSearched))
	slack := maxSlack
	at, ok := byCommonLines(lines, old)
	if !ok {
		slack = 0
		at, ok = bySimilarLine(ctx, lines, old)
	}
	if !ok {
		return Near{}
	}
	first := min(max(at-slack, 0), len(lines)-1)
	last := min(max(at+len(old)-1+slack, first), len(lines)-1)
	diff := align(old, lines[first:last+1])
	above, below := trimContext(diff)
	first, last, diff = first+above, last-below, diff[above:len(diff)-below]
	text := formatDiff(diff)
	if text == "" {
		return Near{}
	}
	return Near{First: d.number(first), Last: d.number(last), Diff: text}
}

// trimContext counts the lines before and after those that a diff is about: lines
// of the file alone that stand for nothing in old.
func trimContext(diff []Line) (above, below int) {
	for above < len(diff) && diff[above].Op == Insert {
		above++
	}
	dropped := 0
	for _, l := range slices.Backward(diff[above:]) {
		if l.Op == Insert {
			below++
			continue
		}
		if l.Op == Keep {
			break
		}
		dropped++
	}
	return above, max(below-dropped, 0)
}

// byCommonLines finds where old would begin if the lines that it has in common with
// the file, blanks aside, decide. It must be a good part of old.
func byCommonLines(lines, old []string) (first int, ok bool) {
	where, twice, total := map[string]int{}, map[string]bool{}, 0
	for j, l := range old {
		l = strings.Trim(l, blanks)
		_, again := where[l]
		twice[l] = twice[l] || again
		where[l] = j
		total += len(l)
	}
	votes, best := map[int]int{}, 0
	for i, l := range lines {
		l = strings.Trim(l, blanks)
		j, found := where[l]
		if !found || twice[l] || l == "" {
			continue
		}
		votes[i-j] += len(l)
		if votes[i-j] > best {
			first, best = i-j, votes[i-j]
		}
	}
	return first, best > 0 && best*4 >= total
}

// bySimilarLine finds where old would begin if its first line that says anything is
// at the line that looks most like it.
func bySimilarLine(ctx context.Context, lines, old []string) (first int, ok bool) {
	said, skipped := "", 0
	for _, l := range old {
		if said = strings.TrimSpace(l); said != "" {
			break
		}
		skipped++
	}
	if said == "" {
		return 0, false
	}
	want, best, at := pairs(said), minSimilarity, -1
	for i, l := range lines {
		if ctx.Err() != nil {
			return 0, false
		}
		// A long line holds pairs of everything.
		if len(l) > 4*len(said)+maxWidth {
			continue
		}
		if s := similarity(want, strings.TrimSpace(l)); s > best {
			best, at = s, i
		}
	}
	return at - skipped, at >= 0
}

// formatDiff writes lines as a diff, without what is far from any difference.
func formatDiff(lines []Line) string {
	var b strings.Builder
	shown, skipped := 0, false
	for i, l := range lines {
		if !nearChange(lines, i) {
			skipped = true
			continue
		}
		if shown == maxShown {
			fmt.Fprintf(&b, "… (%d lines more)\n", len(lines)-i)
			break
		}
		if skipped && shown > 0 {
			b.WriteString("…\n")
		}
		skipped = false
		fmt.Fprintf(&b, "%c%s\n", l.Op, clip(l.Text))
		shown++
	}
	return b.String()
}

// nearChange says whether a line is next to one that is only on one side, or all
// are the same.
func nearChange(lines []Line, i int) bool {
	for _, l := range lines[max(i-1, 0):min(i+2, len(lines))] {
		if l.Op != Keep {
			return true
		}
	}
	return len(lines) == 1
}

func clip(line string) string {
	if len(line) > maxWidth {
		line = line[:maxWidth] + "…"
	}
	return strings.ToValidUTF8(line, "�")
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
