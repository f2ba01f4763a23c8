package tui

import (
	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
)

// Styles holds every style the screen is drawn with: the terminal's own
// foreground, dim, bold, and four of its own colours with one meaning each.
// Text and marks are the same without them.
type Styles struct {
	Dim   lipgloss.Style // what is secondary
	Bold  lipgloss.Style // what to look at
	Plain lipgloss.Style // what is said

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
	base := lipgloss.NewStyle()
	st := &Styles{
		Dim:     base.Faint(true),
		Bold:    base.Bold(true),
		Plain:   base,
		Green:   base,
		Red:     base,
		Yellow:  base,
		Cyan:    base,
		NoColor: noColor,
		Dark:    dark,
	}
	if !noColor {
		st.Green = base.Foreground(lipgloss.Green)
		st.Red = base.Foreground(lipgloss.Red)
		st.Yellow = base.Foreground(lipgloss.Yellow)
		st.Cyan = base.Foreground(lipgloss.Cyan)
	}
	return st
}

// pen is the parameters of a terminal's style sequence: how a span is drawn.
// The empty pen is the terminal's own foreground.
type pen string

const (
	penBold   pen = "1"
	penDim    pen = "2"
	penRed    pen = "31"
	penGreen  pen = "32"
	penYellow pen = "33"
	penCyan   pen = "36"
)

// colour returns p, or the empty pen where there is no colour. Yellow can not
// be read on a light background and is left out there.
func (st *Styles) colour(p pen) pen {
	if st.NoColor || p == penYellow && !st.Dark {
		return ""
	}
	return p
}

// and returns the pen that is both p and q.
func (p pen) and(q pen) pen {
	if p == "" || q == "" {
		return p + q
	}
	return p + ";" + q
}

// markdown returns the style of text in markdown. Layout is not Glamour's here,
// so it has neither margins nor indents.
func (st *Styles) markdown() ansi.StyleConfig {
	yes := true
	var name *string
	if !st.NoColor {
		cyan := "6"
		name = &cyan
	}
	return ansi.StyleConfig{
		Heading:       ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Bold: &yes}},
		H1:            ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Underline: &yes}},
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strong:        ansi.StylePrimitive{Bold: &yes},
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		Code:          ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: name, Prefix: "`", Suffix: "`"}},
		LinkText:      ansi.StylePrimitive{Color: name},
		Link:          ansi.StylePrimitive{Prefix: "(", Suffix: ")"},
		ImageText:     ansi.StylePrimitive{Color: name, Prefix: "image: "},
		Image:         ansi.StylePrimitive{Prefix: "(", Suffix: ")"},
	}
}
