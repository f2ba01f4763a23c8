package markdown

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newParser returns a parser for the Markdown that models write.
func newParser() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i, b := range blocks {
		p := b.Value.(parser.BlockParser)
		blocks[i].Value = placing{p, p == parser.NewListParser() || p == parser.NewBlockquoteParser()}
	}
	md := goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
			parser.WithParagraphTransformers(util.Prioritized(narrowTables{extension.NewTableParagraphTransformer()}, 200)),
			parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
		)),
		goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList),
	)
	return md.Parser()
}

const (
	// maxDepth limits the nesting of quotes and lists, because the cost of a line
	// grows with its depth. Deeper blocks are text.
	maxDepth = 16
	// maxColumns limits the columns of a table, because every row gets all of them.
	maxColumns = 64
)

// tooDeep reports whether no further quote or list may begin in parent.
func tooDeep(parent ast.Node) bool {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		if k := n.Kind(); k == ast.KindBlockquote || k == ast.KindList {
			depth++
		}
	}
	return depth >= maxDepth
}

// narrowTables turns paragraphs into tables unless they have too many columns.
type narrowTables struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (t narrowTables) Transform(n *ast.Paragraph, reader text.Reader, pc parser.Context) {
	for i := range min(n.Lines().Len(), 2) {
		line := n.Lines().At(i)
		if bytes.Count(line.Value(reader.Source()), []byte("|")) > maxColumns {
			return
		}
	}
	t.ParagraphTransformer.Transform(n, reader, pc)
}

// placing records the start of each block, which goldmark does not, and limits the
// nesting.
type placing struct {
	parser.BlockParser
	nests bool // parses lists or quotes
}

const placeKey = "place"

func (p placing) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, at := reader.PeekLine()
	if p.nests && tooDeep(parent) {
		return nil, parser.NoChildren
	}
	n, state := p.BlockParser.Open(parent, reader, pc)
	if n != nil {
		n.SetAttributeString(placeKey, at.Start)
	}
	return n, state
}

// place returns the offset of the line in src on which n begins, or -1.
func place(n ast.Node, src []byte) int {
	at := -1
	if v, ok := n.AttributeString(placeKey); ok {
		at = v.(int)
	}
	if table, ok := n.(interface{ FirstChild() ast.Node }); ok && at < 0 && table.FirstChild() != nil {
		if cell := table.FirstChild().FirstChild(); cell != nil && cell.Type() == ast.TypeBlock && cell.Lines().Len() > 0 {
			at = cell.Lines().At(0).Start
		}
	}
	// For a setext heading the recorded start is its underline.
	if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 && (at < 0 || n.Lines().At(0).Start < at) {
		at = n.Lines().At(0).Start
	}
	if at < 0 {
		return at
	}
	return bytes.LastIndexByte(src[:at], '\n') + 1
}

// unit is the smallest part of a text that is drawn separately and final once it has
// ended: a top-level block, or an item of a list.
type unit struct {
	node  ast.Node
	start int  // in the source
	gap   bool // a blank line precedes it
	nth   int  // the number of an item of a numbered list
}

// item reports whether u is an item of a list.
func (u unit) item() bool { return u.node.Kind() == ast.KindListItem }

// parsed is a parsed text.
type parsed struct {
	src   []byte
	units []unit
	refs  []parser.Reference
}

// parse parses src with the additional link definitions refs.
func parse(p parser.Parser, src []byte, refs []parser.Reference) parsed {
	pc := parser.NewContext()
	for _, r := range refs {
		pc.AddReference(r)
	}
	doc := p.Parse(text.NewReader(src), parser.WithContext(pc))
	out := parsed{src: src}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		list, ok := n.(*ast.List)
		if !ok {
			// A paragraph with only link definitions is left without a place.
			if at := place(n, src); at >= 0 {
				out.units = append(out.units, unit{node: n, start: at, gap: true})
			}
			continue
		}
		nth := list.Start
		for item := list.FirstChild(); item != nil; item = item.NextSibling() {
			at := place(item, src)
			gap := item == list.FirstChild() || blankBefore(src, at)
			out.units = append(out.units, unit{node: item, start: at, gap: gap, nth: nth})
			nth++
		}
	}
	out.refs = pc.References()
	return out
}

// blankBefore reports whether the line before the one that starts at at is blank.
func blankBefore(src []byte, at int) bool {
	before := bytes.TrimSuffix(src[:at], []byte("\n"))
	return util.IsBlank(before[bytes.LastIndexByte(before, '\n')+1:])
}

// ended reports whether no further text can change u, the last unit of src. It may
// return false for a complete unit.
func ended(u unit, src []byte) bool {
	blank := bytes.HasSuffix(src, []byte("\n")) && blankBefore(src, len(src))
	switch u.node.Kind() {
	case ast.KindHeading, ast.KindThematicBreak:
		return true
	case ast.KindFencedCodeBlock:
		f, rest := openFence(src[u.start:])
		for line := range bytes.Lines(rest) {
			if f.closedBy(line) {
				return true
			}
		}
		return false
	case ast.KindParagraph, ast.KindBlockquote:
		return blank
	}
	return blank && u.node.FirstChild() != nil && u.node.FirstChild().Type() == ast.TypeBlock && !u.item() // a table
}

// fence is the line that opens a block of code.
type fence struct {
	mark     byte // '`' or '~'
	length   int
	indent   int // removed from the lines of code
	language string
}

// openFence parses the fence at the start of src and returns the text after it.
func openFence(src []byte) (fence, []byte) {
	line, rest, _ := bytes.Cut(src, []byte("\n"))
	body := bytes.TrimLeft(line, " ")
	f := fence{indent: len(line) - len(body)}
	if len(body) > 0 {
		f.mark = body[0]
	}
	info := bytes.TrimLeft(body, string(f.mark))
	f.length = len(body) - len(info)
	if words := bytes.Fields(info); len(words) > 0 {
		f.language = string(words[0])
	}
	return f, rest
}

// closedBy reports whether line closes the code block that f opened.
func (f fence) closedBy(line []byte) bool {
	line = bytes.TrimRight(line, " \n")
	body := bytes.TrimLeft(line, " ")
	return len(line)-len(body) <= 3 && len(body) >= f.length && len(bytes.TrimLeft(body, string(f.mark))) == 0
}

// strip removes the indentation of f from a line of code.
func (f fence) strip(line []byte) []byte {
	for range f.indent {
		line = bytes.TrimPrefix(line, []byte(" "))
	}
	return line
}

// CodeBlocks returns the source of the code blocks in a Markdown text. If the text is
// too long to be parsed, it finds only those between unindented fences.
func CodeBlocks(markdown string) []string {
	src := []byte(markdown)
	if len(src) > maxParsed {
		return fenced(src)
	}
	var out []string
	_ = ast.Walk(newParser().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && slices.Contains([]ast.NodeKind{ast.KindCodeBlock, ast.KindFencedCodeBlock}, n.Kind()) {
			out = append(out, string(n.Lines().Value(src)))
		}
		return ast.WalkContinue, nil
	})
	return out
}

// maxParsed is the maximum size in bytes of a text that CodeBlocks parses.
const maxParsed = 128 << 10

// fenced returns the code between unindented fences.
func fenced(src []byte) []string {
	var out []string
	var open fence
	from := -1
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := src[at:end]
		switch {
		case from >= 0 && open.closedBy(line):
			out = append(out, string(src[from:at]))
			from = -1
		case from < 0 && (bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))):
			open, _ = openFence(line)
			from = end
		}
		at = end
	}
	if from >= 0 {
		out = append(out, string(src[from:]))
	}
	return out
}
