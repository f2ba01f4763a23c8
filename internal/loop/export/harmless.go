package export

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// harmless returns Markdown that says the same, without markup of HTML in it,
// and that leaves nothing open behind it: what follows is not drawn into it.
// With breaks, lines end where they end.
func harmless(source string, breaks bool) string {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	source = clean(source)
	if heavy(source) {
		return fence("text", source)
	}
	const tries = 8 // what was HTML may be Markdown without it, and hold more
	for range tries {
		safe := withoutMarkup(md, source)
		if safe == source {
			break
		}
		source = safe
	}
	if withoutMarkup(md, source) != source {
		return fence("text", source)
	}
	if breaks {
		source = withBreaks(md, source)
	}
	return closed(md, source)
}

// What is longer stays plain: reading Markdown takes time that grows with the
// square of a paragraph's length, when it is made for that.
const (
	maxProse     = 256 << 10
	maxParagraph = 16 << 10
)

// heavy reports whether source is not to be read as Markdown.
func heavy(source string) bool {
	if len(source) > maxProse {
		return true
	}
	length := 0
	for line := range strings.Lines(source) {
		if length += len(line); strings.TrimSpace(line) == "" {
			length = 0
		}
		if length > maxParagraph {
			return true
		}
	}
	return false
}

// insertion is text to put into a source.
type insertion struct {
	at, skip int // skip bytes of the source at at are left out
	text     string
}

// withoutMarkup makes the tags in source visible text.
func withoutMarkup(md goldmark.Markdown, source string) string {
	var found []insertion
	escape := func(s text.Segment) {
		for i := s.Start; i < s.Stop; i++ {
			if source[i] == '<' {
				found = append(found, insertion{at: i, skip: 1, text: "&lt;"})
			}
		}
	}
	walkSource(md, source, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.RawHTML:
			for _, s := range n.Segments.Sliced(0, n.Segments.Len()) {
				escape(s)
			}
		case *ast.HTMLBlock:
			for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
				escape(s)
			}
			if n.HasClosure() {
				escape(n.ClosureLine)
			}
		}
	})
	return insert(source, found)
}

// withBreaks makes each line of a paragraph end where it ends.
func withBreaks(md goldmark.Markdown, source string) string {
	var found []insertion
	walkSource(md, source, func(n ast.Node) {
		if t, ok := n.(*ast.Text); ok && t.SoftLineBreak() {
			found = append(found, insertion{at: t.Segment.Stop, text: "  "})
		}
	})
	return insert(source, found)
}

func walkSource(md goldmark.Markdown, source string, visit func(ast.Node)) {
	doc := md.Parser().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

func insert(source string, found []insertion) string {
	slices.SortFunc(found, func(a, b insertion) int { return a.at - b.at })
	var b strings.Builder
	from := 0
	for _, f := range found {
		if f.at < from {
			continue // found twice
		}
		b.WriteString(source[from:f.at])
		b.WriteString(f.text)
		from = f.at + f.skip
	}
	b.WriteString(source[from:])
	return b.String()
}

// closed returns source with the end of the fence that it leaves open, if it
// does.
func closed(md goldmark.Markdown, source string) string {
	if !open(md, source) {
		return source
	}
	for _, c := range []byte("`~") {
		end := source + "\n" + strings.Repeat(string(c), max(3, longestRun(source, c)))
		if !open(md, end) {
			return end
		}
	}
	return fence("text", source)
}

// open reports whether a paragraph after source would not be one.
func open(md goldmark.Markdown, source string) bool {
	const after = "after"
	all := []byte(source + "\n\n" + after + "\n")
	last := md.Parser().Parse(text.NewReader(all)).LastChild()
	p, ok := last.(*ast.Paragraph)
	return !ok || string(bytes.TrimSpace(p.Lines().Value(all))) != after
}

// fence returns text as a block of code that nothing in it ends.
func fence(language, text string) string {
	ticks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return ticks + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + ticks + "\n"
}

// codeSpan returns text, on one line, as code within a line.
func codeSpan(text string) string {
	text = strings.ReplaceAll(clean(text), "\n", " ")
	ticks := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

func longestRun(s string, c byte) int {
	longest := 0
	for run := range strings.FieldsFuncSeq(s, func(r rune) bool { return r != rune(c) }) {
		longest = max(longest, len(run))
	}
	return longest
}

// literal returns text, on one line, that Markdown takes for nothing but text
// where something stands before it.
func literal(line string) string {
	var b strings.Builder
	for _, r := range line {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]~|$@#", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// entities returns text as HTML says it.
func entities(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;").Replace(s)
}
