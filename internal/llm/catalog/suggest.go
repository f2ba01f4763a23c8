package catalog

import "strings"

// names returns the providers' names in one line.
func (c Changes) names() string {
	var out []string
	for _, r := range c.Providers() {
		out = append(out, r.Name)
	}
	return strings.Join(out, ", ")
}

// nearest returns the provider whose name is one or two slips away from name.
func (c Changes) nearest(name string) string {
	best, at := "", 3
	for _, r := range c.Providers() {
		if d := slips(strings.ToLower(name), r.Name); d < at && d < len(r.Name)/2 {
			best, at = r.Name, d
		}
	}
	return best
}

// slips counts the letters to put in, take out or change to make b of a.
func slips(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
