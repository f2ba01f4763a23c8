package markdown

import (
	"bytes"
	"strings"

	"agent/internal/tui/ink"
)

// openText draws a long open block incrementally, each line once: as code within a
// fence, otherwise as plain text.
type openText struct {
	st    *ink.Styles
	width int
	fence *fence // nil for plain text

	lines    []string // the complete lines, up to upTo
	upTo     int
	searched int // the offset up to which no line closes the fence

	part   []string // full drawn lines of the incomplete line, from upTo to partTo
	partTo int
}

// closed reports whether src has the end of the fence. It searches each line only
// once.
func (o *openText) closed(src []byte) bool {
	for line := range bytes.Lines(src[o.searched:]) {
		if o.fence.closedBy(line) {
			return true
		}
	}
	o.searched = len(src)
	return false
}

// draw returns the drawn lines of the block in src and of rest, which follows src
// and may still change. whole is the offset of the last, incomplete line.
func (o *openText) draw(src []byte, whole int, rest string) []string {
	if whole > o.upTo {
		o.lines = append(o.lines, o.drawWhole(src[o.upTo:whole])...)
		o.upTo = whole
		o.part, o.partTo = nil, whole
	}
	o.partTo = max(o.partTo, o.upTo)
	if lines := o.pieces(string(src[o.partTo:])); len(lines) > 1 && o.width > 1 {
		for _, line := range lines[:len(lines)-1] {
			o.part = append(o.part, ink.Draw(line))
			o.partTo += o.taken(line)
		}
	}
	out := append(o.lines[:len(o.lines):len(o.lines)], o.part...)
	end := string(src[o.partTo:]) + rest
	if len(o.part) == 0 && (end == "" || o.fence != nil && strings.Trim(end, " "+string(o.fence.mark)) == "") {
		return out // empty, or perhaps the end of the fence
	}
	return append(out, drawLines(o.pieces(end))...)
}

// drawWhole draws complete lines. It highlights code without the context before it.
func (o *openText) drawWhole(text []byte) []string {
	if o.fence == nil {
		return ink.Wrap(string(bytes.TrimSuffix(text, []byte("\n"))), o.width)
	}
	var code strings.Builder
	for line := range bytes.Lines(text) {
		code.Write(o.fence.strip(line))
	}
	return drawCode(o.st.Highlight(code.String(), o.fence.language), o.width)
}

// pieces breaks an incomplete line in the same way as drawWhole.
func (o *openText) pieces(text string) [][]ink.Span {
	if o.fence == nil {
		return ink.WrapSpans([]ink.Span{{Text: text}}, o.width)
	}
	return cutCode([]ink.Span{{Text: text}}, o.width)
}

// taken returns the number of bytes of the text in a line of pieces.
func (o *openText) taken(line []ink.Span) int {
	n := 0
	for _, sp := range line {
		n += len(sp.Text)
	}
	if o.fence != nil && o.width >= minWidth {
		n -= codeIndent
	}
	return n
}
