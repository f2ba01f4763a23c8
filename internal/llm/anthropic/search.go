package anthropic

import (
	"encoding/json"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// The provider's own web search:
// https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool
const (
	searchTool = "web_search"
	searchType = "web_search_20250305"
	resultType = "web_search_tool_result"
	// maxSearches limits the searches of one request.
	maxSearches = 8
)

// beginSearch begins a web search. Other tools of the provider are skipped.
func (d *decoder) beginSearch(b *block, c *content) {
	if c.Name != searchTool {
		return
	}
	d.searched = true
	b.kind, b.pending = llm.WebSearch, true
	b.opaque.Use = &searchUse{ID: string(c.ID)}
	b.input = c.Input
	d.out.Keep(0, len(c.Input))
	d.out.Add(llm.SearchDelta{Index: b.index})
}

// nameSearch reads the arguments of a search, which are complete.
func (d *decoder) nameSearch(b *block) {
	if s := b.streamed.String(); json.Valid([]byte(s)) {
		b.input = []byte(s)
	}
	if len(b.input) == 0 {
		b.input = []byte("{}")
	}
	var args struct {
		Query wire.Word `json:"query"`
	}
	_ = wire.Unmarshal(b.input, &args)
	b.opaque.Use.Input = b.input
	b.search.Query = string(args.Query)
	d.out.Add(llm.SearchDelta{Index: b.index, Search: b.search})
}

// searchResult adds the result b, with the content c, to its search. Without that
// search, which the previous reply may have begun, it becomes a search of its own.
func (d *decoder) searchResult(b *block, c *content) {
	d.searched = true
	d.out.Keep(0, len(c.Content))
	use, after := b, 0
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if o := d.blocks[i]; o.opaque.Use != nil && o.opaque.Use.ID == string(c.ToolUseID) {
			use = o
			break
		} else if o.kind != "" {
			after++
		}
	}
	if use == b {
		b.kind, after = llm.WebSearch, 0
	}
	use.pending = false
	use.opaque.Result = &searchResult{ID: string(c.ToolUseID), Content: c.Content, After: after}
	use.search.Ended = true
	use.search.Results, use.search.Error = results(c.Content)
	d.out.Add(llm.SearchDelta{Index: use.index, Search: use.search})
}

// results reads the content of a result: a list of pages, or an error.
func results(content json.RawMessage) (pages []llm.Source, failure string) {
	var list []struct {
		URL   wire.Word `json:"url"`
		Title wire.Word `json:"title"`
	}
	if wire.Unmarshal(content, &list) == nil && len(list) > 0 {
		for _, p := range list {
			pages = llm.AddSource(pages, llm.Source{URL: string(p.URL), Title: string(p.Title)})
		}
		return pages, ""
	}
	var failed struct {
		Code wire.Word `json:"error_code"`
	}
	if wire.Unmarshal(content, &failed) == nil && failed.Code != "" {
		return nil, wire.Clean(string(failed.Code))
	}
	return nil, ""
}

// continueText continues the text of the last block with another text block, which
// begins where the citations change. It reports whether it did: only after a search.
func (d *decoder) continueText(at int, c *content) bool {
	n := len(d.blocks)
	if !d.searched || c.Type != "text" || n == 0 || d.blocks[n-1].kind != llm.Assistant {
		return false
	}
	b := d.blocks[n-1]
	d.out.Keep(1, 0)
	b.at, b.ended = at, false
	b.opaque.Parts = append(b.opaque.Parts, cited{})
	d.say(b, llm.Assistant, c.Text)
	for _, citation := range c.Citations {
		d.cite(b, citation)
	}
	return true
}

// part returns the last part of a text.
func (b *block) part() *cited {
	if len(b.opaque.Parts) == 0 {
		b.opaque.Parts = []cited{{}}
	}
	return &b.opaque.Parts[len(b.opaque.Parts)-1]
}

// cite adds a citation to a text. Those that are not of a search result are skipped.
func (d *decoder) cite(b *block, citation json.RawMessage) {
	var c struct {
		Type  wire.Word `json:"type"`
		URL   wire.Word `json:"url"`
		Title wire.Word `json:"title"`
	}
	if b.kind != llm.Assistant || wire.Unmarshal(citation, &c) != nil || c.Type != "web_search_result_location" {
		return
	}
	d.out.Keep(0, len(citation))
	p := b.part()
	p.Citations = append(p.Citations, citation)
	b.sources = llm.AddSource(b.sources, llm.Source{URL: string(c.URL), Title: string(c.Title)})
}

// text encodes a text: with its citations if the request offers the search that they
// come from.
func (b *builder) text(m llm.Message) []wireBlock {
	parts := unpack(m, b.model).Parts
	size := 0
	for _, p := range parts {
		if p.Bytes < 0 {
			return []wireBlock{textBlock(m.Text)}
		}
		size += p.Bytes
	}
	if !b.search || size != len(m.Text) || size == 0 {
		return []wireBlock{textBlock(m.Text)}
	}
	var out []wireBlock
	rest, before := m.Text, "" // before is blank text, which must not be a block of its own
	for _, p := range parts {
		text := before + rest[:p.Bytes]
		rest, before = rest[p.Bytes:], ""
		switch {
		case !blank(text):
			block := textBlock(text)
			block.Citations = p.Citations
			out = append(out, block)
		case len(out) > 0:
			out[len(out)-1].Text += text
		default:
			before = text
		}
	}
	return out
}

// webSearch encodes a search: its use, with the result in late if other blocks follow
// the use first. A search whose results cannot be sent becomes a note.
func (b *builder) webSearch(m llm.Message) (blocks []wireBlock, late *searchResult) {
	o := unpack(m, b.model)
	if o.Use != nil && (o.Result != nil || b.current[m.Reply] || b.continued[o.Use.ID]) && b.search {
		b.used[o.Use.ID] = true
		blocks = append(blocks, wireBlock{ID: o.Use.ID, Input: o.Use.Input, Name: searchTool, Type: "server_tool_use"})
		if o.Result != nil && o.Result.After > 0 {
			return blocks, o.Result
		}
	}
	switch {
	case o.Result != nil && b.used[o.Result.ID]:
		return append(blocks, o.Result.block()), nil
	case len(blocks) == 0 && m.Search != nil && (m.Search.Ended || m.Search.Error != ""):
		return []wireBlock{textBlock(m.Search.Note())}, nil
	}
	return blocks, nil
}

// currentReplies returns the IDs of the replies that no message of the user follows. The
// model continues them if it paused.
func currentReplies(msgs []llm.Message) map[string]bool {
	current := map[string]bool{}
	for _, m := range msgs {
		if m.Kind == llm.User {
			clear(current)
		} else {
			current[m.Reply] = true
		}
	}
	return current
}

// continuedSearches returns the IDs of the searches of which a later reply to the same
// prompt has the result: the provider had paused them.
func continuedSearches(msgs []llm.Message, model string) map[string]bool {
	begun, continued := map[string]bool{}, map[string]bool{}
	for _, m := range msgs {
		switch m.Kind {
		case llm.User:
			clear(begun)
		case llm.WebSearch:
			o := unpack(m, model)
			if o.Use != nil {
				begun[o.Use.ID] = true
			} else if o.Result != nil && begun[o.Result.ID] {
				continued[o.Result.ID] = true
			}
		}
	}
	return continued
}

func (r *searchResult) block() wireBlock {
	return wireBlock{ToolUseID: r.ID, Content: r.Content, Type: resultType}
}

// lateResults are results of searches that other blocks precede.
type lateResults []*searchResult

// insert adds blocks to said, and after each of them the results that belong there.
// Results do not count as blocks.
func (l *lateResults) insert(said, blocks []wireBlock) []wireBlock {
	for _, block := range blocks {
		said = append(said, block)
		if block.Type == resultType {
			continue
		}
		var left lateResults
		for _, r := range *l {
			if r.After--; r.After > 0 {
				left = append(left, r)
			} else {
				said = append(said, r.block())
			}
		}
		*l = left
	}
	return said
}

// rest returns all results that are left.
func (l lateResults) rest() (blocks []wireBlock) {
	for _, r := range l {
		blocks = append(blocks, r.block())
	}
	return blocks
}
