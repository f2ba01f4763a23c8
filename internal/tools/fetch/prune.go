package fetch

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxNodes is the maximum number of nodes of a page.
const maxNodes = 250_000

// prune removes boilerplate from a document, and simplifies elements that would
// produce too much text. It keeps at most room nodes and returns the remaining
// room; a negative result means that nodes were dropped.
func prune(root *html.Node, room int) int {
	var next *html.Node
	for n := root.FirstChild; n != nil; n = next {
		next = n.NextSibling
		if n.Type == html.CommentNode || n.Type == html.ElementNode && isBoilerplate(n) {
			root.RemoveChild(n)
			continue
		}
		if room--; room < 0 {
			root.RemoveChild(n)
			continue
		}
		if n.Type == html.ElementNode {
			simplify(n)
		}
		room = prune(n, room)
	}
	return room
}

// isBoilerplate reports whether an element is styling, navigation or script.
func isBoilerplate(n *html.Node) bool {
	switch n.Data {
	case "script", "style", "noscript", "template", "svg", "canvas", "iframe", "frame", "object", "embed", "audio", "video", "map",
		"nav", "dialog", "button", "select", "datalist", "input", "textarea":
		return true
	case "header", "footer":
		return !inside(n, "main", "article", "section", "blockquote")
	case "img":
		return strings.HasPrefix(strings.TrimSpace(attr(n, "src")), "data:")
	case "a":
		return strings.HasPrefix(attr(n, "href"), "#") && slices.Contains([]string{"", "#", "¶", "§", "🔗", "Link to this heading"}, visibleText(n))
	}
	switch attr(n, "role") {
	case "navigation", "banner", "contentinfo", "search", "dialog", "alertdialog":
		return true
	}
	return attr(n, "aria-hidden") == "true" || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" && a.Val != "until-found" })
}

// inside reports whether n is inside an element with one of the names.
func inside(n *html.Node, names ...string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if slices.Contains(names, p.Data) {
			return true
		}
	}
	return false
}

// The limits of structure. Every level indents all its lines, and a table is as
// wide as its widest row.
const (
	maxNested = 8
	maxCells  = 20_000
)

// simplify makes elements plain that would produce too much text, and links
// without a target.
func simplify(n *html.Node) {
	switch n.Data {
	case "a":
		href := strings.ToLower(strings.TrimSpace(attr(n, "href")))
		if strings.HasPrefix(href, "#") || strings.HasPrefix(href, "javascript:") || strings.HasPrefix(href, "data:") {
			makePlain(n, "span")
		}
	case "ul", "ol", "blockquote", "table":
		switch level := nestingLevel(n); {
		case level > maxNested || n.Data == "table" && cellCount(n) > maxCells:
			makePlain(n, "div")
		case n.Data == "table" && !inside(n, "table"):
			escapeBars(n)
		}
	}
}

// escapeBars escapes the bars in the text of a table.
func escapeBars(n *html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			d.Data = strings.ReplaceAll(d.Data, "|", `\|`)
		}
	}
}

// makePlain turns n into a plain element.
func makePlain(n *html.Node, name string) { n.Data, n.DataAtom, n.Attr = name, 0, nil }

// nestingLevel counts the lists, quotations and tables around n.
func nestingLevel(n *html.Node) int {
	level := 0
	for p := n.Parent; p != nil; p = p.Parent {
		if slices.Contains([]string{"ul", "ol", "blockquote", "table"}, p.Data) {
			level++
		}
	}
	return level
}

// cellCount returns the number of cells of the table n if all rows are as wide as
// the widest.
func cellCount(n *html.Node) int {
	rows, widest, width, spanned := 1, 0, 0, 0
	for d := range n.Descendants() {
		switch {
		case d.Type != html.ElementNode:
		case d.Data == "tr":
			rows, width = rows+1, 0
		case d.Data == "td" || d.Data == "th":
			across, down := span(d, "colspan"), span(d, "rowspan")
			width += across
			spanned += across * down
			widest = max(widest, width)
		}
	}
	return max(rows*widest, spanned)
}

// span returns the number of columns or rows of a cell.
func span(n *html.Node, key string) int {
	v, err := strconv.Atoi(strings.TrimSpace(attr(n, key)))
	if err != nil {
		return 1
	}
	return max(1, min(v, maxCells))
}
