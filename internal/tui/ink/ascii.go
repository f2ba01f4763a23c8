package ink

import "strings"

// Letters writes what the program draws with the letters that a terminal has.
// The zero Letters write it as it is.
type Letters struct{ in *strings.Replacer }

// Write returns s with a stand-in for every mark that the terminal does not
// have. Each takes the columns of its mark, so nothing moves. Other text stays
// as it is: what the terminal makes of it is the best that can be shown.
func (l Letters) Write(s string) string {
	if l.in == nil {
		return s
	}
	return l.in.Replace(s)
}

// newLetters returns letters for a terminal that shows ASCII alone.
func newLetters() Letters {
	var pairs []string
	for marks, standIn := range standIns() {
		for _, r := range marks {
			pairs = append(pairs, string(r), standIn)
		}
	}
	return Letters{strings.NewReplacer(append([]string{" · ", " | "}, pairs...)...)}
}

// standIns is the one table of the marks that the program draws with, and the
// letter that stands for each where there is but ASCII.
func standIns() map[string]string {
	return map[string]string{
		"›▸→❯":      ">",
		"←":         "<",
		"↑":         "^",
		"↓":         "v",
		"·":         ".",
		"◦○":        "o",
		"•":         "*",
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
