package anthropic

import (
	"encoding/json"

	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// dialect is the Dialect of this package's opaque bytes.
const dialect = "anthropic"

// opaque is the llm.Opaque.Data of a message.
type opaque struct {
	Signature string `json:"signature,omitempty"` // proves that the text is the model's
	Redacted  string `json:"redacted,omitempty"`  // encrypted thinking without readable text
	// Parts are the blocks of a text with citations.
	Parts []cited `json:"parts,omitempty"`
	// Use and Result are the blocks of a web search. A search that spans two replies
	// has its Use in the first one and its Result in the second.
	Use    *searchUse    `json:"use,omitempty"`
	Result *searchResult `json:"result,omitempty"`
}

// cited is a block of a text.
type cited struct {
	Bytes     int               `json:"bytes"` // length of its text
	Citations []json.RawMessage `json:"citations,omitempty"`
}

// searchUse is a server_tool_use block.
type searchUse struct {
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"`
}

// searchResult is a web_search_tool_result block.
type searchResult struct {
	ID      string          `json:"id"`              // of the Use
	Content json.RawMessage `json:"content"`         // the results with their encrypted content, or an error
	After   int             `json:"after,omitempty"` // number of other blocks between the use and the result
}

// unpack returns the opaque data of m if it belongs to model.
func unpack(m llm.Message, model string) opaque { return wire.Unpack[opaque](m, dialect, model) }
