package phrase

import "strings"

// minPrefix is the length of a name from which on it can be the beginning of another one.
const minPrefix = 3

// Nearest returns the element of names closest to name, ignoring case, or "" if none is
// similar: one change is similar, and a change of at most a third of the letters. A name
// that one letter or transposition changes to name is closest, then the first one that
// begins with name. Among equally close names, one of the same length wins, then the first.
func Nearest(name string, names []string) string {
	best, least := "", max(2, len(name)/3+1)
	prefix := ""
	for _, n := range names {
		typed, listed := strings.ToLower(name), strings.ToLower(n)
		if prefix == "" && len(typed) >= minPrefix && len(listed) > len(typed) && strings.HasPrefix(listed, typed) {
			prefix = n
		}
		d := Distance(typed, listed)
		longer := best != "" && len(best) != len(name) && len(n) == len(name)
		if d < len(n) && (d < least || d == least && longer) {
			best, least = n, d
		}
	}
	if prefix != "" && least > 1 {
		return prefix
	}
	return best
}

// Distance counts the bytes to insert, delete, replace or transpose with the
// next byte to turn a into b.
func Distance(a, b string) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now := make([]int, len(b)+1)
		now[0] = i + 1
		for j := range len(b) {
			same := last[j]
			if a[i] != b[j] {
				same++
			}
			now[j+1] = min(same, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}
