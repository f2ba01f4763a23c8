package export

import (
	"bytes"
	"html/template"
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	weblink "agent/internal/link"
)

// prose converts Markdown to HTML. HTML in the source becomes text, links must have a
// web or mail address, images become links: the page fetches nothing.
type prose struct{ md goldmark.Markdown }

func newProse() *prose {
	return &prose{goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.Linkify, extension.TaskList,
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 1))),
	)}
}

// html returns Markdown as HTML.
func (p *prose) html(source string) template.HTML {
	source = clean(source)
	var b bytes.Buffer
	if tooExpensive(source) || p.md.Convert([]byte(source), &b) != nil {
		return template.HTML(`<p class="markup">` + template.HTMLEscapeString(source) + "</p>\n")
	}
	return template.HTML(clean(b.String())) // goldmark resolves character references
}

// nodes overrides the renderers of goldmark that are unsafe here.
type nodes struct{}

func (nodes) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindRawHTML, rawHTML)
	reg.Register(ast.KindHTMLBlock, htmlBlock)
	reg.Register(ast.KindLink, link)
	reg.Register(ast.KindAutoLink, autoLink)
	reg.Register(ast.KindImage, image)
	reg.Register(ast.KindHeading, heading)
	reg.Register(ast.KindFencedCodeBlock, codeBlock)
	reg.Register(ast.KindCodeBlock, codeBlock)
	reg.Register(extast.KindTable, table)
}

func rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		escape(w, n.(*ast.RawHTML).Segments.Value(source))
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.HTMLBlock)
	text := block.Lines().Value(source)
	if block.HasClosure() {
		text = append(bytes.Clone(text), block.ClosureLine.Value(source)...)
	}
	w.WriteString(`<p class="markup">`)
	escape(w, bytes.TrimRight(text, "\n"))
	w.WriteString("</p>\n")
	return ast.WalkContinue, nil
}

func link(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := n.(*ast.Link).Destination
	switch {
	case safe(to) && entering:
		openLink(w, to)
	case safe(to):
		w.WriteString("</a>")
		writeHost(w, to, textOf(source, n))
	case !entering && len(to) > 0:
		w.WriteString(` <span class="host">(`)
		escape(w, to)
		w.WriteString(")</span>")
	}
	return ast.WalkContinue, nil
}

// writeHost writes the host of a link, unless the text of the link shows it.
func writeHost(w util.BufWriter, to []byte, text string) {
	host, note := weblink.Host(string(to)), weblink.Note(string(to))
	shown := weblink.Host(text) == host || text == host || strings.HasPrefix(text, host+"/")
	switch {
	case note != "":
		w.WriteString(` <span class="host">`)
		escape(w, []byte(note))
		w.WriteString("</span>")
	case host != "" && !shown:
		w.WriteString(` <span class="host">(`)
		escape(w, []byte(host))
		w.WriteString(")</span>")
	}
}

// textOf returns the text in n without style.
func textOf(source []byte, n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(source))
		} else {
			b.WriteString(textOf(source, c))
		}
	}
	return b.String()
}

func autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	a := n.(*ast.AutoLink)
	to, label := a.URL(source), a.Label(source)
	if a.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(to), []byte("mailto:")) {
		to = append([]byte("mailto:"), to...)
	}
	if !safe(to) {
		escape(w, label)
		return ast.WalkContinue, nil
	}
	openLink(w, to)
	escape(w, label)
	w.WriteString("</a>")
	writeHost(w, to, string(label))
	return ast.WalkContinue, nil
}

// image renders an image as a link.
func image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := n.(*ast.Image).Destination
	switch {
	case entering && safe(to):
		openLink(w, to)
		w.WriteString("image: ")
	case entering:
		w.WriteString("image: ")
	case safe(to):
		w.WriteString("</a>")
		writeHost(w, to, "")
	}
	return ast.WalkContinue, nil
}

// heading renders a heading with a lower level than those of the page.
func heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	level := string("345666"[min(n.(*ast.Heading).Level, 6)-1])
	if entering {
		w.WriteString("<h" + level + ">")
	} else {
		w.WriteString("</h" + level + ">\n")
	}
	return ast.WalkContinue, nil
}

func codeBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if fenced, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(fenced.Language(source))
	}
	w.WriteString("<pre class=\"code\"><code>")
	w.WriteString(highlight(string(n.Lines().Value(source)), language))
	w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// table puts a table into a scrollable element.
func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<div class=\"scroll\"><table>\n")
	} else {
		w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// safe reports whether to is an allowed link destination.
func safe(to []byte) bool {
	u, err := url.Parse(string(to))
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	}
	return false
}

func openLink(w util.BufWriter, to []byte) {
	w.WriteString(`<a rel="noopener noreferrer nofollow" href="`)
	escape(w, util.URLEscape(to, true))
	w.WriteString(`">`)
}

func escape(w util.BufWriter, text []byte) { w.WriteString(template.HTMLEscapeString(string(text))) }
