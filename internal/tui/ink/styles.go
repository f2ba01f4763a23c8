package ink

import (
	"sync"

	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Look is all that decides how things are drawn.
type Look struct {
	Theme   string               // its name
	Dark    bool                 // the terminal's background is
	NoColor bool                 // no colours are wanted
	Can     colorprofile.Profile // what colours the terminal has; unknown is all
	ASCII   bool                 // it shows no other characters
	Diffs   DiffLayout
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

	Pens    Pens
	Letters Letters // that the terminal has
	Diffs   DiffLayout

	colour palette
	lexers sync.Map // by the name of a language, those that were looked for
}

// Pens are the same styles, and those of code and diffs, for spans.
type Pens struct {
	Dim, Good, Bad, Asks, Name        Pen
	Keyword, Literal, Number, Comment Pen
	GoodRow, GoodWord, BadRow, BadWord,
	Text Pen // on those
}

// Styles returns the styles of l.
func (l Look) Styles() *Styles {
	var p palette
	noColor := l.NoColor || l.Can == colorprofile.ASCII || l.Can == colorprofile.NoTTY
	if !noColor {
		p = ThemeNamed(l.Theme).palette(l.Dark, l.Can)
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
		Dark:    l.Dark,
		colour:  p,
		Diffs:   l.Diffs,
		Pens: Pens{
			Dim: ink(p.dim), Good: ink(p.good), Bad: ink(p.bad), Asks: ink(p.asks), Name: ink(p.name),
			Keyword: ink(p.keyword), Literal: ink(p.literal), Number: ink(p.number), Comment: ink(p.comment),
			GoodRow: paper(p.goodRow), GoodWord: paper(p.goodWord), BadRow: paper(p.badRow), BadWord: paper(p.badWord),
			Text: ink(p.text),
		},
	}
	if p.dim == "" {
		st.Pens.Dim = penFaint
	}
	if p.comment == "" {
		st.Pens.Comment = penFaint
	}
	if l.ASCII {
		st.Letters = newLetters()
	}
	return st
}

// Markdown returns the style of text in markdown. Layout is not Glamour's here,
// so it has neither margins nor indents.
func (st *Styles) Markdown() ansi.StyleConfig {
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
