package manual

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
	"agent/internal/tui/screen"
)

// page is a topic, drawn at a width. The Link of a span in links is an index.
type page struct {
	lines [][]ink.Span
	links []link
}

// link is a link to a topic.
type link struct {
	target string // "undo.md#git"
	label  string // its text, without spaces
	line   int    // where it begins
}

// topicLink matches a link to a topic.
var topicLink = regexp.MustCompile(`\[([^\[\]]*)\]\(([a-z]+\.md(?:#[a-z0-9-]*)?)\)`)

// fileLink matches a link to a file. If it is not a topic, the link leads nowhere here.
var fileLink = regexp.MustCompile(`\[([^\[\]]*)\]\([a-zA-Z./_-]+(?:#[a-z0-9-]*)?\)`)

// drawPage draws a topic. Topics strike no text out, so while Markdown is drawn, text that is
// struck out marks the links.
func drawPage(st *ink.Styles, m screen.Manual, text string, width int) (p page) {
	var left []link // not drawn yet
	text = topicLink.ReplaceAllStringFunc(text, func(s string) string {
		parts := topicLink.FindStringSubmatch(s)
		if _, ok := m.Find(parts[2]); !ok {
			return parts[1]
		}
		label := strings.Join(strings.Fields(strings.ReplaceAll(parts[1], "`", "")), " ")
		left = append(left, link{target: parts[2], label: withoutSpaces(label)})
		return "~~" + label + "~~"
	})
	md := markdown.New(st)
	md.SetText(fileLink.ReplaceAllString(text, "$1"))
	md.Finish()
	read := "" // the part of the label of left[0] that is drawn
	for y, line := range md.Lines(width) {
		spans := ink.Read(line)[0]
		p.lines = append(p.lines, spans)
		for i, sp := range spans {
			pen, marks := unstruck(sp.Pen)
			if !marks || len(left) == 0 {
				continue
			}
			if read == "" {
				left[0].line = y
				p.links = append(p.links, left[0])
			}
			spans[i].Pen, spans[i].Link = pen, strconv.Itoa(len(p.links)-1)
			if read += withoutSpaces(sp.Text); len(read) >= len(left[0].label) {
				left, read = left[1:], ""
			}
		}
	}
	return p
}

func withoutSpaces(s string) string { return strings.Join(strings.Fields(s), "") }

// unstruck returns a pen that does not strike text out. It reports whether pen did.
func unstruck(pen ink.Pen) (ink.Pen, bool) {
	const strike = "9"
	params := strings.Split(string(pen), ";")
	i := slices.Index(params, strike)
	if i < 0 {
		return pen, false
	}
	return ink.Pen(strings.Join(slices.Delete(params, i, i+1), ";")), true
}

// line draws a line of the page. The link with the index marked is shown as chosen.
func (p page) line(st *ink.Styles, y, marked int) string {
	const underlined, reversed = "4", "7"
	spans := slices.Clone(p.lines[y])
	for i, sp := range spans {
		if at := p.linkOf(sp); at >= 0 {
			spans[i].Link, spans[i].Pen = "", st.Pens.Name.And(underlined)
			if at == marked {
				spans[i].Pen = st.Pens.Name.And(reversed)
			}
		}
	}
	return ink.Draw(spans)
}

// linkOf returns the index of the link that a span is in, -1 for none.
func (p page) linkOf(sp ink.Span) int {
	if at, err := strconv.Atoi(sp.Link); err == nil && at < len(p.links) {
		return at
	}
	return -1
}

// linkAt returns the index of the link at a column of a line, -1 for none.
func (p page) linkAt(x, y int) int {
	if x < 0 || y >= len(p.lines) {
		return -1
	}
	column := 0
	for _, sp := range p.lines[y] {
		if column += ansi.StringWidth(sp.Text); x < column {
			return p.linkOf(sp)
		}
	}
	return -1
}

// find returns the line of the page where a passage is drawn: the first line with its words, or
// with its heading, near the end of the text before it.
func (p page) find(st *ink.Styles, m screen.Manual, at screen.Passage, width int) int {
	if at.Line == 0 {
		return 0
	}
	before := strings.SplitAfter(m.Text(at.Topic), "\n")[:at.Line-1]
	y := min(len(drawPage(st, m, strings.Join(before, ""), width).lines), len(p.lines)-1)
	text := at.Words
	if text == "" {
		text = at.Heading
	}
	const near = 12 // lines; the columns of a table depend on the rows that follow
	for q, i := ink.NewQuery(text), max(y-2, 0); i < min(y+near, len(p.lines)); i++ {
		if q.InLine(ink.Draw(p.lines[i])) {
			return i
		}
	}
	return y
}
