package export

import (
	"bytes"
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// sanitizeMarkdown returns Markdown with the same text, in which HTML is escaped and
// every code fence is closed, so that it does not affect the text after it. If breaks
// is set, it keeps the line breaks of paragraphs.
func sanitizeMarkdown(source string, breaks bool) string {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	source = clean(source)
	if tooExpensive(source) {
		return fence("text", source)
	}
	const tries = 8 // escaped HTML may turn text after it into more HTML
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

// Longer text is not parsed as Markdown: malicious text takes time quadratic in the
// length of a paragraph. Sizes are in bytes.
const (
	maxProse     = 256 << 10
	maxParagraph = 16 << 10
)

// tooExpensive reports whether source is too long to be parsed as Markdown.
func tooExpensive(source string) bool {
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

// insertion is text to insert into a source.
type insertion struct {
	at, skip int // at offset at, in place of skip bytes
	text     string
}

// withoutMarkup escapes the HTML tags in source, and references to hidden characters.
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
		case *ast.Text:
			if _, code := n.Parent().(*ast.CodeSpan); code {
				return
			}
			for i := n.Segment.Start; i < n.Segment.Stop; i++ {
				if source[i] == '&' && hiddenReference(source[i:n.Segment.Stop]) {
					found = append(found, insertion{at: i, skip: 1, text: "&amp;"})
				}
			}
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

// hiddenReference reports whether text begins with a reference to a character that
// clean escapes.
func hiddenReference(text string) bool {
	reference, _, ok := strings.Cut(text[:min(len(text), 40)], ";")
	character := html.UnescapeString(reference + ";")
	return ok && clean(character) != character
}

// withBreaks turns the soft line breaks of paragraphs into hard ones.
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

// closed returns source with its last code fence closed.
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

// open reports whether a paragraph after source would become part of source.
func open(md goldmark.Markdown, source string) bool {
	const after = "after"
	all := []byte(source + "\n\n" + after + "\n")
	last := md.Parser().Parse(text.NewReader(all)).LastChild()
	p, ok := last.(*ast.Paragraph)
	return !ok || string(bytes.TrimSpace(p.Lines().Value(all))) != after
}

// fence returns text as a fenced code block.
func fence(language, text string) string {
	ticks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return ticks + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + ticks + "\n"
}

// codeSpan returns text as an inline code span, on one line.
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

// literal escapes line so that Markdown shows it as text, unless it begins a line.
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

// entities escapes text for HTML.
func entities(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;").Replace(s)
}
