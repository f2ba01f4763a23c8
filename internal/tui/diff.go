package tui

import (
	"fmt"
	"strings"

	"agent/internal/loop"
)

// DiffStat tells the size of d: "+3 −1".
func DiffStat(d loop.Diff) string { return fmt.Sprintf("+%d −%d", d.Added, d.Removed) }

// DiffLines draws the hunks of d within width columns, at most limit lines if
// limit is not 0.
func DiffLines(st *Styles, d loop.Diff, width, limit int) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimSuffix(d.Unified, "\n"), "\n") {
		line = Truncate(Sanitize(line), width)
		switch {
		case strings.HasPrefix(line, "+"):
			line = st.Green.Render(line)
		case strings.HasPrefix(line, "-"):
			line = st.Red.Render(line)
		}
		out = append(out, line)
	}
	if limit > 0 && len(out) > limit {
		out = append(out[:limit-1], fmt.Sprintf("… %d more lines", len(out)-limit+1))
	}
	return out
}
