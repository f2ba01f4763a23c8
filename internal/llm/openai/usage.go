package openai

import (
	"agent/internal/llm"
	"agent/internal/llm/wire"
)

// usage holds token counts under all field names in use.
type usage struct {
	Prompt          *wire.Count    `json:"prompt_tokens"`
	Completion      *wire.Count    `json:"completion_tokens"`
	Reasoning       *wire.Count    `json:"reasoning_tokens"`
	CacheHit        *wire.Count    `json:"prompt_cache_hit_tokens"`
	Cached          *wire.Count    `json:"cached_tokens"`
	CacheRead       *wire.Count    `json:"cache_read_input_tokens"`
	CacheCreation   *wire.Count    `json:"cache_creation_input_tokens"`
	PromptDetails   *inputDetails  `json:"prompt_tokens_details"`
	CompletionSplit *outputDetails `json:"completion_tokens_details"`
}

type inputDetails struct {
	Cached  *wire.Count `json:"cached_tokens"`
	Written *wire.Count `json:"cache_write_tokens"`
}

type outputDetails struct {
	Reasoning *wire.Count `json:"reasoning_tokens"`
}

// into stores the counts that u has in total. Of several reports in a reply,
// the last one wins.
func (u *usage) into(total *llm.Usage) {
	if u == nil {
		return
	}
	in, out := u.PromptDetails, u.CompletionSplit
	if in == nil {
		in = &inputDetails{}
	}
	if out == nil {
		out = &outputDetails{}
	}
	set(&total.Input, u.Prompt)
	set(&total.Output, u.Completion)
	set(&total.Cached, u.CacheHit, u.Cached, u.CacheRead, in.Cached)
	set(&total.CacheWrite, u.CacheCreation, in.Written)
	set(&total.Reasoning, u.Reasoning, out.Reasoning)
}

// set stores the last count that is present.
func set(to *int, counts ...*wire.Count) {
	for _, c := range counts {
		if c != nil {
			*to = int(*c)
		}
	}
}

// usage returns total updated with the counts that c reports.
func (c *chunk) usage(total llm.Usage) llm.Usage {
	c.Tokens.into(&total)
	for i := range c.Choices {
		c.Choices[i].Usage.into(&total)
	}
	if c.Groq != nil {
		c.Groq.Usage.into(&total)
	}
	return total
}
