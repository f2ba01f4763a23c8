package responses

import (
	"bytes"
	"encoding/json"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// The provider's own web search:
// https://platform.openai.com/docs/guides/tools-web-search
const (
	searchTool = "web_search"
	searchType = "web_search_call"
	// includeSources asks for the pages that a search found.
	includeSources = "web_search_call.action.sources"
)

// providerTool is a tool that the provider runs itself.
type providerTool struct {
	Type string `json:"type"`
}

// searched is what a web search did. A field of an unexpected type counts as missing.
type searched struct {
	Type    wire.Word   `json:"type"` // search, open_page or find_in_page
	Query   wire.Word   `json:"query"`
	Queries []wire.Word `json:"queries"`
	URL     wire.Word   `json:"url"` // of open_page and find_in_page
	Sources []source    `json:"sources"`
}

// source is a page that a search found.
type source struct {
	URL   wire.Word `json:"url"`
	Title wire.Word `json:"title"`
}

// annotation is a citation in a message.
type annotation struct {
	Type  wire.Word `json:"type"`
	URL   wire.Word `json:"url"`
	Title wire.Word `json:"title"`
}

// UnmarshalJSON keeps a web search as received, because it is sent back.
func (it *item) UnmarshalJSON(data []byte) error {
	type plain item
	if err := wire.Unmarshal(data, (*plain)(it)); err != nil {
		return err
	}
	if it.Type == searchType {
		it.raw = bytes.Clone(data)
	}
	return nil
}

// wholeSearch takes a finished web search. It returns the form that is sent back.
func (os *outputs) wholeSearch(o *output, it *item) json.RawMessage {
	os.begin(o)
	s := llm.Search{Ended: true, Query: string(it.Action.Query)}
	if s.Query == "" && len(it.Action.Queries) > 0 {
		s.Query = string(it.Action.Queries[0])
	}
	if s.Query == "" {
		s.Query = string(it.Action.URL)
	}
	for _, p := range it.Action.Sources {
		s.Results = llm.AddSource(s.Results, llm.Source{URL: string(p.URL), Title: string(p.Title)})
	}
	if it.Status == "failed" {
		s.Error = it.Status
	}
	if it.Action.Type == "search" {
		os.searches++
	}
	os.out.Keep(0, len(it.raw))
	os.out.Add(llm.SearchDelta{Index: o.index, Search: s})
	return it.raw
}

// sources returns the pages that a message cites.
func (it *item) sources() (pages []llm.Source) {
	for _, p := range it.Content {
		for _, a := range p.Annotations {
			if a.Type == "url_citation" {
				pages = llm.AddSource(pages, llm.Source{URL: string(a.URL), Title: string(a.Title)})
			}
		}
	}
	return pages
}

// webSearch adds a search, or a note if it cannot be sent back.
func (b builder) webSearch(m llm.Message) {
	switch raw := unpack(m, b.model).Search; {
	case b.search && len(raw) > 0:
		b.list.Add(raw)
	case noted(m):
		b.assistant(m.Search.Note(), "")
	}
}

// noted reports whether a search has a note for a model that cannot read it.
func noted(m llm.Message) bool { return m.Search != nil && m.Search.Ended && !m.Cut }
