package openai

import (
	"strconv"
	"strings"

	"agent/internal/llm"
)

// usage holds the counts of tokens under the names in use.
type usage struct {
	Prompt          *count         `json:"prompt_tokens"`
	Completion      *count         `json:"completion_tokens"`
	Reasoning       *count         `json:"reasoning_tokens"`
	CacheHit        *count         `json:"prompt_cache_hit_tokens"`
	Cached          *count         `json:"cached_tokens"`
	CacheRead       *count         `json:"cache_read_input_tokens"`
	CacheCreation   *count         `json:"cache_creation_input_tokens"`
	PromptDetails   *inputDetails  `json:"prompt_tokens_details"`
	CompletionSplit *outputDetails `json:"completion_tokens_details"`
}

type inputDetails struct {
	Cached  *count `json:"cached_tokens"`
	Written *count `json:"cache_write_tokens"`
}

type outputDetails struct {
	Reasoning *count `json:"reasoning_tokens"`
}

// into sets the counts of total that u knows: of several reports in a reply the
// last counts.
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

// set gives to the last of the counts that is there.
func set(to *int, counts ...*count) {
	for _, c := range counts {
		if c != nil {
			*to = int(*c)
		}
	}
}

// count is a number of tokens. What cannot be one is 0, not known.
type count int

// UnmarshalJSON takes floats and numbers in quotes too.
func (c *count) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
	if err != nil || f < 0 || f > 1e9 {
		f = 0
	}
	*c = count(f)
	return nil
}

// usage returns total corrected by what c reports, wherever it does.
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
