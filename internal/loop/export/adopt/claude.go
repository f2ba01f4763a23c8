package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
)

// claudeLine is a line of a session of Claude Code. Other fields are ignored.
type claudeLine struct {
	Type        string          `json:"type"`
	UUID        string          `json:"uuid"`
	Parent      string          `json:"parentUuid"`
	Sidechain   bool            `json:"isSidechain"` // of a sub-agent
	Meta        bool            `json:"isMeta"`      // injected
	Compact     bool            `json:"isCompactSummary"`
	APIError    bool            `json:"isApiErrorMessage"`
	Time        string          `json:"timestamp"`
	Dir         string          `json:"cwd"`
	Session     string          `json:"sessionId"`
	Version     string          `json:"version"`
	Summary     string          `json:"summary"`
	CustomTitle string          `json:"customTitle"`
	AITitle     string          `json:"aiTitle"`
	Result      json.RawMessage `json:"toolUseResult"`
	Message     struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   struct {
			Input      int `json:"input_tokens"`
			CacheWrite int `json:"cache_creation_input_tokens"`
			CacheRead  int `json:"cache_read_input_tokens"`
			Output     int `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
}

// claudeBlock is a content block of a message.
type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Source    struct {
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

// claude reads a session of Claude Code.
type claude struct {
	m                   *Imported
	left                *tally
	entries             []entry
	seen                map[string]bool   // UUIDs of lines
	prompts             map[string]string // UUID of the last prompt that follows a line
	dropped             map[string]bool   // UUIDs of rewound lines
	custom, summary, ai string            // titles
}

// prompt reports whether a line is a prompt of the user. If several prompts follow the
// same line, the user rewound and only the last one counts.
func (c *claude) prompt(l *claudeLine) bool {
	if l.Type != "user" || l.Sidechain || l.Meta || l.Compact || l.Parent == "" || l.UUID == "" {
		return false
	}
	for _, b := range blocks(l.Message.Content) {
		if said, _ := userText(b.Text); b.Type == "text" && said != "" && !strings.HasPrefix(said, "<") && !strings.HasPrefix(said, "[Request interrupted") {
			return true
		}
	}
	return false
}

func (c *claude) line(l *claudeLine) {
	if l.Sidechain {
		c.left.add("lines of sub-agents")
		return
	}
	if c.rewound(l) {
		return
	}
	switch l.Type {
	case "user", "assistant":
	case "summary":
		if c.summary == "" {
			c.summary = export.OneLine(l.Summary, export.MaxTitle)
		}
		return
	case "custom-title":
		c.custom = export.OneLine(l.CustomTitle, export.MaxTitle)
		return
	case "ai-title":
		c.ai = export.OneLine(l.AITitle, export.MaxTitle)
		return
	case "system", "file-history-snapshot", "file-history-delta", "queue-operation", "attachment", "progress", "mode", "permission-mode",
		"last-prompt", "agent-name", "pr-link", "bridge-session", "cost-state", "atis-latch", "tag", "worktree-state":
		return // internal state
	default:
		c.left.unknown(l.Type)
		return
	}
	if l.UUID != "" && c.seen[l.UUID] {
		c.left.add("duplicate lines")
		return
	}
	c.seen[l.UUID] = true
	c.header(l)
	if l.Type == "user" {
		c.user(l)
	} else {
		c.assistant(l)
	}
}

// rewound reports whether the user rewound to before a line.
func (c *claude) rewound(l *claudeLine) bool {
	last := c.prompts[l.Parent]
	if l.UUID == "" || !c.dropped[l.Parent] && (last == "" || last == l.UUID || !c.prompt(l)) {
		return false
	}
	c.dropped[l.UUID] = true
	if l.Type == "user" || l.Type == "assistant" {
		c.left.add("lines removed by a rewind")
	}
	return true
}

func (c *claude) header(l *claudeLine) {
	h := &c.m.Header
	if h.Time.IsZero() {
		h.Time = parseTime(l.Time)
	}
	if h.Dir == "" {
		h.Dir = l.Dir
	}
	if c.m.Origin == "" {
		c.m.Origin = l.Session
	}
	if h.Version == "" && l.Version != "" {
		h.Version = "Claude Code " + l.Version
	}
}

func (c *claude) user(l *claudeLine) {
	prompt := entry{at: parseTime(l.Time), message: llm.Message{Kind: llm.User}}
	var texts []string
	for _, b := range blocks(l.Message.Content) {
		switch {
		case strings.HasSuffix(b.Type, "tool_result"):
			c.result(l, b)
		case b.Type == "text" && l.Meta:
			c.left.add(injectedTexts)
		case b.Type == "text" && strings.HasPrefix(b.Text, "[Request interrupted by user"):
			c.entries = append(c.entries, entry{at: prompt.at})
		case b.Type == "text":
			if said := c.said(b.Text, &prompt); said != "" {
				texts = append(texts, said)
			}
		case b.Type == "image":
			prompt.message.Images = append(prompt.message.Images, c.image(b)...)
		default:
			c.left.add(fmt.Sprintf("attachments of type %q", export.OneLine(b.Type, 40)))
		}
	}
	prompt.message.Text = strings.Join(texts, "\n\n")
	if l.Compact && len(c.entries) > 0 {
		c.left.add("summaries of messages that are included")
		return
	}
	prompt.auto = l.Compact
	if prompt.message.Text != "" || len(prompt.message.Images) > 0 {
		c.entries = append(c.entries, prompt)
	}
}

// injectedTexts is the tally of injected texts.
const injectedTexts = "texts that the other program added to prompts"

// said returns the part of a text that the user wrote. A command of the other program
// makes the prompt weak: most are not sent to its model.
func (c *claude) said(text string, prompt *entry) string {
	if name, ok := inTag(text, "command-name"); ok && strings.HasPrefix(strings.TrimSpace(text), "<command-") {
		prompt.weak = true
		arguments, _ := inTag(text, "command-args")
		return strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + arguments)
	}
	said, cut := userText(text)
	if cut {
		c.left.add(injectedTexts)
	}
	return said
}

func (c *claude) assistant(l *claudeLine) {
	if l.APIError || l.Message.Model == "<synthetic>" {
		c.left.add("messages of the other program itself")
		return
	}
	u := l.Message.Usage
	base := entry{at: parseTime(l.Time), model: l.Message.Model, usage: llm.Usage{
		Input: u.Input + u.CacheRead + u.CacheWrite, Cached: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output}}
	for _, b := range blocks(l.Message.Content) {
		e := base
		e.message.Reply = l.Message.ID
		switch {
		case b.Type == "text":
			e.message.Kind, e.message.Text = llm.Assistant, b.Text
		case b.Type == "thinking" && b.Thinking != "":
			e.message.Kind, e.message.Text = llm.Thinking, b.Thinking
		case strings.HasSuffix(b.Type, "thinking"):
			c.left.add(sealedThinking)
			continue
		case strings.HasSuffix(b.Type, "tool_use"):
			e.message.Kind, e.message.ID, e.message.Name = llm.ToolCall, b.ID, b.Name
			e.message.Input, e.message.Raw = object(b.Input)
		case strings.HasSuffix(b.Type, "tool_result"): // of a tool that the provider ran
			c.result(l, b)
			continue
		default:
			c.left.add(fmt.Sprintf("answer parts of type %q", export.OneLine(b.Type, 40)))
			continue
		}
		if e.message.Kind == llm.ToolCall || strings.TrimSpace(e.message.Text) != "" {
			c.entries = append(c.entries, e)
		}
	}
}

// sealedThinking is the tally of encrypted thinking.
const sealedThinking = "encrypted thinking"

func (c *claude) result(l *claudeLine, b claudeBlock) {
	e := entry{at: parseTime(l.Time), message: llm.Message{Kind: llm.ToolResult, ID: b.ToolUseID, IsError: b.IsError}}
	var texts []string
	for _, part := range blocks(b.Content) {
		switch {
		case part.Type == "image":
			e.message.Images = append(e.message.Images, c.image(part)...)
		case part.Type == "text":
			texts = append(texts, part.Text)
		default:
			c.left.add(fmt.Sprintf("result parts of type %q", export.OneLine(part.Type, 40)))
		}
	}
	e.message.Text = strings.Join(texts, "\n")
	if rest, cut := withoutReminder(e.message.Text); cut {
		c.left.add("texts that the other program added to tool results")
		e.message.Text = rest
	}
	switch {
	case strings.HasPrefix(e.message.Text, "The user doesn't want to proceed"), strings.HasPrefix(e.message.Text, "The user doesn't want to take this action"):
		e.outcome = event.Refused
	case strings.HasPrefix(e.message.Text, "[Request interrupted by user"):
		e.outcome = event.Interrupted
	default:
		e.diffs = claudeDiffs(l.Result, c.m.Header.Dir)
	}
	c.entries = append(c.entries, e)
}

func (c *claude) image(b claudeBlock) []llm.Image {
	return images(b.Source.MediaType, b.Source.Data, c.left)
}

// blocks returns the content blocks of a message. A string is one text block.
func blocks(content json.RawMessage) []claudeBlock {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []claudeBlock{{Type: "text", Text: text}}
	}
	var raw []json.RawMessage
	_ = json.Unmarshal(content, &raw)
	var out []claudeBlock
	for _, r := range raw {
		var b claudeBlock
		if err := json.Unmarshal(r, &b); err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
			out = append(out, b)
		}
	}
	return out
}

// parseTime parses a time. It returns the zero time if s is not one.
func parseTime(s string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, s)
	return t
}
