package adopt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// codexLine is a line of a rollout of Codex. In old rollouts the line is the item.
type codexLine struct {
	Time       string          `json:"timestamp"`
	Type       string          `json:"type"`
	RecordType string          `json:"record_type"`
	ID         string          `json:"id"`
	Payload    json.RawMessage `json:"payload"`
}

// codexItem is the payload of a line of any type.
type codexItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Summary json.RawMessage `json:"summary"`
	Sealed  string          `json:"encrypted_content"`

	CallID    string          `json:"call_id"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // JSON, or a string that contains JSON
	Input     json.RawMessage `json:"input"`     // any string
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`

	// Fields of events.
	Message string `json:"message"`
	Text    string `json:"text"`
	Turns   int    `json:"num_turns"`
	Info    struct {
		Last codexUsage `json:"last_token_usage"`
	} `json:"info"`

	// Fields of the header of a session and of a turn.
	Time    string          `json:"timestamp"`
	Dir     string          `json:"cwd"`
	Version string          `json:"cli_version"`
	Model   string          `json:"model"`
	Source  json.RawMessage `json:"source"`
}

type codexUsage struct {
	Input     int `json:"input_tokens"`
	Cached    int `json:"cached_input_tokens"`
	Output    int `json:"output_tokens"`
	Reasoning int `json:"reasoning_output_tokens"`
}

// codex reads a rollout.
type codex struct {
	m       *Imported
	left    *tally
	at      time.Time
	head    bool
	model   string
	entries []entry
	items   bool    // the file has messages as items
	shown   []entry // messages as events, for files without items
}

func (c *codex) line(l codexLine, item codexItem, wrapped bool) {
	switch {
	case l.RecordType != "": // state
	case l.Type == "session_meta", l.Type == "" && l.ID != "":
		c.header(item)
	case l.Type == "turn_context":
		c.model = item.Model
		if c.m.Header.Dir == "" {
			c.m.Header.Dir = item.Dir
		}
	case l.Type == "response_item", !wrapped:
		c.item(item)
	case l.Type == "event_msg":
		c.event(item)
	case l.Type == "compacted":
		c.left.add("summaries of messages that are included")
	case l.Type == "world_state", strings.HasPrefix(l.Type, "inter_agent_communication"), l.Type == "token_usage_record":
	default:
		c.left.unknown(l.Type)
	}
}

func (c *codex) header(item codexItem) {
	if c.head {
		c.left.add("headers of parent sessions")
		return
	}
	c.head = true
	c.m.Origin = item.ID
	c.m.Header = history.Header{Dir: item.Dir, Time: parseTime(item.Time)}
	if item.Version != "" {
		c.m.Header.Version = "Codex " + item.Version
	}
	if strings.Contains(string(item.Source), `"subagent"`) {
		c.m.Notes = append(c.m.Notes, "this is a session of a sub-agent")
	}
}

// item reads a message to or from the model.
func (c *codex) item(item codexItem) {
	e := entry{at: c.at, model: c.model}
	m := &e.message
	switch {
	case item.Type == "message":
		c.message(item)
		return
	case item.Type == "reasoning":
		m.Kind = llm.Thinking
		m.Text = strings.TrimSpace(strings.Join(append(codexTexts(item.Summary), codexTexts(item.Content)...), "\n\n"))
		if m.Text == "" {
			if item.Sealed != "" {
				c.left.add(sealedThinking)
			}
			return
		}
	case item.Type == "ghost_snapshot", item.Type == "compaction", item.Type == "context_compaction", item.Type == "compaction_summary":
		return
	case strings.HasSuffix(item.Type, "_output"):
		m.Kind, m.ID = llm.ToolResult, item.CallID
		c.output(&e, item)
	case strings.HasSuffix(item.Type, "_call"):
		m.Kind, m.ID, m.Name = llm.ToolCall, item.CallID, item.Name
		if m.ID == "" {
			m.ID = item.ID
		}
		if m.Name == "" {
			m.Name = strings.TrimSuffix(item.Type, "_call")
		}
		m.Input, m.Raw = codexInput(item)
		if item.CallID == "" && (item.Type == "web_search_call" || item.Type == "image_generation_call") {
			c.atProvider(e)
			return
		}
	default:
		c.left.unknown(item.Type)
		return
	}
	c.entries = append(c.entries, e)
}

// atProvider adds a call that the provider ran.
func (c *codex) atProvider(e entry) {
	e.message.ID = fmt.Sprintf("%s_at_%d", e.message.Name, len(c.entries))
	c.entries = append(c.entries, e, entry{at: c.at, message: llm.Message{Kind: llm.ToolResult, ID: e.message.ID,
		Text: "the provider ran this; its result was not recorded"}})
}

func (c *codex) message(item codexItem) {
	c.items = true
	e := entry{at: c.at, model: c.model}
	switch item.Role {
	case "assistant":
		e.message.Kind, e.message.Text = llm.Assistant, strings.Join(codexTexts(item.Content), "\n")
	case "user":
		e.message.Kind = llm.User
		c.user(&e, item)
	default:
		c.left.add("instructions of the other program to its model")
		return
	}
	if strings.TrimSpace(e.message.Text) != "" || len(e.message.Images) > 0 {
		c.entries = append(c.entries, e)
	}
}

func (c *codex) user(e *entry, item codexItem) {
	var texts []string
	for _, b := range codexParts(item.Content) {
		if b.Image != "" {
			kind, data, _ := strings.Cut(strings.TrimPrefix(b.Image, "data:"), ";base64,")
			e.message.Images = append(e.message.Images, images(kind, data, c.left)...)
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(b.Text), "<turn_aborted>") {
			c.entries = append(c.entries, entry{at: c.at})
		}
		if dir, ok := inTag(b.Text, "cwd"); ok && c.m.Header.Dir == "" && strings.Contains(b.Text, "<environment_context>") {
			c.m.Header.Dir = dir
		}
		said, cut := userText(b.Text)
		if cut {
			c.left.add(injectedTexts)
		}
		if said != "" {
			texts = append(texts, said)
		}
	}
	e.message.Text = strings.Join(texts, "\n\n")
}

// event reads an event of the user interface. Most events repeat an item.
func (c *codex) event(item codexItem) {
	e := entry{at: c.at, model: c.model}
	switch item.Type {
	case "user_message":
		e.message = llm.Message{Kind: llm.User}
		e.message.Text, _ = userText(item.Message)
	case "agent_message":
		e.message = llm.Message{Kind: llm.Assistant, Text: item.Message}
	case "agent_reasoning":
		e.message = llm.Message{Kind: llm.Thinking, Text: item.Text}
	case "turn_aborted":
		c.entries, c.shown = append(c.entries, e), append(c.shown, e)
		return
	case "token_count":
		c.usage(item.Info.Last)
		return
	case "thread_rolled_back":
		c.rollBack(item.Turns)
		return
	default:
		return
	}
	if strings.TrimSpace(e.message.Text) != "" {
		c.shown = append(c.shown, e)
	}
}

// usage sets the usage of the last reply.
func (c *codex) usage(u codexUsage) {
	for i := len(c.entries) - 1; i >= 0; i-- {
		switch c.entries[i].message.Kind {
		case llm.Assistant, llm.Thinking, llm.ToolCall:
			c.entries[i].usage = llm.Usage{Input: u.Input, Cached: u.Cached, Output: u.Output, Reasoning: u.Reasoning}
			return
		case llm.User:
			return
		}
	}
}

// rollBack removes the last turns, after a rewind.
func (c *codex) rollBack(turns int) {
	for i := len(c.entries) - 1; i >= 0 && turns > 0; i-- {
		if c.entries[i].message.Kind == llm.User {
			c.entries = c.entries[:i]
			c.left.add("turns removed by a rewind")
			turns--
		}
	}
}

// output reads a result, in which success has one of several forms.
func (c *codex) output(e *entry, item codexItem) {
	text, failed := "", false
	var wrapped struct {
		Content  json.RawMessage `json:"content"`
		Success  *bool           `json:"success"`
		Output   *string         `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	switch {
	case json.Unmarshal(item.Output, &text) == nil:
		if json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != nil {
			text, failed = *wrapped.Output, wrapped.Metadata.ExitCode != 0
		}
	case json.Unmarshal(item.Output, &wrapped) == nil && wrapped.Content != nil:
		text = strings.Join(codexTexts(wrapped.Content), "\n")
		failed = wrapped.Success != nil && !*wrapped.Success
	default:
		for _, b := range codexParts(item.Output) {
			if kind, data, ok := strings.Cut(strings.TrimPrefix(b.Image, "data:"), ";base64,"); ok {
				e.message.Images = append(e.message.Images, images(kind, data, c.left)...)
			}
		}
		text = strings.Join(codexTexts(item.Output), "\n")
	}
	var code int
	head, _, _ := strings.Cut(text, "Output:")
	for line := range strings.Lines(head[:min(len(head), 300)]) {
		for _, form := range []string{"Exit code: %d", "Process exited with code %d"} {
			if n, _ := fmt.Sscanf(line, form, &code); n == 1 {
				failed = code != 0
			}
		}
	}
	e.message.Text = text
	if failed {
		e.outcome = event.Failed
	}
}

// codexInput returns the arguments of a call as an object.
func codexInput(item codexItem) (input json.RawMessage, raw string) {
	text := ""
	switch {
	case item.Arguments != nil && json.Unmarshal(item.Arguments, &text) == nil:
		return object(json.RawMessage(text))
	case item.Arguments != nil:
		return object(item.Arguments)
	case item.Action != nil:
		return object(item.Action)
	case item.Input != nil && json.Unmarshal(item.Input, &text) == nil:
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(map[string]string{"input": text}) // strings can always be encoded
		return object(b.Bytes())
	}
	return object(item.Input)
}

// codexPart is a part of a message.
type codexPart struct {
	Text  string `json:"text"`
	Image string `json:"image_url"`
}

// codexParts returns the parts of a message. A string is one part.
func codexParts(content json.RawMessage) []codexPart {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []codexPart{{Text: text}}
	}
	var raw []json.RawMessage
	_ = json.Unmarshal(content, &raw)
	var out []codexPart
	for _, r := range raw {
		var p codexPart
		if json.Unmarshal(r, &text) == nil {
			p.Text = text
		} else if err := json.Unmarshal(r, &p); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// codexTexts returns the texts of a message.
func codexTexts(content json.RawMessage) []string {
	var out []string
	for _, p := range codexParts(content) {
		if p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return out
}
