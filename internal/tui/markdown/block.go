package markdown

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"agent/internal/tui/ink"
)

const (
	minWidth   = 8 // minimum width for further indentation
	ruleWidth  = 24
	codeIndent = 2
)

// blocks draws parsed Markdown. It lays out blocks and code itself and uses Glamour
// for inline text and tables. It caches the leaves of the last drawing, so that a
// block that grows is not drawn completely again.
type blocks struct {
	st  *ink.Styles
	in  inlines
	old map[drawing][]string // leaves of the previous drawing
	now map[drawing][]string // leaves of the current drawing
}

// drawing is the cache key of a leaf: everything that its look depends on.
type drawing struct {
	kind  ast.NodeKind
	level int
	width int
	refs  int
	text  string
}

func newBlocks(st *ink.Styles) *blocks {
	return &blocks{st: st, in: inlines{flow: newRenderer(st, 0)}}
}

// begin sets the text to draw.
func (b *blocks) begin(p parsed) {
	b.in.src = p.src[:len(p.src):len(p.src)]
	b.in.refs = len(p.refs)
	b.old, b.now = b.now, map[drawing][]string{}
}

// add draws units within width columns and appends them to lines.
func (b *blocks) add(lines []string, units []unit, width int) []string {
	for _, u := range units {
		var drawn []string
		if u.item() {
			drawn = b.item(u.node, u.nth, 0, width)
		} else {
			drawn = b.block(u.node, 0, width)
		}
		if len(lines) > 0 && len(drawn) > 0 && u.gap {
			lines = append(lines, "")
		}
		lines = append(lines, drawn...)
	}
	return lines
}

// block draws n, which is nested in depth lists.
func (b *blocks) block(n ast.Node, depth, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return b.leaf(n, n.Level, width)
	case *ast.ThematicBreak:
		return []string{ink.Draw([]ink.Span{{Text: strings.Repeat("─", min(width, ruleWidth)), Pen: b.st.Pens.Dim}})}
	case *ast.FencedCodeBlock:
		return b.code(n, string(n.Language(b.in.src)), width)
	case *ast.CodeBlock:
		return b.code(n, "", width)
	case *ast.HTMLBlock:
		return b.html(n, width)
	case *ast.Blockquote:
		if width < minWidth {
			return b.children(n, depth, width)
		}
		return prefixed(ink.Draw([]ink.Span{{Text: "│", Pen: b.st.Pens.Dim}})+" ", "", b.children(n, depth, width-2))
	case *ast.List:
		return b.list(n, depth, width)
	case *extast.Table:
		return b.table(n, width)
	}
	return b.leaf(n, 0, width)
}

// children draws the blocks in n, separated by blank lines unless n is an item of a
// tight list.
func (b *blocks) children(n ast.Node, depth, width int) []string {
	var out []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := b.block(c, depth, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && (n.Kind() != ast.KindListItem || b.in.spaced(c)) {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (b *blocks) list(n *ast.List, depth, width int) []string {
	var out []string
	nth := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil && b.in.spaced(c) {
			out = append(out, "")
		}
		out = append(out, b.item(c, nth, depth, width)...)
		nth++
	}
	return out
}

// item draws an item of a list with its marker. Further lines are indented to the
// text of the first one.
func (b *blocks) item(n ast.Node, nth, depth, width int) []string {
	marker := "• "
	if depth%2 == 1 {
		marker = "- "
	}
	if list, ok := n.Parent().(*ast.List); ok && list.IsOrdered() {
		marker = strconv.Itoa(nth) + ". "
	}
	if box := checkBox(n); box != nil {
		marker = "[ ] "
		if box.IsChecked {
			marker = "[x] "
		}
	}
	indent := len([]rune(marker))
	if width-indent < minWidth {
		lines := b.children(n, depth+1, max(width, 1))
		return append(ink.Wrap(strings.TrimSpace(marker), width), lines...)
	}
	lines := b.children(n, depth+1, width-indent)
	if len(lines) == 0 {
		return []string{strings.TrimSpace(marker)}
	}
	return prefixed(strings.Repeat(" ", indent), marker, lines)
}

// checkBox returns the task list checkbox of an item, if there is one.
func checkBox(item ast.Node) *extast.TaskCheckBox {
	if text := item.FirstChild(); text != nil {
		box, _ := text.FirstChild().(*extast.TaskCheckBox)
		return box
	}
	return nil
}

// prefixed prepends prefix to each line, but first, if not empty, to the first line.
func prefixed(prefix, first string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		p := prefix
		if i == 0 && first != "" {
			p = first
		}
		if line == "" {
			p = strings.TrimRight(p, " ")
		}
		out[i] = p + line
	}
	return out
}

// leaf draws a paragraph or a heading.
func (b *blocks) leaf(n ast.Node, level, width int) []string {
	return b.remember(n, drawing{level: level, width: width, refs: b.in.refs, text: b.in.source(n)}, func() []string {
		var out []string
		for _, line := range b.in.lines(n) {
			out = append(out, drawLines(ink.WrapSpans(line, width))...)
		}
		if len(out) == 1 && out[0] == "" {
			return nil
		}
		return out
	})
}

// code draws a block of code.
func (b *blocks) code(n ast.Node, language string, width int) []string {
	text := b.in.source(n)
	return b.remember(n, drawing{width: width, text: language + "\n" + text}, func() []string {
		return drawCode(b.st.Highlight(text, language), width)
	})
}

// drawCode draws lines of code, indented and wrapped.
func drawCode(lines [][]ink.Span, width int) []string {
	var out []string
	for _, line := range lines {
		out = append(out, drawLines(cutCode(line, width))...)
	}
	return out
}

// cutCode breaks a line of code into indented lines, or into unindented ones if width
// is too small.
func cutCode(line []ink.Span, width int) [][]ink.Span {
	if width < minWidth {
		return ink.CutSpans(line, width)
	}
	out := ink.CutSpans(line, width-codeIndent)
	for i := range out {
		out[i] = append([]ink.Span{{Text: strings.Repeat(" ", codeIndent)}}, out[i]...)
	}
	return out
}

// html draws the source of an HTML block.
func (b *blocks) html(n *ast.HTMLBlock, width int) []string {
	text := b.in.source(n)
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(b.in.src))
	}
	return ink.Wrap(strings.TrimRight(text, "\n "), width)
}

// remember returns the cached lines of a leaf, or draws it.
func (b *blocks) remember(n ast.Node, d drawing, draw func() []string) []string {
	d.kind = n.Kind()
	lines, ok := b.now[d]
	if !ok {
		if lines, ok = b.old[d]; !ok {
			lines = draw()
		}
		b.now[d] = lines
	}
	return lines
}

// widest returns the width of the widest line.
func widest(lines []string) int {
	w := 0
	for _, line := range lines {
		w = max(w, ansi.StringWidth(line))
	}
	return w
}
