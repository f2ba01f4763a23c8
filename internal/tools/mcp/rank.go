package mcp

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// match returns the tools that a query finds, best first. If the query names tools, only
// these are returned, and sure is their number. Models of Anthropic name tools as in
// "select:A,B".
func match(all []Tool, query string) (found []Tool, sure int) {
	list, only := strings.CutPrefix(strings.TrimSpace(query), "select:")
	words := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	missing := false
	for _, w := range words {
		n := len(found)
		for _, t := range all {
			if strings.EqualFold(t.Name, w) || strings.EqualFold(t.Tool, w) || strings.EqualFold(t.Server+"/"+t.Tool, w) {
				found = append(found, t)
			}
		}
		missing = missing || len(found) == n
	}
	if len(found) > 0 && (only || !missing) {
		return found, len(found)
	}
	return rank(all, list), 0
}

// common are words of a query that say nothing about a tool.
var common = strings.Fields("a all an and any are as at by can do for from has have how i in into is it its me my need of on or please that the this to tool tools use using want what which with")

// rank returns the tools that contain a word of the query, best first, by BM25
// (https://en.wikipedia.org/wiki/Okapi_BM25). Words in the name of a tool count three times.
// Tools that match much worse than the best one are left out.
func rank(all []Tool, query string) []Tool {
	const k, b = 1.2, 0.75 // the usual parameters
	terms := slices.DeleteFunc(split(query), func(w string) bool { return slices.Contains(common, w) })
	documents := make([]map[string]float64, len(all))
	contain := map[string]float64{}
	total := 0.0
	for i, t := range all {
		documents[i] = map[string]float64{}
		for _, w := range split(t.words()) {
			documents[i][w]++
		}
		for _, w := range split(t.Tool) {
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
		return cmp.Or(cmp.Compare(y.score, x.score), strings.Compare(x.Name, y.Name))
	})
	var out []Tool
	for _, f := range found {
		if f.score < found[0].score/4 {
			break
		}
		out = append(out, f.Tool)
	}
	return out
}

// split returns the words of a text in lower case and without their plural s. Names such as
// create_issue and createIssue have two words.
func split(text string) (words []string) {
	lower := false // the last character is a lower-case letter
	word := ""
	end := func() {
		if w := strings.ToLower(word); len(w) > 1 {
			words = append(words, singular(w))
		}
		word = ""
	}
	for _, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter || lower && unicode.IsUpper(r) {
			end()
		}
		if letter {
			word += string(r)
		}
		lower = unicode.IsLower(r)
	}
	end()
	return words
}

// singular returns an English word without its plural ending.
func singular(w string) string {
	stem, ok := strings.CutSuffix(w, "s")
	switch {
	case !ok || len(w) < 4 || strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "u") || strings.HasSuffix(stem, "i"):
		return w
	case strings.HasSuffix(stem, "ie"):
		return strings.TrimSuffix(stem, "ie") + "y"
	case strings.HasSuffix(stem, "che"), strings.HasSuffix(stem, "she"), strings.HasSuffix(stem, "sse"), strings.HasSuffix(stem, "xe"):
		return strings.TrimSuffix(stem, "e")
	}
	return stem
}
