package catalog

import (
	"net/url"
	"slices"
	"strings"

	"agent/internal/llm/openai"
)

// NoTools is the fact that a model does not support tool calls. See wire.Learned.
const NoTools = "no_tools"

// quirks returns the quirks of the provider and of the model.
func (c Choice) quirks() openai.Quirks {
	q := c.Provider.Quirks
	name := baseName(c.Model)
	q.CacheMarks = strings.Contains(name, "claude")
	q.CacheKey = c.takesCacheKey()
	switch keep := c.Info.KeepThinking; {
	case keep != nil:
		q.KeepThinking, q.PadThinking = *keep, *keep && q.PadThinking
	case keepsThinking(name):
		q.KeepThinking = true
	}
	return q
}

// keepsThinking reports whether the model called name is of a family that needs
// its thinking back, at any provider.
func keepsThinking(name string) bool {
	return slices.ContainsFunc([]string{"deepseek", "glm", "kimi", "qwen", "qwq"}, func(family string) bool { return strings.Contains(name, family) })
}

// takesCacheKey reports whether the server is known to accept a cache key.
func (c Choice) takesCacheKey() bool {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

// withLearned returns c changed by the facts about its server. The configuration
// takes precedence over them.
func (in Input) withLearned(c Choice) Choice {
	if in.Learned == nil || c.Offline() {
		return c
	}
	c.learned = in.Learned(c.BaseURL)
	if slices.Contains(c.learned.Facts(c.Model), NoTools) {
		c.Info.Tools = new(false)
		c.Info = in.Changes.override(c.Info, c.Provider, c.Model)
		c.LearnedNoTools = c.Info.WritesCalls()
	}
	return c
}

// Learn keeps a fact about the model for later connections.
func (c Choice) Learn(fact string) {
	if c.learned != nil {
		c.learned.Learn(c.Model, fact)
	}
}
