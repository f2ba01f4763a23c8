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

// markdown converts a page to Markdown, with its title first and absolute links.
// It omits styling, navigation and scripts. It reports whether the page was
// truncated.
func markdown(ctx context.Context, text string, from *url.URL) (md string, cut bool, err error) {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil { // nested too deeply
		return plainText(text), false, nil
	}
	title, domain := titleAndBase(doc, from)
	body := mainPart(doc)
	cut = prune(body, maxNodes) < 0
	b, err := newConverter().ConvertNode(body, converter.WithDomain(domain), converter.WithContext(ctx))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", false, fmt.Errorf("convert to Markdown: %w", err)
	}
	md = strings.TrimSpace(string(b)) + "\n"
	if title != "" {
		md = "Title: " + title + "\n\n" + md
	}
	return md, cut, nil
}

// newConverter returns the converter from HTML to Markdown.
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
		case c.Err() != nil: // canceled
		case n.Data == "td" || n.Data == "th":
			c.RenderChildNodes(c, w, n)
			_, _ = w.WriteRune(' ') // separates cells outside a table
		default:
			return converter.RenderTryNext
		}
		return converter.RenderSuccess
	}, converter.PriorityEarly)
	keepAngleBrackets(conv)
	return conv
}

// keepAngleBrackets keeps < and > in text from being written as entities.
func keepAngleBrackets(conv *converter.Converter) {
	const less, more = "\uf8f0", "\uf8f1" // private use characters
	hide, show := strings.NewReplacer("<", less, ">", more), strings.NewReplacer(less, "<", more, ">")
	conv.Register.TextTransformer(func(_ converter.Context, s string) string { return hide.Replace(s) }, converter.PriorityEarly)
	conv.Register.PostRenderer(func(_ converter.Context, b []byte) []byte { return []byte(show.Replace(string(b))) }, converter.PriorityLate)
}

// titleAndBase returns the title of a document and the base URL of its links.
func titleAndBase(doc *html.Node, from *url.URL) (title, domain string) {
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

// minMainText is the minimum text of a main part in bytes.
const minMainText = 200

// mainPart returns the main element of a document if it has enough text,
// otherwise the document.
func mainPart(doc *html.Node) *html.Node {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "main" || attr(n, "role") == "main") && len(visibleText(n)) >= minMainText {
			root := &html.Node{Type: html.DocumentNode}
			n.Parent.RemoveChild(n)
			root.AppendChild(n)
			return root
		}
	}
	return doc
}

// visibleText returns the text below n without scripts and styles.
func visibleText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" {
			b.WriteString(strings.TrimSpace(d.Data))
		}
	}
	return b.String()
}

// plainText returns the text of a page without tags.
func plainText(text string) string {
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

// attr returns an attribute of n, or "".
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}
