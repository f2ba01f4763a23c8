package openai

import (
	"maps"

	api "github.com/sashabaranov/go-openai"

	"agent/internal/llm/wire"
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
func markPrefixes(list *wire.List[message]) {
	all := list.Items()
	last := len(all) - 1
	if last < 0 {
		return
	}
	system := all[0].Role == api.ChatMessageRoleSystem
	if system {
		list.Mark(0)
	}
	before := last
	for before > 0 && all[before].Role != api.ChatMessageRoleAssistant {
		before--
	}
	for _, i := range []int{before - 1, last} {
		if i > 0 || i == 0 && !system {
			list.Mark(i)
		}
	}
}

// marked returns m with a cache mark. A message without content cannot have one.
func (m message) marked() message {
	var parts []markedPart
	for _, p := range contentParts(m.ChatCompletionMessage) {
		parts = append(parts, markedPart{ChatMessagePart: p})
	}
	if len(parts) == 0 {
		return m
	}
	parts[len(parts)-1].Mark = &cacheMark{Type: "ephemeral"}
	m.more = maps.Clone(m.more)
	m.more.set("content", parts)
	m.Content, m.MultiContent = "", nil
	return m
}

// contentParts returns the content of m as parts.
func contentParts(m api.ChatCompletionMessage) []api.ChatMessagePart {
	if m.Content != "" {
		return []api.ChatMessagePart{{Type: api.ChatMessagePartTypeText, Text: m.Content}}
	}
	return m.MultiContent
}
