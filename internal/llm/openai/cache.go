package openai

import (
	api "github.com/sashabaranov/go-openai"
)

// markedPart is a part of a message that may end a prefix to cache.
type markedPart struct {
	api.ChatMessagePart
	Mark *cacheMark `json:"cache_control,omitempty"`
}

// cacheMark marks the end of a prefix of the request that the provider may
// cache.
type cacheMark struct {
	Type string `json:"type"`
}

// markPrefixes sets a cache mark on the system prompt, on the last message, and
// on the last message of the previous request.
func (b *builder) markPrefixes() {
	last := len(b.request.messages) - 1
	if last < 0 {
		return
	}
	if b.request.messages[0].Role == api.ChatMessageRoleSystem {
		b.mark(0)
	}
	before := last
	for before > 0 && b.request.messages[before].Role != api.ChatMessageRoleAssistant {
		before--
	}
	for _, i := range []int{before - 1, last} {
		if i > 0 || i == 0 && b.request.messages[0].Role != api.ChatMessageRoleSystem {
			b.mark(i)
		}
	}
}

// mark sets a cache mark on message i. A message without content cannot have
// one.
func (b *builder) mark(i int) {
	m := &b.request.messages[i]
	var parts []markedPart
	for _, p := range contentParts(m.ChatCompletionMessage) {
		parts = append(parts, markedPart{ChatMessagePart: p})
	}
	if len(parts) == 0 {
		return
	}
	parts[len(parts)-1].Mark = &cacheMark{Type: "ephemeral"}
	m.more.set("content", parts)
	m.Content, m.MultiContent = "", nil
}

// contentParts returns the content of m as parts.
func contentParts(m api.ChatCompletionMessage) []api.ChatMessagePart {
	if m.Content != "" {
		return []api.ChatMessagePart{{Type: api.ChatMessagePartTypeText, Text: m.Content}}
	}
	return m.MultiContent
}
