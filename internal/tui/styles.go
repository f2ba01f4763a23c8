package tui

import "charm.land/lipgloss/v2"

// Styles holds every style the screen is drawn with: the terminal's own
// foreground, dim, bold, and four of its own colours with one meaning each.
// Text and marks are the same without them.
type Styles struct {
	Dim  lipgloss.Style // what is secondary
	Bold lipgloss.Style // what to look at

	Green  lipgloss.Style // added, passed
	Red    lipgloss.Style // removed, failed
	Yellow lipgloss.Style // asks
	Cyan   lipgloss.Style // a name to act on

	NoColor bool // the four are plain; dim and bold stay, being no colours
	Dark    bool // the terminal's background is dark
}

// NewStyles returns the styles for a terminal with a dark or a light
// background, without colours if noColor is set.
func NewStyles(dark, noColor bool) *Styles {
	plain := lipgloss.NewStyle()
	st := &Styles{
		Dim:     plain.Faint(true),
		Bold:    plain.Bold(true),
		Green:   plain,
		Red:     plain,
		Yellow:  plain,
		Cyan:    plain,
		NoColor: noColor,
		Dark:    dark,
	}
	if !noColor {
		st.Green = plain.Foreground(lipgloss.Green)
		st.Red = plain.Foreground(lipgloss.Red)
		st.Yellow = plain.Foreground(lipgloss.Yellow)
		st.Cyan = plain.Foreground(lipgloss.Cyan)
	}
	return st
}
