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

// maxOpen is the maximum size in bytes of an open block that is drawn as Markdown. A
// longer one is drawn as plain text until it ends, because each piece would draw all
// of it again.
const maxOpen = 8 << 10

// maxOpenTable is maxOpen for tables, which are slower to draw.
const maxOpenTable = maxOpen / 2

// stream draws a growing text at one width.
type stream struct {
	st     *ink.Styles
	width  int
	parser parser.Parser
	blocks *blocks
	refs   []parser.Reference

	lines  []string // the first frozen of them are final
	frozen int
	from   int  // offset up to which the text is frozen
	seen   int  // offset up to which the text was searched for complete units
	first  unit // the unit that starts at from
	inList bool // first continues a list that started before from
	again  int  // length of the text at which it is searched again
	open   *openText

	kept map[drawing][]string // frozen leaves, for the final drawing
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

// draw returns the drawn lines of src, which may only grow between calls, and of
// rest, the incomplete last line.
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

// drawOpen draws the open text: complete lines followed by a partial one. It returns
// false if the text is too long.
func (s *stream) drawOpen(open []byte, part string) bool {
	if len(open)+len(part) > maxOpen {
		return false
	}
	if onlyMarks(part) {
		part = ""
	}
	p := s.parse(append(open, part...))
	if closed := closeMarks(part); closed != strings.TrimRight(part, " ") && endsInText(p) {
		p = s.parse(append(open, closed...))
	}
	if n := len(p.units); n > 0 && p.units[n-1].node.Kind() == extast.KindTable && len(p.src) > maxOpenTable {
		return false
	}
	s.blocks.begin(p)
	s.lines = s.blocks.add(s.lines, p.units, s.width)
	return true
}

// parse parses the text from s.from on.
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

// advance freezes the complete units of src, which ends with a complete line.
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
	// Searching again only after growth by an eighth keeps the total cost linear.
	s.again = len(src) + (len(src)-s.from)/8
}

// onlyMarks reports whether an incomplete line should not be drawn yet: it has only
// marks, which could turn the line before it into a heading or vanish, or it is a
// row of a table.
func onlyMarks(line string) bool {
	line = strings.TrimLeft(line, " ")
	if strings.HasPrefix(line, "|") && len(line) < maxOpenTable {
		return true
	}
	number := strings.TrimLeft(line, "0123456789")
	return strings.Trim(line, "-=#*+_~`|>: ") == "" || len(line) <= 4 && strings.Trim(number, ".) ") == ""
}

// closeMarks returns an incomplete line with inline code and bold text closed, so
// that their opening marks are not drawn.
func closeMarks(line string) string {
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

// endsInText reports whether p ends with inline text, where marks have a meaning.
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
