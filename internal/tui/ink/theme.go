package ink

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Theme is a set of colors for dark and light backgrounds.
type Theme struct {
	Name, What  string
	dark, light palette
}

// palette maps meanings to colors: "#98c379", the number of one of the terminal's
// 16 colors, or empty for the default foreground.
type palette struct {
	dim  string // secondary text; faint if empty
	good string // added, passed
	bad  string // removed, failed
	asks string
	name string // names that the user can act on
	plan string // the plan mode

	keyword, literal, number, comment string // colors of code

	// Changed lines of a diff keep their syntax colors on a background, the changed
	// words on a stronger one; text without a color is drawn in text. If the
	// backgrounds are empty, changed lines are entirely good or bad.
	text, goodRow, goodWord, badRow, badWord string
}

// ThemeNames returns the names of all themes, the default one first.
func ThemeNames() []string {
	var names []string
	for _, t := range Themes() {
		names = append(names, t.Name)
	}
	return names
}

// ThemeNamed returns the theme with that name, or the default theme.
func ThemeNamed(name string) Theme {
	all := Themes()
	for _, t := range all {
		if t.Name == name {
			return t
		}
	}
	return all[0]
}

// Themes returns all themes, the default one first.
func Themes() []Theme {
	dark := palette{
		dim: "#9a9fa8", good: "#8fce72", bad: "#ff8f8f", asks: "#e8c268", name: "#63c7d9", plan: "#8ab4f8",
		keyword: "#8fb8ff", literal: "#a8d38d", number: "#e0b57a", comment: "#9aa3b0",
		text: "#e4e6ea", goodRow: "#16301d", goodWord: "#1f4a2b", badRow: "#3a1a1d", badWord: "#5a262b",
	}
	light := palette{
		dim: "#63676e", good: "#1a6b2c", bad: "#b3212d", asks: "#7a5200", name: "#05626f", plan: "#1f4fb3",
		keyword: "#1d4fae", literal: "#2a6530", number: "#7d4a00", comment: "#5d646e",
		text: "#1c1e22", goodRow: "#e1f5e4", goodWord: "#c2e9c9", badRow: "#fde9e9", badWord: "#f9d2d2",
	}
	return []Theme{
		{"terminal", "the terminal's own colors",
			palette{good: "2", bad: "1", asks: "3", name: "6", plan: "12", keyword: "6", literal: "2", number: "3"},
			palette{good: "2", bad: "1", name: "6", plan: "4", keyword: "6", literal: "2"}}, // yellow on white is illegible
		{"dark", "calm colors for a dark background", dark, dark},
		{"light", "calm colors for a light background", light, light},
		{"high-contrast", "few colors that stand out from the background", palette{
			dim: "#d0d0d0", good: "#7dff7d", bad: "#ffa0a0", asks: "#ffff66", name: "#7df9ff", plan: "#9ecbff",
			keyword: "#b9d4ff", literal: "#b8ffb8", number: "#ffe08a", comment: "#d0d0d0",
		}, palette{
			dim: "#3c3c3c", good: "#004d10", bad: "#8b0000", asks: "#4d3800", name: "#003d66", plan: "#002b80",
			keyword: "#00307a", literal: "#004d10", number: "#5c2e00", comment: "#3c3c3c",
		}},
		{"gruvbox", "based on the palette of that name", palette{
			dim: "#a89984", good: "#b8bb26", bad: "#fc8878", asks: "#fabd2f", name: "#8ec07c", plan: "#83a598",
			keyword: "#fe9a5f", literal: "#b8bb26", number: "#d9a0b2", comment: "#a89984",
			text: "#ebdbb2", goodRow: "#32361a", goodWord: "#3b4019", badRow: "#3f211d", badWord: "#512822",
		}, palette{
			dim: "#665c54", good: "#5f5a0a", bad: "#9d0006", asks: "#7c4e05", name: "#2e6444", plan: "#076678",
			keyword: "#872b00", literal: "#5f5a0a", number: "#7d355f", comment: "#665c54",
			text: "#3c3836", goodRow: "#eef0c8", goodWord: "#e2e6ab", badRow: "#fae4d8", badWord: "#f6d3c2",
		}},
		{"catppuccin", "based on the palette of that name", palette{
			dim: "#9399b2", good: "#a6e3a1", bad: "#f38ba8", asks: "#f9e2af", name: "#89dceb", plan: "#89b4fa",
			keyword: "#cba6f7", literal: "#a6e3a1", number: "#fab387", comment: "#9399b2",
			text: "#cdd6f4", goodRow: "#25372f", goodWord: "#2a4034", badRow: "#3b2634", badWord: "#4d2e3f",
		}, palette{
			dim: "#62657a", good: "#2a6e1d", bad: "#b80d33", asks: "#855307", name: "#036a7d", plan: "#1a4fc0",
			keyword: "#6527b0", literal: "#2a6e1d", number: "#8a3b00", comment: "#62657a",
			text: "#3c3f58", goodRow: "#e4f2e3", goodWord: "#cfe8cd", badRow: "#fbe7eb", badWord: "#f7d3db",
		}},
	}
}

// palette returns the colors of t for the terminal's color profile. A terminal with
// 16 colors uses its own.
func (t Theme) palette(dark bool, can colorprofile.Profile) palette {
	if can == colorprofile.ANSI {
		t = ThemeNamed("")
	}
	p := t.light
	if dark {
		p = t.dark
	}
	if can != colorprofile.ANSI256 {
		return p
	}
	for _, c := range []*string{&p.dim, &p.good, &p.bad, &p.asks, &p.name, &p.keyword, &p.literal, &p.number, &p.comment} {
		*c = indexed(*c)
	}
	p.goodRow, p.goodWord, p.badRow, p.badWord = "", "", "", "" // none of the 256 colors is dark or light enough
	return p
}

// indexed returns the number of the color nearest to c among the 256.
func indexed(c string) string {
	if !strings.HasPrefix(c, "#") {
		return c
	}
	if i, ok := colorprofile.ANSI256.Convert(lipgloss.Color(c)).(ansi.IndexedColor); ok {
		return strconv.Itoa(int(i))
	}
	return ""
}

// Pen holds the parameters of an SGR sequence. The empty pen is the default
// foreground.
type Pen string

// Pens that are the same in every theme.
const (
	PenBold  Pen = "1"
	penFaint Pen = "2"
)

// ink returns the pen with that foreground color.
func ink(color string) Pen {
	if color == "" {
		return ""
	}
	return Pen(strings.Join(ansi.Style{}.ForegroundColor(lipgloss.Color(color)), ";"))
}

// paper returns the pen with that background color.
func paper(color string) Pen {
	if color == "" {
		return ""
	}
	return Pen(strings.Join(ansi.Style{}.BackgroundColor(lipgloss.Color(color)), ";"))
}

// And returns the pen that combines p and q.
func (p Pen) And(q Pen) Pen {
	if p == "" || q == "" {
		return p + q
	}
	return p + ";" + q
}

// paints reports whether p sets a background, so that spaces are visible.
func (p Pen) paints() bool { return strings.Contains(";"+string(p), ";48;") }
