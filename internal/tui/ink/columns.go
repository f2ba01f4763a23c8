package ink

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Columns draws rows of names and descriptions in two columns and wraps both. The
// first column takes at most a third of the width.
func Columns(st *Styles, rows [][2]string, width int) []string {
	first := 0
	for _, r := range rows {
		first = max(first, lipgloss.Width(r[0]))
	}
	first = min(first, width/3)
	var out []string
	for _, r := range rows {
		name := Wrap(r[0], max(first, 1))
		what := Wrap(r[1], max(width-first-2, 1))
		for i := range max(len(name), len(what)) {
			l, w := "", ""
			if i < len(name) {
				l = name[i]
			}
			if i < len(what) {
				w = what[i]
			}
			pad := strings.Repeat(" ", max(first-lipgloss.Width(l), 0))
			out = append(out, strings.TrimRight("  "+st.Cyan.Render(l)+pad+"  "+w, " "))
		}
	}
	return out
}
