package ink

import (
	"math"
	"strconv"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Every theme is legible on common terminal backgrounds and on its own: contrast is
// at least 4.5 to 1, and 3 to 1 for secondary text.
func TestContrast(t *testing.T) {
	backgrounds := map[bool][]string{
		true:  {"#000000", "#1e1e1e", "#282a36"},
		false: {"#ffffff", "#f5f5f5"},
	}
	for _, th := range Themes() {
		for _, dark := range []bool{true, false} {
			if th.Name == "dark" && !dark || th.Name == "light" && dark {
				continue // made for the other background
			}
			for _, can := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
				p := th.palette(dark, can)
				for _, bg := range backgrounds[dark] {
					reads(t, th.Name, p.letters(), bg, 4.5)
					reads(t, th.Name, map[string]string{"dim": p.dim, "comment": p.comment}, bg, 3)
				}
				for _, bg := range []string{p.goodRow, p.goodWord, p.badRow, p.badWord} {
					if bg != "" {
						on := p.letters()
						on["text"] = p.text
						reads(t, th.Name, on, bg, 4.5)
						reads(t, th.Name, map[string]string{"comment": p.comment}, bg, 3)
					}
				}
			}
		}
	}
}

// letters returns the foreground colors of p.
func (p palette) letters() map[string]string {
	return map[string]string{"good": p.good, "bad": p.bad, "asks": p.asks, "name": p.name,
		"keyword": p.keyword, "literal": p.literal, "number": p.number}
}

func reads(t *testing.T, theme string, letters map[string]string, background string, least float64) {
	t.Helper()
	for what, c := range letters {
		if n, err := strconv.Atoi(c); c == "" || err == nil && n < 16 {
			continue // a color of the terminal, chosen by the user
		}
		if got := contrast(c, background); got < least {
			t.Errorf("%s: %s %s on %s is %.1f to 1, want %.1f", theme, what, c, background, got, least)
		}
	}
}

// contrast returns the W3C contrast ratio of two colors.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c string) float64 {
	r, g, b, _ := lipgloss.Color(c).RGBA()
	linear := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
