package markdown

import (
	"bytes"
	"net/url"
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"agent/internal/link"
	"agent/internal/tui/ink"
)

// Glamour treats the text of nodes as source: it resolves entities and backslashes,
// sometimes twice, and rewrites link targets. So it gets resolved and sanitized text
// with these placeholders for characters that it changes. Sanitize escapes them in other
// text. The tables of Lip Gloss break words at hyphens, and lose some of them.
const (
	standAmp       = "\ue001"
	standBackslash = "\ue002"
	standPercent   = "\ue003"
	standHash      = "\ue004"
	standHyphen    = "\ue006"
	// Glamour does not change targets with this prefix, which looks like a URL scheme.
	standTarget = "target:\ue005"
)

var (
	shield   = strings.NewReplacer("&", standAmp, `\`, standBackslash, "-", standHyphen)
	unshield = strings.NewReplacer(standAmp, "&", standBackslash, `\`, standPercent, "%", standHash, "#", standHyphen, "-", standTarget, "")
)

// inlines draws the inline content of blocks. It is not safe for concurrent use.
type inlines struct {
	src  []byte // the source, followed by resolved text
	refs int    // number of link definitions; more of them may turn text into links
	flow renderer.Renderer
}

// newRenderer returns a Glamour renderer with the styles of st. width limits tables;
// 0 means no limit.
func newRenderer(st *ink.Styles, width int) renderer.Renderer {
	return renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ansi.NewRenderer(ansi.Options{
		WordWrap:         width,
		PreserveNewLines: true,
		InlineTableLinks: true,
		Styles:           st.Markdown(),
	}), 1000)))
}

// lines returns the text of the paragraph or heading n, unwrapped.
func (in *inlines) lines(n ast.Node) [][]ink.Span {
	var block ast.Node = ast.NewParagraph()
	if h, ok := n.(*ast.Heading); ok {
		block = ast.NewHeading(h.Level)
	}
	in.adopt(block, n, false)
	return in.render(in.flow, block)
}

// render draws one block with r.
func (in *inlines) render(r renderer.Renderer, block ast.Node) [][]ink.Span {
	doc := ast.NewDocument()
	doc.AppendChild(doc, block)
	var out bytes.Buffer
	if err := r.Render(&out, in.src, doc); err != nil {
		return ink.Plain(ink.SanitizeLine(err.Error()))
	}
	lines := ink.Read(out.String())
	empty := func(line []ink.Span) bool { return ink.Draw(line) == "" }
	for len(lines) > 1 && empty(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 1 && empty(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		for i := range line {
			line[i].Text = unshield.Replace(line[i].Text)
			line[i].Link = clickable(line[i].Link)
		}
	}
	return lines
}

// clickable returns the URL of a link that Glamour made, or "" unless it is an HTTP
// URL of printable ASCII whose host cannot be misread. It rejects backslashes, which
// Sanitize may have written.
func clickable(drawn string) string {
	_, target, _ := strings.Cut(drawn, standTarget)
	target = unshield.Replace(target)
	for i := range len(target) {
		if target[i] <= ' ' || target[i] > '~' || target[i] == '\\' {
			return ""
		}
	}
	if u, err := url.Parse(target); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || link.Note(target) != "" {
		return ""
	}
	return target
}

// adopt converts the children of from for Glamour and appends them to to. In tables
// links become plain text, because Glamour would count the placeholder's width.
func (in *inlines) adopt(to, from ast.Node, table bool) {
	for c := from.FirstChild(); c != nil; {
		next := c.NextSibling()
		in.adoptNode(to, c, table)
		c = next
	}
}

func (in *inlines) adoptNode(to, c ast.Node, table bool) {
	switch c := c.(type) {
	case *ast.Text:
		in.addText(to, link.Annotate(resolve(c.Value(in.src))), c.HardLineBreak())
		if c.SoftLineBreak() && !c.HardLineBreak() {
			in.addText(to, " ", false)
		}
	case *ast.CodeSpan:
		span := ast.NewCodeSpan()
		in.addText(span, strings.ReplaceAll(in.rawText(c), "\n", " "), false)
		to.AppendChild(to, span)
	case *ast.RawHTML:
		raw := string(c.Segments.Value(in.src))
		if isBreak(raw) {
			in.addText(to, "", true)
			return
		}
		in.addText(to, strings.ReplaceAll(raw, "\n", " "), false)
	case *ast.Emphasis:
		em := ast.NewEmphasis(c.Level)
		in.adopt(em, c, table)
		to.AppendChild(to, em)
	case *extast.Strikethrough:
		s := extast.NewStrikethrough()
		in.adopt(s, c, table)
		to.AppendChild(to, s)
	case *ast.AutoLink:
		in.addAddress(to, string(c.URL(in.src)), string(c.Label(in.src)), table)
	case *ast.Link:
		in.addLink(to, c, table)
	case *ast.Image:
		in.addImage(to, c, table)
	case *extast.TaskCheckBox: // drawn with its item
	default:
		in.adopt(to, c, table)
	}
}

func (in *inlines) addLink(to ast.Node, c *ast.Link, table bool) {
	target := ink.SanitizeLine(resolve(c.Destination))
	switch {
	case in.rawText(c) == target:
		in.addAddress(to, target, target, table)
	case table:
		in.adopt(to, c, table)
		in.addText(to, " ("+target+")", false)
		in.addNote(to, target)
	default:
		node := ast.NewLink()
		node.Destination = shieldTarget(target)
		in.adopt(node, c, table)
		to.AppendChild(to, node)
		in.addNote(to, target)
	}
}

// addNote adds the host of a URL that a reader can misread.
func (in *inlines) addNote(to ast.Node, target string) {
	if note := link.Note(target); note != "" {
		in.addText(to, " "+note, false)
	}
}

func (in *inlines) addImage(to ast.Node, c *ast.Image, table bool) {
	alt, target := in.rawText(c), ink.SanitizeLine(resolve(c.Destination))
	if table {
		in.addText(to, "image: "+alt+" ("+target+")", false)
		in.addNote(to, target)
		return
	}
	node := ast.NewLink()
	node.Destination = shieldTarget(target)
	image := ast.NewImage(node)
	in.addText(image, alt, false)
	to.AppendChild(to, image)
	in.addNote(to, target)
}

// addAddress adds a link whose text is its URL. Glamour draws email autolinks
// unchanged, so it uses one.
func (in *inlines) addAddress(to ast.Node, target, label string, table bool) {
	if table || strings.HasPrefix(target, "mailto:") || !strings.Contains(target, "://") {
		in.addText(to, label, false)
		in.addNote(to, target)
		return
	}
	address := ast.NewTextSegment(in.store(string(shieldTarget(target))))
	to.AppendChild(to, ast.NewAutoLink(ast.AutoLinkEmail, address))
	in.addNote(to, target)
}

// addText adds resolved text, with a hard line break if broken.
func (in *inlines) addText(to ast.Node, final string, broken bool) {
	n := ast.NewTextSegment(in.store(shield.Replace(final)))
	n.SetHardLineBreak(broken)
	to.AppendChild(to, n)
}

// source returns the source lines of the block n.
func (in *inlines) source(n ast.Node) string {
	lines := n.Lines()
	if lines.Len() == 1 {
		at := lines.At(0)
		return string(at.Value(in.src))
	}
	var b strings.Builder
	for i := range lines.Len() {
		at := lines.At(i)
		b.Write(at.Value(in.src))
	}
	return b.String()
}

// spaced reports whether a blank line precedes the block n. Goldmark does not record
// it for tables.
func (in *inlines) spaced(n ast.Node) bool {
	at := place(n, in.src)
	return n.HasBlankPreviousLines() || at > 0 && blankBefore(in.src, at)
}

// store appends text to the source, where nodes can refer to it.
func (in *inlines) store(s string) text.Segment {
	from := len(in.src)
	in.src = append(in.src, s...)
	return text.NewSegment(from, len(in.src))
}

// rawText returns the text in n without style.
func (in *inlines) rawText(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			if c.IsRaw() || n.Kind() == ast.KindCodeSpan {
				b.Write(c.Value(in.src))
			} else {
				b.WriteString(resolve(c.Value(in.src)))
			}
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(c.Label(in.src))
		default:
			b.WriteString(in.rawText(c))
		}
	}
	return b.String()
}

// shieldTarget protects the target of a link from changes by Glamour.
func shieldTarget(target string) []byte {
	target = shield.Replace(target)
	return []byte(standTarget + strings.NewReplacer("%", standPercent, "#", standHash).Replace(target))
}

func isBreak(tag string) bool {
	tag = strings.ToLower(strings.ReplaceAll(tag, " ", ""))
	return tag == "<br>" || tag == "<br/>"
}

// resolve resolves the backslash escapes and entities of source. It sanitizes the
// text of entities.
func resolve(source []byte) string {
	if !bytes.ContainsAny(source, `\&`) {
		return string(source)
	}
	var b strings.Builder
	for s := source; len(s) > 0; {
		if s[0] == '\\' && len(s) > 1 && util.IsPunct(s[1]) {
			b.WriteByte(s[1])
			s = s[2:]
			continue
		}
		if end := bytes.IndexByte(s, ';'); s[0] == '&' && end > 0 && end < maxEntity {
			entity := s[:end+1]
			if text := util.ResolveEntityNames(util.ResolveNumericReferences(entity)); !bytes.Equal(text, entity) {
				b.WriteString(ink.SanitizeLine(string(text)))
				s = s[end+1:]
				continue
			}
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// maxEntity exceeds the length of every entity.
const maxEntity = 40
