package ink

import "strings"

// Letters replaces marks that the terminal cannot show. The zero Letters replaces
// nothing.
type Letters struct{ in *strings.Replacer }

// Write returns s with every mark that the terminal cannot show replaced by text of
// the same width. Other text is unchanged.
func (l Letters) Write(s string) string {
	if l.in == nil {
		return s
	}
	return l.in.Replace(s)
}

// newLetters returns the Letters for an ASCII-only terminal.
func newLetters() Letters {
	var pairs []string
	for marks, standIn := range asciiReplacements() {
		for _, r := range marks {
			pairs = append(pairs, string(r), standIn)
		}
	}
	return Letters{strings.NewReplacer(append([]string{" · ", " | "}, pairs...)...)}
}

// asciiReplacements returns the marks that the program draws with and the ASCII replacement
// of each.
func asciiReplacements() map[string]string {
	return map[string]string{
		"›▸→❯":      ">",
		"←":         "<",
		"↑":         "^",
		"↓":         "v",
		"·":         ".",
		"◦○":        "o",
		"•":         "*",
		"█":         "#",
		"✗×":        "x",
		"✓":         "+",
		"…":         "~",
		"┼┬┴├┤┌┐└┘": "+",
		"⋮":         ":",
		"“”":        `"`,
		"‘’":        "'",
		"␡␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟": "^",
		// The spinner turns.
		"│▎▌":  "|",
		"⠋⠼⠇":  "|",
		"⠙⠴⠏":  "/",
		"─−–—": "-",
		"⠹⠦":   "-",
		"⠸⠧⏎":  `\`,
	}
}
