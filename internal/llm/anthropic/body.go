package anthropic

import "encoding/json"

// wireRequest is a request as it is sent.
type wireRequest struct {
	MaxTokens  int           `json:"max_tokens"`
	Messages   []wireMessage `json:"messages"`
	Model      string        `json:"model"`
	Output     *wireOutput   `json:"output_config,omitempty"`
	System     []wireBlock   `json:"system,omitempty"`
	Thinking   *wireThinking `json:"thinking,omitempty"`
	ToolChoice *wireChoice   `json:"tool_choice,omitempty"`
	Tools      []wireTool    `json:"tools,omitempty"`
	Stream     bool          `json:"stream"`
}

// wireMessage is what one said before the other spoke. There are two who do.
type wireMessage struct {
	Content []wireBlock `json:"content"`
	Role    string      `json:"role"`
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// wireBlock is a content block: the fields of all its types.
type wireBlock struct {
	Data      string          `json:"data,omitempty"` // of redacted_thinking
	Signature string          `json:"signature,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"` // may be empty, but is not left out
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Name      string          `json:"name,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Source    *wireSource     `json:"source,omitempty"`
	Mark      *wireMark       `json:"cache_control,omitempty"`
	Content   []wireBlock     `json:"content,omitempty"` // of tool_result
	Type      string          `json:"type"`
}

func textBlock(text string) wireBlock { return wireBlock{Text: text, Type: "text"} }

// wireSource is what an image is made of.
type wireSource struct {
	Data      []byte `json:"data"`
	MediaType string `json:"media_type"`
	Type      string `json:"type"`
}

// wireMark says that the request up to here may be kept in the cache.
type wireMark struct {
	Type string `json:"type"`
}

type wireTool struct {
	Schema      json.RawMessage `json:"input_schema"`
	Name        string          `json:"name"`
	Mark        *wireMark       `json:"cache_control,omitempty"`
	Description string          `json:"description,omitempty"`
}

type wireChoice struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type"`
}

// wireThinking says whether, and how much, the model thinks before it speaks.
type wireThinking struct {
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
	Type    string `json:"type"`
}

// wireOutput says how hard the model tries, and the shape of its answer.
type wireOutput struct {
	Effort string      `json:"effort,omitempty"`
	Format *wireFormat `json:"format,omitempty"`
}

type wireFormat struct {
	Schema any    `json:"schema"`
	Type   string `json:"type"`
}
