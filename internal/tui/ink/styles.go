package ink

import (
	"sync"

	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Look holds the settings and terminal abilities that Styles depends on.
type Look struct {
	Theme   string               // name of the theme
	Dark    bool                 // the terminal's background is dark
	NoColor bool                 // the user wants no colors
	Can     colorprofile.Profile // colors of the terminal; unknown means all
	ASCII   bool                 // the terminal shows only ASCII
	Diffs   DiffLayout
}

// DiffLayout is how a diff is laid out.
type DiffLayout string

// The layouts of a diff. The zero DiffLayout is Auto.
const (
	Auto    DiffLayout = "auto"    // side by side if there is room
	Unified DiffLayout = "unified" // removed lines above added ones
	Split   DiffLayout = "split"   // side by side
)

// Styles holds all styles of the screen: the default foreground, dim, bold, and five
// colors with one meaning each, named for their color in the default theme.
type Styles struct {
	Dim   lipgloss.Style // secondary text
	Bold  lipgloss.Style // emphasis
	Plain lipgloss.Style // content

	Green  lipgloss.Style // added, passed
	Red    lipgloss.Style // removed, failed
	Yellow lipgloss.Style // needs attention
	Cyan   lipgloss.Style // names that the user can act on
	Blue   lipgloss.Style // the plan mode

	NoColor bool // draw without colors, only dim and bold
	Dark    bool // the terminal's background is dark

	Pens    Pens
	Letters Letters // replaces marks for ASCII-only terminals
	Diffs   DiffLayout

	color  palette
	lexers sync.Map // language name to chroma.Lexer, nil if there is none
}

// Pens holds the styles of spans, with those of code and diffs.
type Pens struct {
	Dim, Good, Bad, Asks, Name        Pen
	Keyword, Literal, Number, Comment Pen
	GoodRow, GoodWord, BadRow, BadWord,
	Text Pen // default foreground on these backgrounds
}

// Styles returns the styles of l.
func (l Look) Styles() *Styles {
	var p palette
	noColor := l.NoColor || l.Can == colorprofile.ASCII || l.Can == colorprofile.NoTTY
	if !noColor {
		p = ThemeNamed(l.Theme).palette(l.Dark, l.Can)
	}
	base := lipgloss.NewStyle()
	in := func(color string, otherwise lipgloss.Style) lipgloss.Style {
		if color == "" {
			return otherwise
		}
		return base.Foreground(lipgloss.Color(color))
	}
	st := &Styles{
		Dim:     in(p.dim, base.Faint(true)),
		Bold:    base.Bold(true),
		Plain:   base,
		Green:   in(p.good, base),
		Red:     in(p.bad, base),
		Yellow:  in(p.asks, base.Bold(true)),
		Cyan:    in(p.name, base),
		Blue:    in(p.plan, base),
		NoColor: noColor,
		Dark:    l.Dark,
		color:   p,
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

// Markdown returns the Glamour style of inline Markdown. Package markdown lays out
// blocks, so the style has no margins or indentation. Inline code has a color, or
// backticks if there are no colors.
func (st *Styles) Markdown() ansi.StyleConfig {
	yes := true
	var name *string
	tick := "`"
	if st.color.name != "" {
		name, tick = &st.color.name, ""
	}
	return ansi.StyleConfig{
		Heading:       ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Bold: &yes}},
		H1:            ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Underline: &yes}},
		Emph:          ansi.StylePrimitive{Italic: &yes},
		Strong:        ansi.StylePrimitive{Bold: &yes},
		Strikethrough: ansi.StylePrimitive{CrossedOut: &yes},
		Code:          ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: name, Prefix: tick, Suffix: tick}},
		LinkText:      ansi.StylePrimitive{Color: name},
		Link:          ansi.StylePrimitive{Prefix: "(", Suffix: ")"},
		ImageText:     ansi.StylePrimitive{Color: name, Prefix: "image: "},
		Image:         ansi.StylePrimitive{Prefix: "(", Suffix: ")"},
	}
}
