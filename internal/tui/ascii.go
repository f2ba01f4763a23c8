package tui

import "strings"

// letters writes what the program draws with the letters that a terminal has.
// The zero letters write it as it is.
type letters struct{ in *strings.Replacer }

// write returns s with a stand-in for every mark that the terminal does not
// have. Each takes the columns of its mark, so nothing moves. Other text stays
// as it is: what the terminal makes of it is the best that can be shown.
func (l letters) write(s string) string {
	if l.in == nil {
		return s
	}
	return l.in.Replace(s)
}

// newLetters returns letters for a terminal that shows ASCII alone.
func newLetters() letters {
	var pairs []string
	for marks, standIn := range standIns() {
		for _, r := range marks {
			pairs = append(pairs, string(r), standIn)
		}
	}
	return letters{strings.NewReplacer(append([]string{" · ", " | "}, pairs...)...)}
}

// standIns is the one table of the marks that the program draws with, and the
// letter that stands for each where there is but ASCII.
func standIns() map[string]string {
	return map[string]string{
		"›▸→":       ">",
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
