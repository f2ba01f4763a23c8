package plain

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"agent/internal/tui/diff"
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

// lineWidth is the maximum width of the lines of a question, so that terminals do not break
// them within words.
const lineWidth = 80

// paragraph prints text like block, in lines that are broken between words.
func (o *output) paragraph(who, text string) {
	o.block(who, strings.Join(ink.Wrap(text, lineWidth-len(who+"  ")), "\n"))
}

// options prints the rows that answer a question. They share lines as far as they fit. The
// other lines of a long row are indented, so that none looks like a row.
func (o *output) options(rows []string) {
	line := ""
	for _, row := range rows {
		row = strings.Join(ink.Wrap(row, lineWidth-len("    ")), "\n  ")
		if line != "" && (strings.Contains(line+row, "\n") || lipgloss.Width(line+"    "+row) > lineWidth) {
			o.block("", line)
			line = ""
		}
		if line != "" {
			line += "  "
		}
		line += row
	}
	o.block("", line)
}

// hunks prints the hunks of a unified diff.
func (o *output) hunks(unified string) { o.block("", ink.Sanitize(diff.HideMark(unified))) }

// endLine ends the line that holds the prompt.
func (o *output) endLine() {
	if o.prompted {
		fmt.Fprintln(o.w)
		o.prompted = false
	}
}
