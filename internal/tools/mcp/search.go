package mcp

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
)

// search returns the tools that match a query best, with their schemas, and the names of
// the others that match. An empty query lists names.
func (b *Toolbox) search(query string) tools.Result {
	all := b.Tools()
	found := rank(all, query)
	var text strings.Builder
	shown := 0
	for _, t := range found[:min(len(found), maxFound)] {
		entry := fmt.Sprintf("%s\n%s\nArguments: %s\n\n", t.Name, strings.TrimSpace(t.Description), t.Schema)
		if shown > 0 && text.Len()+len(entry) > maxFoundLen {
			break
		}
		text.WriteString(entry)
		shown++
	}
	rest, title := found[shown:], "Other matches: "
	if len(found) == 0 {
		rest, title = all, "No tool matches. All tools: "
	}
	if len(rest) > 0 {
		var names []string
		for _, t := range rest[:min(len(rest), maxNamed)] {
			names = append(names, t.Name)
		}
		text.WriteString(title + strings.Join(names, ", "))
		if more := len(rest) - len(names); more > 0 {
			fmt.Fprintf(&text, " and %d more", more)
		}
		text.WriteByte('\n')
	}
	if p := b.problems(); p != "" {
		text.WriteString(strings.TrimPrefix(p, ". ") + ".\n")
	}
	if text.Len() == 0 {
		text.WriteString("The servers have no tools.\n")
	}
	r := tools.Result{Text: text.String(), Summary: phrase.Count(len(found), "tool")}
	if len(all) > 0 {
		r.Source = "MCP servers"
	}
	return r
}

// rank returns the tools that contain a word of the query, best first, by BM25
// (https://en.wikipedia.org/wiki/Okapi_BM25). Words in the name of a tool count three times.
// A tool whose name is the query is the only result.
func rank(all []Tool, query string) []Tool {
	const k, b = 1.2, 0.75 // the usual parameters
	terms := split(strings.ToLower(query))
	documents := make([]map[string]float64, len(all))
	contain := map[string]float64{}
	total := 0.0
	for i, t := range all {
		if strings.EqualFold(t.Name, query) || strings.EqualFold(t.Tool, query) {
			return []Tool{t}
		}
		documents[i] = map[string]float64{}
		for _, w := range split(t.words()) {
			documents[i][w]++
		}
		for _, w := range split(strings.ToLower(t.Tool)) {
			documents[i][w] += 2
		}
		for w, n := range documents[i] {
			contain[w]++
			total += n
		}
	}
	average := total / float64(max(len(all), 1))
	type scored struct {
		Tool
		score float64
	}
	var found []scored
	for i, t := range all {
		size, score := 0.0, 0.0
		for _, n := range documents[i] {
			size += n
		}
		for _, w := range terms {
			if n := documents[i][w]; n > 0 {
				rare := math.Log(1 + (float64(len(all))-contain[w]+0.5)/(contain[w]+0.5))
				score += rare * n * (k + 1) / (n + k*(1-b+b*size/average))
			}
		}
		if score > 0 {
			found = append(found, scored{t, score})
		}
	}
	slices.SortStableFunc(found, func(x, y scored) int {
		switch {
		case x.score > y.score:
			return -1
		case x.score < y.score:
			return 1
		}
		return strings.Compare(x.Name, y.Name)
	})
	var out []Tool
	for _, f := range found {
		out = append(out, f.Tool)
	}
	return out
}

// split returns the words of a text, without their plural s. Names such as create_issue and
// createIssue have two words.
func split(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), func(w string) bool { return len(w) < 2 })
}
