package catalog

import "strings"

// Context returns how many tokens the model's window holds, 0 if that is not
// known. A server on this machine decides its window itself.
func Context(provider, model string) int {
	if r, ok := Find(provider); ok && r.Local {
		return 0
	}
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:]) // routers name the maker first
	best, tokens := "", 0
	for prefix, n := range windows() {
		if strings.HasPrefix(name, prefix) && len(prefix) > len(best) {
			best, tokens = prefix, n
		}
	}
	return tokens
}

// windows holds the windows of models by the beginning of their names; the
// longest that fits counts.
func windows() map[string]int {
	return map[string]int{
		"gpt-4o":          128_000,
		"gpt-4.1":         1_047_576,
		"gpt-5":           400_000,
		"gpt-oss":         131_072,
		"o1":              200_000,
		"o3":              200_000,
		"o4":              200_000,
		"claude-":         200_000,
		"claude-opus-5":   1_000_000,
		"claude-sonnet-5": 1_000_000,
		"codestral":       256_000,
		"deepseek-v3":     131_072,
		"deepseek-v4":     1_048_576,
		"devstral":        131_072,
		"gemini-":         1_048_576,
		"glm-4.7":         200_000,
		"glm-5":           200_000,
		"grok-3":          131_072,
		"grok-4":          256_000,
		"grok-4-fast":     2_000_000,
		"grok-4.1-fast":   2_000_000,
		"grok-code-fast":  256_000,
		"kimi-k2":         262_144,
		"llama-3.1":       131_072,
		"llama-3.3":       131_072,
		"magistral":       131_072,
		"ministral":       131_072,
		"mistral-large":   131_072,
		"mistral-medium":  131_072,
		"mistral-small":   131_072,
		"qwen3-coder":     262_144,
		"qwen3-max":       262_144,
	}
}
