package anthropic

import "encoding/json"

// wireRequest is the body of a request, without what an encoder writes itself.
type wireRequest struct {
	Model      string        `json:"model"`
	Output     *wireOutput   `json:"output_config,omitempty"`
	System     []wireBlock   `json:"system,omitempty"`
	Thinking   *wireThinking `json:"thinking,omitempty"`
	ToolChoice *wireChoice   `json:"tool_choice,omitempty"`
}

// wireMessage is a message of one role. The roles alternate.
type wireMessage struct {
	Content []wireBlock `json:"content"`
	Role    string      `json:"role"`
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// wireBlock is a content block, with the fields of all block types.
type wireBlock struct {
	Data      string            `json:"data,omitempty"` // of redacted_thinking
	Signature string            `json:"signature,omitempty"`
	Thinking  *string           `json:"thinking,omitempty"` // may be empty, but must be present
	Text      string            `json:"text,omitempty"`
	ID        string            `json:"id,omitempty"`
	Input     json.RawMessage   `json:"input,omitempty"`
	Name      string            `json:"name,omitempty"`
	ToolUseID string            `json:"tool_use_id,omitempty"`
	IsError   bool              `json:"is_error,omitempty"`
	Source    *wireSource       `json:"source,omitempty"`
	Mark      *cacheMark        `json:"cache_control,omitempty"`
	Content   any               `json:"content,omitempty"`   // of tool_result, a []wireBlock; of web_search_tool_result, as received
	Citations []json.RawMessage `json:"citations,omitempty"` // of text, as received
	Type      string            `json:"type"`
}

func textBlock(text string) wireBlock { return wireBlock{Text: text, Type: "text"} }

// wireSource is the data of an image.
type wireSource struct {
	Data      []byte `json:"data"`
	MediaType string `json:"media_type"`
	Type      string `json:"type"`
}

// cacheMark marks the end of a prefix of the request that the provider may
// cache.
type cacheMark struct {
	Type string `json:"type"`
}

type wireTool struct {
	Schema      json.RawMessage `json:"input_schema,omitempty"` // of a tool of ours
	Name        string          `json:"name"`
	Mark        *cacheMark      `json:"cache_control,omitempty"`
	Description string          `json:"description,omitempty"`
	Strict      bool            `json:"strict,omitempty"`
	MaxUses     int             `json:"max_uses,omitempty"` // of a tool of the provider
	Type        string          `json:"type,omitempty"`     // of a tool of the provider
}

type wireChoice struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type"`
}

// wireThinking enables or disables thinking before the answer.
type wireThinking struct {
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
	Type    string `json:"type"`
}

// wireOutput sets the effort and the format of the answer.
type wireOutput struct {
	Effort string      `json:"effort,omitempty"`
	Format *wireFormat `json:"format,omitempty"`
}

type wireFormat struct {
	Schema any    `json:"schema"`
	Type   string `json:"type"`
}
