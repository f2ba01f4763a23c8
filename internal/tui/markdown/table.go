package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"

	"agent/internal/tui/ink"
)

// minColumn is the minimum legible width of a column.
const minColumn = 8

// table draws a table at its natural width, wrapped to width, or as records if its
// columns would be too narrow.
func (b *blocks) table(n *extast.Table, width int) []string {
	return b.remember(n, drawing{width: width, refs: b.in.refs, text: b.in.rows(n)}, func() []string {
		t := b.in.adoptTable(n)
		lines := b.grid(b.in.flow, t)
		if widest(lines) <= width {
			return lines
		}
		if width >= minColumn*len(n.Alignments) {
			lines = b.grid(newRenderer(b.st, width+1), t)
			if widest(lines) <= width {
				return lines
			}
		}
		return b.records(t, width)
	})
}

// grid draws an adopted table with r, without its left margin.
func (b *blocks) grid(r renderer.Renderer, t *extast.Table) []string {
	lines := b.in.render(r, t)
	head := true
	for _, line := range lines {
		if len(line) > 0 {
			_, n := utf8.DecodeRuneInString(line[0].Text)
			line[0].Text = line[0].Text[n:]
		}
		head = head && !ruled(line)
		for i := range line {
			if head && strings.Trim(line[i].Text, " │") != "" {
				line[i].Pen = line[i].Pen.And(ink.PenBold)
			}
		}
	}
	return drawLines(lines)
}

// ruled reports whether a line of a table is the rule below its header.
func ruled(line []ink.Span) bool {
	for _, sp := range line {
		if strings.Trim(sp.Text, "─┼ ") != "" {
			return false
		}
	}
	return len(line) > 0
}

// records draws an adopted table as a list of records, with each cell on its own line
// after the name of its column.
func (b *blocks) records(t *extast.Table, width int) []string {
	var names []string
	for cell := t.FirstChild().FirstChild(); cell != nil; cell = cell.NextSibling() {
		names = append(names, unshield.Replace(b.in.rawText(cell)))
	}
	var out []string
	for row := t.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
		if len(out) > 0 {
			out = append(out, "")
		}
		nth := 0
		for cell := row.FirstChild(); cell != nil; nth++ {
			next := cell.NextSibling()
			text := ast.NewParagraph()
			moveChildren(text, cell)
			lines := b.in.render(b.in.flow, text)
			lines[0] = append([]ink.Span{{Text: names[nth] + ": ", Pen: ink.PenBold}}, lines[0]...)
			for _, line := range lines {
				out = append(out, drawLines(ink.WrapSpans(line, width))...)
			}
			cell = next
		}
	}
	return out
}

// adoptTable converts t for Glamour.
func (in *inlines) adoptTable(t *extast.Table) *extast.Table {
	out := extast.NewTable()
	out.Alignments = t.Alignments
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var to ast.Node = extast.NewTableRow(t.Alignments)
		if row.Kind() == extast.KindTableHeader {
			to = extast.NewTableHeader(extast.NewTableRow(t.Alignments))
		}
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			c := extast.NewTableCell()
			in.adopt(c, cell, true)
			to.AppendChild(to, c)
		}
		out.AppendChild(out, to)
	}
	return out
}

// rows returns the cells and alignments of a table, as a cache key.
func (in *inlines) rows(t *extast.Table) string {
	var s strings.Builder
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			s.WriteString(in.source(cell))
			s.WriteByte('|')
		}
		s.WriteByte('\n')
	}
	for _, a := range t.Alignments {
		s.WriteByte('0' + byte(a))
	}
	return s.String()
}

func moveChildren(to, from ast.Node) {
	for c := from.FirstChild(); c != nil; c = from.FirstChild() {
		to.AppendChild(to, c)
	}
}

// drawLines encodes each line.
func drawLines(lines [][]ink.Span) []string {
	var out []string
	for _, line := range lines {
		out = append(out, ink.Draw(line))
	}
	return out
}
