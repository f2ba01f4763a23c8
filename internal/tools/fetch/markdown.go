package fetch

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// markdown returns what a page says, with its title first and its links made
// absolute. What is there for looks, for finding one's way about the site or
// for programs is left out. It reports whether the end of the page had to be
// left out too.
func markdown(ctx context.Context, text string, from *url.URL) (md string, cut bool, err error) {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil { // it nests too deeply to have been meant
		return plain(text), false, nil
	}
	title, domain := head(doc, from)
	body := subject(doc)
	cut = prune(body, maxNodes) < 0
	b, err := newConverter().ConvertNode(body, converter.WithDomain(domain), converter.WithContext(ctx))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", false, fmt.Errorf("make it markdown: %w", err)
	}
	md = strings.TrimSpace(string(b)) + "\n"
	if title != "" {
		md = "Title: " + title + "\n\n" + md
	}
	return md, cut, nil
}

// newConverter returns what makes markdown of a document, until the context of
// the conversion ends.
func newConverter() *converter.Converter {
	conv := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(
			base.NewBasePlugin(),
			commonmark.NewCommonmarkPlugin(
				commonmark.WithLinkEmptyContentBehavior(commonmark.LinkBehaviorSkip),
				commonmark.WithListEndComment(false),
			),
			table.NewTablePlugin(
				table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
				table.WithHeaderPromotion(true),
				table.WithSkipEmptyRows(true),
			),
		),
	)
	conv.Register.Renderer(func(c converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		switch {
		case c.Err() != nil: // nobody waits for the rest
		case n.Data == "td" || n.Data == "th":
			c.RenderChildNodes(c, w, n)
			_, _ = w.WriteRune(' ') // between the cells of a table that cannot be one
		default:
			return converter.RenderTryNext
		}
		return converter.RenderSuccess
	}, converter.PriorityEarly)
	keepAngles(conv)
	return conv
}

// keepAngles keeps < and > in prose from becoming entities: what reads this is
// no browser.
func keepAngles(conv *converter.Converter) {
	const less, more = "\uf8f0", "\uf8f1" // of nobody's alphabet
	hide, show := strings.NewReplacer("<", less, ">", more), strings.NewReplacer(less, "<", more, ">")
	conv.Register.TextTransformer(func(_ converter.Context, s string) string { return hide.Replace(s) }, converter.PriorityEarly)
	conv.Register.PostRenderer(func(_ converter.Context, b []byte) []byte { return []byte(show.Replace(string(b))) }, converter.PriorityLate)
}

// head returns the title of a document and what its links are relative to.
func head(doc *html.Node, from *url.URL) (title, domain string) {
	domain = from.String()
	for n := range doc.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "title" && title == "" && n.FirstChild != nil && n.Namespace == "":
			title = strings.Join(strings.Fields(n.FirstChild.Data), " ")
		case n.Data == "base":
			if u, err := from.Parse(attr(n, "href")); err == nil {
				domain = u.String()
			}
		case n.Data == "body":
			return title, domain
		}
	}
	return title, domain
}

// enough is how many bytes of text make the main part of a page all of it.
const enough = 200

// subject returns the part of a document that is what it is about: the main
// part where one is marked and holds something, else all of it.
func subject(doc *html.Node) *html.Node {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "main" || attr(n, "role") == "main") && len(words(n)) >= enough {
			root := &html.Node{Type: html.DocumentNode}
			n.Parent.RemoveChild(n)
			root.AppendChild(n)
			return root
		}
	}
	return doc
}

// words is the text below n, but for that of programs.
func words(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" {
			b.WriteString(strings.TrimSpace(d.Data))
		}
	}
	return b.String()
}

// plain is the text of a page without its tags.
func plain(text string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	hidden := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String()) + "\n"
		case html.StartTagToken:
			name, _ := z.TagName()
			hidden = string(name) == "script" || string(name) == "style"
		case html.EndTagToken:
			hidden = false
		case html.TextToken:
			if !hidden {
				b.Write(z.Text())
			}
		}
	}
}

// attr returns an attribute of n.
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}
