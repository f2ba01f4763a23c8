package catalog

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agent/internal/llm/openai"
)

// NoTools is the fact that a model does not support tool calls. See wire.ServerLimits.
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

// withLimits returns c changed by the facts about its server. The configuration
// takes precedence over them.
func (in Input) withLimits(c Choice) Choice {
	if in.ServerLimits == nil || c.Offline() {
		return c
	}
	c.learned = in.ServerLimits(c.BaseURL)
	if slices.Contains(c.learned.Limits(c.Model), NoTools) {
		c.Info.Tools = new(false)
		c.Info = in.Changes.override(c.Info, c.Provider, c.Model)
		c.LearnedNoTools = c.Info.TextToolCalls()
	}
	return c
}

// The beginnings of facts that a server on this machine told about a model.
const (
	toldWindow = "context="
	toldTools  = "tools="
)

// withTold returns i with what the server told earlier, for the time it does not answer.
func (i Info) withTold(facts []string) Info {
	for _, fact := range facts { // the last one of a kind holds
		if n, ok := strings.CutPrefix(fact, toldWindow); ok && (i.Context == 0 || i.Assumed) {
			if window, err := strconv.Atoi(n); err == nil && window > 0 {
				i.Context, i.Assumed = window, true // it may choose another one when it starts
			}
		}
		if yes, ok := strings.CutPrefix(fact, toldTools); ok {
			i.Tools = new(yes == "true")
		}
	}
	return i
}

// told keeps what the server tells about the model of c, if it is new.
func (c Choice) told(m Served) {
	if c.learned == nil {
		return
	}
	var facts []string
	if m.Context > 0 && !m.Assumed {
		facts = append(facts, toldWindow+strconv.Itoa(m.Context))
	}
	if m.Tools != nil {
		facts = append(facts, toldTools+strconv.FormatBool(*m.Tools))
	}
	for _, fact := range facts {
		kind, _, _ := strings.Cut(fact, "=")
		last := ""
		for _, known := range c.learned.Limits(c.Model) {
			if strings.HasPrefix(known, kind+"=") {
				last = known
			}
		}
		if last != fact {
			c.Learn(fact)
		}
	}
}

// Limits returns the facts about the model that are kept.
func (c Choice) Limits() []string {
	if c.learned == nil {
		return nil
	}
	return c.learned.Limits(c.Model)
}

// Learn keeps a fact about the model for later connections.
func (c Choice) Learn(fact string) {
	if c.learned != nil {
		c.learned.Learn(c.Model, fact)
	}
}
