package tui

import (
	"sync"

	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// look is all that decides how things are drawn.
type look struct {
	theme   string               // its name
	dark    bool                 // the terminal's background is
	noColor bool                 // no colours are wanted
	can     colorprofile.Profile // what colours the terminal has; unknown is all
	ascii   bool                 // it shows no other characters
	diffs   DiffLayout
}

// DiffLayout is how a diff is laid out.
type DiffLayout string

// The layouts of a diff. The zero DiffLayout is Auto.
const (
	Auto    DiffLayout = "auto"    // side by side where there is room
	Unified DiffLayout = "unified" // the lines that were removed above those that were added
	Split   DiffLayout = "split"   // side by side
)

// Styles holds every style the screen is drawn with: the terminal's own
// foreground, dim, bold, and four colours with one meaning each, named for what
// they are where the theme leaves them to the terminal. Text and marks are the
// same without them.
type Styles struct {
	Dim   lipgloss.Style // what is secondary
	Bold  lipgloss.Style // what to look at
	Plain lipgloss.Style // what is said

	Green  lipgloss.Style // added, passed
	Red    lipgloss.Style // removed, failed
	Yellow lipgloss.Style // asks
	Cyan   lipgloss.Style // a name to act on

	NoColor bool // there are no colours; dim and bold stay, being none
	Dark    bool // the terminal's background is dark

	pens   pens
	colour palette
	ascii  letters
	diffs  DiffLayout
	lexers sync.Map // by the name of a language, those that were looked for
}

// pens are the same styles, and those of code and diffs, for spans.
type pens struct {
	dim, good, bad, asks, name        pen
	keyword, literal, number, comment pen
	goodRow, goodWord, badRow, badWord,
	text pen // on those
}

// styles returns the styles of l.
func (l look) styles() *Styles {
	var p palette
	noColor := l.noColor || l.can == colorprofile.ASCII || l.can == colorprofile.NoTTY
	if !noColor {
		p = themeNamed(l.theme).palette(l.dark, l.can)
	}
	base := lipgloss.NewStyle()
	in := func(colour string, otherwise lipgloss.Style) lipgloss.Style {
		if colour == "" {
			return otherwise
		}
		return base.Foreground(lipgloss.Color(colour))
	}
	st := &Styles{
		Dim:     in(p.dim, base.Faint(true)),
		Bold:    base.Bold(true),
		Plain:   base,
		Green:   in(p.good, base),
		Red:     in(p.bad, base),
		Yellow:  in(p.asks, base.Bold(true)),
		Cyan:    in(p.name, base),
		NoColor: noColor,
		Dark:    l.dark,
		colour:  p,
		diffs:   l.diffs,
		pens: pens{
			dim: ink(p.dim), good: ink(p.good), bad: ink(p.bad), asks: ink(p.asks), name: ink(p.name),
			keyword: ink(p.keyword), literal: ink(p.literal), number: ink(p.number), comment: ink(p.comment),
			goodRow: paper(p.goodRow), goodWord: paper(p.goodWord), badRow: paper(p.badRow), badWord: paper(p.badWord),
			text: ink(p.text),
		},
	}
	if p.dim == "" {
		st.pens.dim = penFaint
	}
	if p.comment == "" {
		st.pens.comment = penFaint
	}
	if l.ascii {
		st.ascii = newLetters()
	}
	return st
}

// markdown returns the style of text in markdown. Layout is not Glamour's here,
// so it has neither margins nor indents.
func (st *Styles) markdown() ansi.StyleConfig {
	yes := true
	var name *string
	if st.colour.name != "" {
		name = &st.colour.name
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
