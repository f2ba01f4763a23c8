package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
)

// known summarizes an Info.
type known struct {
	Exact                    bool
	Context, Output          int
	Input, Cached, OutputUSD float64
	Tools, Vision            string
	Dialect                  Dialect
}

func TestLookup(t *testing.T) {
	for model, want := range map[string]known{
		"openai/gpt-5.1":                            {Exact: true, Context: 400_000, Output: 128_000, Input: 1.25, Cached: .125, OutputUSD: 10, Tools: "yes", Vision: "yes"},
		"openai/gpt-5-2025-08-07":                   {Exact: true, Context: 400_000, Output: 128_000, Input: 1.25, Cached: .125, OutputUSD: 10, Tools: "yes", Vision: "yes"},
		"openai/gpt-5.9":                            {Context: 400_000, Output: 128_000, Tools: "yes", Vision: "yes"},
		"openai/gpt-4o-mini":                        {Exact: true, Context: 128_000, Output: 16_384, Input: .15, Cached: .075, OutputUSD: .6, Tools: "yes", Vision: "yes"},
		"openai/gpt-5.4":                            {Exact: true, Context: 1_050_000, Output: 128_000, Input: 2.5, Cached: .25, OutputUSD: 15, Tools: "yes", Vision: "yes", Dialect: Responses},
		"openai/nobody-knows":                       {},
		"azure/gpt-5.1":                             {Exact: true, Context: 400_000, Output: 128_000, Tools: "yes", Vision: "yes"},
		"anthropic/claude-sonnet-4-20250514":        {Exact: true, Context: 200_000, Output: 64_000, Input: 3, Cached: .3, OutputUSD: 15, Tools: "yes", Vision: "yes"},
		"anthropic/claude-opus-4-5-20251101":        {Exact: true, Context: 200_000, Output: 64_000, Input: 5, Cached: .5, OutputUSD: 25, Tools: "yes", Vision: "yes"},
		"openrouter/anthropic/claude-opus-4.5":      {Exact: true, Context: 200_000, Output: 64_000, Input: 5, Cached: .5, OutputUSD: 25, Tools: "yes", Vision: "yes"},
		"openrouter/anthropic/claude-opus-4.5:free": {Context: 200_000, Output: 64_000, Tools: "yes", Vision: "yes"},
		"openrouter/deepseek/deepseek-v4-pro":       {Exact: true, Context: 1_000_000, Output: 384_000, Tools: "yes", Vision: "no"},
		"databricks/databricks-claude-sonnet-4-5":   {Exact: true, Context: 200_000, Output: 64_000, Tools: "yes", Vision: "yes"},
		"deepseek/DeepSeek-V4-Pro":                  {Exact: true, Context: 1_000_000, Output: 384_000, Input: .435, Cached: .003625, OutputUSD: .87, Tools: "yes", Vision: "no"},
		"gemini/gemini-flash-latest":                {Context: 1_048_576, Output: 65_536, Tools: "yes", Vision: "yes"},
		"xai/grok-4-fast-reasoning":                 {Exact: true, Context: 2_000_000, Input: .2, Cached: .05, OutputUSD: .5, Tools: "yes", Vision: "yes"},
		"groq/qwen/qwen3-32b":                       {Exact: true, Context: 131_072, Input: .29, OutputUSD: .59, Tools: "yes"},
		"groq/openai/gpt-oss-120b":                  {Context: 131_072, Tools: "yes", Vision: "no"},
		"cerebras/gpt-oss-120b":                     {Exact: true, Context: 131_072, Input: .35, OutputUSD: .75, Tools: "yes", Vision: "no"},
		"ollama/gpt-oss:20b":                        {Tools: "yes", Vision: "no"},
		"ollama/gemma3:4b":                          {Tools: "no"},
		"ollama/llama3.1:8b":                        {Tools: "yes", Vision: "no"},
	} {
		provider, name, _ := Split(model)
		if diff := cmp.Diff(brief(Changes{}.Lookup(provider, name)), want); diff != "" {
			t.Errorf("%s: got, want:\n%s", model, diff)
		}
	}
}

func brief(i Info) known {
	word := func(b *bool) string {
		switch {
		case b == nil:
			return ""
		case *b:
			return "yes"
		}
		return "no"
	}
	k := known{Exact: i.Exact, Context: i.Context, Output: i.Output, Tools: word(i.Tools), Vision: word(i.Vision), Dialect: i.Dialect}
	if i.Price != nil {
		k.Input, k.Cached, k.OutputUSD = i.Price.Input, i.Price.Cached, i.Price.Output
	}
	return k
}

// Data in the configuration overrides the table for its models and provider.
func TestConfiguredModelData(t *testing.T) {
	no := false
	c := Changes{Models: map[string]Info{
		"gpt-5.1":          {Context: 1000},
		"groq/qwen":        {Context: 2000, Tools: &no},
		"ollama/mine":      {Context: 3000},
		"openai/gpt-4.1":   {Price: &Price{Input: 1, Output: 2}},
		"custom/brand-new": {Context: 4000, Dialect: Responses},
	}}
	for model, want := range map[string]known{
		"openai/gpt-5.1":     {Exact: true, Context: 1000, Output: 128_000, Input: 1.25, Cached: .125, OutputUSD: 10, Tools: "yes", Vision: "yes"},
		"azure/gpt-5.1":      {Exact: true, Context: 1000, Output: 128_000, Tools: "yes", Vision: "yes"},
		"groq/qwen":          {Exact: true, Context: 2000, Tools: "no"},
		"ollama/mine:latest": {Exact: true, Context: 3000},
		"openai/gpt-4.1":     {Exact: true, Context: 1_047_576, Output: 32_768, Input: 1, OutputUSD: 2, Tools: "yes", Vision: "yes"},
		"custom/brand-new":   {Exact: true, Context: 4000, Dialect: Responses},
	} {
		provider, name, _ := Split(model)
		if diff := cmp.Diff(brief(c.Lookup(provider, name)), want); diff != "" {
			t.Errorf("%s: got, want:\n%s", model, diff)
		}
	}
}

func TestCost(t *testing.T) {
	for name, row := range map[string]struct {
		model string
		usage llm.Usage
		usd   float64
		known bool
	}{
		"plain":                         {"openai/gpt-5.1", llm.Usage{Input: 1_000_000, Output: 100_000}, 2.25, true},
		"cached input":                  {"openai/gpt-5.1", llm.Usage{Input: 1_000_000, Cached: 800_000, Output: 100_000}, .25 + .1 + 1, true},
		"cache writes":                  {"anthropic/claude-sonnet-5", llm.Usage{Input: 1_000_000, Cached: 500_000, CacheWrite: 200_000}, .6 + .1 + .5, true},
		"a long request":                {"gemini/gemini-2.5-pro", llm.Usage{Input: 300_000, Output: 10_000}, .75 + .15, true},
		"a short request":               {"gemini/gemini-2.5-pro", llm.Usage{Input: 200_000, Output: 10_000}, .25 + .1, true},
		"a long request without prices": {"openai/gpt-6-sol", llm.Usage{Input: 300_000, Output: 10_000}, 0, false},
		"cached input without a price":  {"groq/qwen/qwen3-32b", llm.Usage{Input: 1000, Cached: 500}, 0, false},
		"no cached input":               {"groq/qwen/qwen3-32b", llm.Usage{Input: 1_000_000}, .29, true},
		"web searches":                  {"anthropic/claude-sonnet-5", llm.Usage{Input: 1_000_000, Searches: 3}, 2.03, true},
		"web searches without a price":  {"groq/qwen/qwen3-32b", llm.Usage{Input: 1000, Searches: 1}, 0, false},
		"unknown model":                 {"openai/any", llm.Usage{Input: 1000}, 0, false},
		"a local server":                {"ollama/any", llm.Usage{Input: 1000, Cached: 10, Output: 5}, 0, true},
	} {
		provider, model, _ := Split(row.model)
		usd, known := Changes{}.Lookup(provider, model).Cost(row.usage)
		if known != row.known || usd-row.usd > 1e-9 || row.usd-usd > 1e-9 {
			t.Errorf("%s: got %g, %t, want %g, %t", name, usd, known, row.usd, row.known)
		}
	}
}

func TestTakesEffort(t *testing.T) {
	for _, row := range []struct{ model, level, err string }{
		{"openai/gpt-5.1", "high", ""},
		{"openai/gpt-5.1", "", ""},
		{"openai/gpt-5.1", "extreme", `this model does not support effort "extreme": use none, low, medium, high`},
		{"openai/gpt-4.1", "low", "this model does not support reasoning effort"},
		{"openai/gpt-5.9", "extreme", ""},
		{"custom/any", "extreme", ""},
	} {
		provider, model, _ := Split(row.model)
		got := ""
		if err := (Changes{}).Lookup(provider, model).TakesEffort(row.level); err != nil {
			got = err.Error()
		}
		if got != row.err {
			t.Errorf("%s %s: got %q, want %q", row.model, row.level, got, row.err)
		}
	}
}

// TestTable checks every row of models.json.
func TestTable(t *testing.T) {
	for name, i := range table() {
		if p := i.Price; p != nil && (p.Input <= 0 || p.Output < p.Input || p.Cached > p.Input || p.Over != nil && p.Over.Tokens < 1000) {
			t.Errorf("%s: the price %+v cannot be", name, *p)
		}
		if i.Context > 0 && i.Output > i.Context || i.Context > 0 && i.Context < 4096 {
			t.Errorf("%s: a window of %d and an output of %d cannot be", name, i.Context, i.Output)
		}
		if _, found := Find(i.Maker); i.Maker != "" && !found {
			t.Errorf("%s: there is no provider %s", name, i.Maker)
		}
	}
	cerebras, _ := Find("cerebras")
	if got := (Changes{}).ModelsOf(ProviderStatus{Row: cerebras}); !cmp.Equal(got, []string{"gpt-oss-120b", "qwen-3.8-27b"}) {
		t.Errorf("got %v", got)
	}
}
