package fetch

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxNodes is how many elements and pieces of text a page may have: some pages
// are made to be large.
const maxNodes = 250_000

// prune takes out of a document what says nothing to a reader, and what would
// make much text of little. It keeps so many nodes, and returns how many more
// it could have kept: less than nothing if some had to go.
func prune(root *html.Node, room int) int {
	var next *html.Node
	for n := root.FirstChild; n != nil; n = next {
		next = n.NextSibling
		if n.Type == html.CommentNode || n.Type == html.ElementNode && noise(n) {
			root.RemoveChild(n)
			continue
		}
		if room--; room < 0 {
			root.RemoveChild(n)
			continue
		}
		if n.Type == html.ElementNode {
			tame(n)
		}
		room = prune(n, room)
	}
	return room
}

// noise reports whether an element is there for looks, for finding one's way
// about the site, or for programs.
func noise(n *html.Node) bool {
	switch n.Data {
	case "script", "style", "noscript", "template", "svg", "canvas", "iframe", "frame", "object", "embed", "audio", "video", "map",
		"nav", "dialog", "button", "select", "datalist", "input", "textarea":
		return true
	case "header", "footer":
		return !within(n, "main", "article", "section", "blockquote")
	case "img":
		return strings.HasPrefix(strings.TrimSpace(attr(n, "src")), "data:")
	case "a":
		return strings.HasPrefix(attr(n, "href"), "#") && slices.Contains([]string{"", "#", "¶", "§", "🔗", "Link to this heading"}, words(n))
	}
	switch attr(n, "role") {
	case "navigation", "banner", "contentinfo", "search", "dialog", "alertdialog":
		return true
	}
	return attr(n, "aria-hidden") == "true" || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" && a.Val != "until-found" })
}

// within reports whether n lies in an element of one of those names.
func within(n *html.Node, names ...string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if slices.Contains(names, p.Data) {
			return true
		}
	}
	return false
}

// What a page may nest and span before it is shown plainly: each level indents
// every line once more, and a table is as wide as its widest row.
const (
	maxNested = 8
	maxCells  = 20_000
)

// tame makes plain what would become too much text, and links that lead nowhere.
func tame(n *html.Node) {
	switch n.Data {
	case "a":
		href := strings.ToLower(strings.TrimSpace(attr(n, "href")))
		if strings.HasPrefix(href, "#") || strings.HasPrefix(href, "javascript:") || strings.HasPrefix(href, "data:") {
			rename(n, "span")
		}
	case "ul", "ol", "blockquote", "table":
		switch level := nested(n); {
		case level > maxNested || n.Data == "table" && cells(n) > maxCells:
			rename(n, "div")
		case n.Data == "table" && !within(n, "table"):
			escapeBars(n)
		}
	}
}

// escapeBars keeps the text of a table from making cells of its own.
func escapeBars(n *html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			d.Data = strings.ReplaceAll(d.Data, "|", `\|`)
		}
	}
}

// rename makes n a plain element.
func rename(n *html.Node, name string) { n.Data, n.DataAtom, n.Attr = name, 0, nil }

// nested counts the lists, quotations and tables that n lies in.
func nested(n *html.Node) int {
	level := 0
	for p := n.Parent; p != nil; p = p.Parent {
		if slices.Contains([]string{"ul", "ol", "blockquote", "table"}, p.Data) {
			level++
		}
	}
	return level
}

// cells is how many cells the table n would have when all its rows are as wide
// as the widest.
func cells(n *html.Node) int {
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

// span is how many columns or rows a cell takes.
func span(n *html.Node, key string) int {
	v, err := strconv.Atoi(strings.TrimSpace(attr(n, key)))
	if err != nil {
		return 1
	}
	return max(1, min(v, maxCells))
}
