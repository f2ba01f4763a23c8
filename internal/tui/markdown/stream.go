package markdown

import (
	"bytes"
	"maps"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"

	"agent/internal/tui/ink"
)

// maxOpen is the size, in bytes, up to which a block that is still open is
// drawn as what it is. Beyond, it is drawn plain until it ends: drawing it
// again and again would cost more than it tells.
const maxOpen = 8 << 10

// maxOpenTable is the same for a table, which costs more.
const maxOpenTable = maxOpen / 2

// stream draws a text that grows, at one width.
type stream struct {
	st     *ink.Styles
	width  int
	parser parser.Parser
	blocks *blocks
	refs   []parser.Reference

	lines  []string // the first frozen of them are final
	frozen int
	from   int  // the text up to here is frozen
	seen   int  // the text up to here was searched for what has ended
	first  unit // what begins at from
	inList bool // first goes on with a list that began before
	again  int  // how long the text must be to be searched again
	open   *openText

	kept map[drawing][]string // what is frozen, for the final pass
}

func newStream(st *ink.Styles, width int) *stream {
	return &stream{
		st:     st,
		width:  width,
		parser: newParser(),
		blocks: newBlocks(st),
		kept:   map[drawing][]string{},
	}
}

// draw returns the lines of src, which has only grown since it was drawn last,
// and of rest, the line at its end as far as it is known.
func (s *stream) draw(src []byte, rest string) []string {
	whole := bytes.LastIndexByte(src, '\n') + 1
	if whole > s.seen {
		s.seen = whole
		s.advance(src[:whole])
	}
	s.lines = s.lines[:s.frozen]
	if s.open == nil {
		if s.drawOpen(src[s.from:whole:whole], string(src[whole:])+rest) {
			return s.lines
		}
		s.open = &openText{st: s.st, width: s.width, upTo: s.from}
	}
	if s.frozen > 0 && s.first.gap {
		s.lines = append(s.lines, "")
	}
	s.lines = append(s.lines, s.open.draw(src, whole, rest)...)
	return s.lines
}

// drawOpen draws what is open: whole lines and, after them, part of one. It
// reports whether it did, the text not being too long.
func (s *stream) drawOpen(open []byte, part string) bool {
	if len(open)+len(part) > maxOpen {
		return false
	}
	if onlyMarks(part) {
		part = ""
	}
	p := s.parse(append(open, part...))
	if mended := mend(part); mended != strings.TrimRight(part, " ") && endsInText(p) {
		p = s.parse(append(open, mended...))
	}
	if n := len(p.units); n > 0 && p.units[n-1].node.Kind() == extast.KindTable && len(p.src) > maxOpenTable {
		return false
	}
	s.blocks.begin(p)
	s.lines = s.blocks.add(s.lines, p.units, s.width)
	return true
}

// parse takes apart the text from s.from on.
func (s *stream) parse(src []byte) parsed {
	p := parse(s.parser, src, s.refs)
	if !s.inList || len(p.units) == 0 {
		return p
	}
	p.units[0].gap = s.first.gap
	list, skipped := p.units[0].node.Parent(), s.first.nth-p.units[0].nth
	for i := range p.units {
		if p.units[i].node.Parent() == list {
			p.units[i].nth += skipped
		}
	}
	return p
}

// advance freezes what has ended in src, which is whole lines.
func (s *stream) advance(src []byte) {
	switch {
	case s.open == nil:
	case s.open.fence != nil:
		if !s.open.closed(src) {
			return
		}
	case len(src) < s.again:
		return
	}
	s.open = nil
	p := s.parse(src[s.from:])
	s.refs = p.refs
	final := len(p.units)
	if final > 0 && !ended(p.units[final-1], p.src) {
		final--
	}
	if final > 0 {
		s.blocks.begin(p)
		s.lines = s.blocks.add(s.lines[:s.frozen], p.units[:final], s.width)
		s.frozen = len(s.lines)
		maps.Copy(s.kept, s.blocks.now)
	}
	if final == len(p.units) {
		s.from, s.first, s.inList = len(src), unit{gap: true}, false
		return
	}
	next := p.units[final]
	if final > 0 {
		before := p.units[final-1]
		s.inList = next.item() && before.item() && next.node.Parent() == before.node.Parent()
		s.first = next
		s.from += next.start
	} else if !s.inList {
		s.first = next
	}
	s.first.node = nil
	if next.node.Kind() == ast.KindFencedCodeBlock {
		f, code := openFence(src[s.from:])
		s.open = &openText{st: s.st, width: s.width, fence: &f, upTo: len(src) - len(code), searched: len(src)}
	}
	// Searching at every eighth more of it costs no more than eight times as
	// much in all, however long it gets.
	s.again = len(src) + (len(src)-s.from)/8
}

// onlyMarks says whether a line that is not whole yet had better wait: it may
// be just the marks with which one begins, and drawn now it would make the line
// before it a heading, or vanish. Rows of a table come whole.
func onlyMarks(line string) bool {
	line = strings.TrimLeft(line, " ")
	if strings.HasPrefix(line, "|") && len(line) < maxOpenTable {
		return true
	}
	number := strings.TrimLeft(line, "0123456789")
	return strings.Trim(line, "-=#*+_~`|>: ") == "" || len(line) <= 4 && strings.Trim(number, ".) ") == ""
}

// mend returns line, which is not whole yet, with code and bold text closed, so
// that the marks that open them need not be drawn until the others come.
func mend(line string) string {
	if strings.Count(line, "`")%2 == 1 {
		if open := strings.TrimRight(line, "`"); open != line {
			return open
		}
		return line + "`"
	}
	text := strings.TrimRight(line, "* ")
	bold := 0
	for i, s := range strings.Split(text, "`") {
		if i%2 == 0 {
			bold += strings.Count(s, "**")
		}
	}
	if bold%2 == 1 {
		return text + "**"
	}
	return text
}

// endsInText says whether the end of p is text, in which marks have a meaning.
func endsInText(p parsed) bool {
	if len(p.units) == 0 {
		return false
	}
	n := p.units[len(p.units)-1].node
	for n.LastChild() != nil && n.LastChild().Type() == ast.TypeBlock {
		n = n.LastChild()
	}
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
		return true
	}
	return false
}
