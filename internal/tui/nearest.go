package tui

// nearest returns the one of names that somebody who wrote name meant, or "".
func nearest(name string, names []string) string {
	best, least := "", max(3, len(name)/2)
	for _, n := range names {
		if d := slips(name, n); d < least && d < len(n) {
			best, least = n, d
		}
	}
	return best
}

// slips counts the letters to put in, take out, change or swap to make b of a.
func slips(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now := make([]int, len(b)+1)
		now[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			now[j+1] = min(last[j]+cost, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}
