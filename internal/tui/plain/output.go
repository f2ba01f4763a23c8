package plain

import (
	"fmt"
	"io"
	"strings"

	"agent/internal/tui/ink"
)

// output prints lines of text.
type output struct {
	w        io.Writer
	letters  ink.Letters
	prompted bool // the prompt for the next line is printed
}

// request prints the prompt for the next line.
func (o *output) request() {
	fmt.Fprint(o.w, "> ")
	o.prompted = true
}

// print prints a line.
func (o *output) print(line string) {
	o.endLine()
	fmt.Fprintln(o.w, strings.TrimRight(o.letters.Write(line), " "))
}

// block prints text with its speaker, which may be empty. Its other lines are
// indented, so that none looks like a line of the program.
func (o *output) block(who, text string) {
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i == 0 && who != "" {
			o.print(who + ": " + l)
		} else {
			o.print("  " + l)
		}
	}
}

// endLine ends the line that holds the prompt.
func (o *output) endLine() {
	if o.prompted {
		fmt.Fprintln(o.w)
		o.prompted = false
	}
}
