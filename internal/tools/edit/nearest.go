package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The limits of a search for similar lines.
const (
	maxSearched = 50_000
	maxShown    = 24
	maxWidth    = 200
	maxSlack    = 3 // extra lines of context compared with old
)

// minSimilarity is the minimum similarity of similar lines, from 0 to 1.
const minSimilarity = 0.5

// nearest returns the lines of the file that are most similar to old.
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
	diff, indented := alignIndented(old, lines[first:last+1])
	above, below := trimContext(diff)
	first, last, diff = first+above, last-below, diff[above:len(diff)-below]
	text := formatDiff(diff)
	if text == "" {
		return Near{}
	}
	return Near{First: d.number(first), Last: d.number(last), Diff: text, Composed: differInComposition(diff), Indented: indented && last-first+1 == len(old)}
}

// alignIndented returns the line diff from old to new, which pairs lines that differ only in blanks
// at their ends. All is set if all lines of old have such a pair.
func alignIndented(old, new []string) (diff []Line, all bool) {
	bare := func(lines []string) []string {
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = strings.Trim(l, blanks)
		}
		return out
	}
	i, j, pairs := 0, 0, 0
	for _, l := range align(bare(old), bare(new)) {
		switch l.Op {
		case Drop:
			diff = append(diff, Line{Drop, old[i]})
			i++
		case Insert:
			diff = append(diff, Line{Insert, new[j]})
			j++
		default:
			if old[i] == new[j] {
				diff = append(diff, Line{Keep, old[i]})
			} else {
				diff = append(diff, Line{Drop, old[i]}, Line{Insert, new[j]})
			}
			i, j, pairs = i+1, j+1, pairs+1
		}
	}
	return diff, pairs == len(old)
}

// differInComposition reports whether the diff removes a line that an inserted line contains if,
// and only if, the composition of characters is ignored.
func differInComposition(diff []Line) bool {
	for _, removed := range diff {
		text := norm.NFC.String(removed.Text)
		if removed.Op != Drop || isASCII(text) {
			continue
		}
		for _, l := range diff {
			if l.Op == Insert && !strings.Contains(l.Text, removed.Text) && strings.Contains(norm.NFC.String(l.Text), text) {
				return true
			}
		}
	}
	return false
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// trimContext counts the lines at the beginning and end of a diff that are only
// in the file and match nothing in old.
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

// byCommonLines returns the line at which old would begin, judged by the lines
// that it shares with the file, ignoring blanks. They must make up a quarter of
// old.
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

// bySimilarLine returns the line at which old would begin if its first non-empty
// line is at the most similar line of the file.
func bySimilarLine(ctx context.Context, lines, old []string) (first int, ok bool) {
	text, skipped := "", 0
	for _, l := range old {
		if text = strings.TrimSpace(l); text != "" {
			break
		}
		skipped++
	}
	if text == "" {
		return 0, false
	}
	want, best, at := pairs(text), minSimilarity, -1
	for i, l := range lines {
		if ctx.Err() != nil {
			return 0, false
		}
		// Long lines contain most pairs.
		if len(l) > 4*len(text)+maxWidth {
			continue
		}
		if s := similarity(want, strings.TrimSpace(l)); s > best {
			best, at = s, i
		}
	}
	return at - skipped, at >= 0
}

// formatDiff returns the lines near differences as a diff.
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

// nearChange reports whether line i is at or next to a difference, or is the only
// line.
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

// pairs counts the pairs of adjacent bytes in s.
func pairs(s string) map[[2]byte]int {
	out := make(map[[2]byte]int, len(s))
	for i := range len(s) - 1 {
		out[[2]byte{s[i], s[i+1]}]++
	}
	return out
}

// similarity returns the Dice coefficient of the byte pairs of two lines, from 0
// to 1.
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
