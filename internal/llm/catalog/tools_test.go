package catalog_test

import (
	"strings"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/catalog"
)

func TestOffer(t *testing.T) {
	var all []llm.ToolSpec
	for _, name := range strings.Fields("read list glob search edit patch write shell jobs fetch todo ask present_plan delegate") {
		all = append(all, llm.ToolSpec{Name: name, Description: "One line.\n\nMore."})
	}
	all[5].Freeform = &llm.Freeform{Argument: "patch"}
	const (
		edits   = "read list glob search edit write shell jobs fetch todo ask present_plan delegate"
		patches = "read list glob search apply_patch write shell jobs fetch todo ask present_plan delegate"
		plain   = "read list glob search apply_patch* write shell jobs fetch todo ask present_plan delegate"
	)
	for _, c := range []struct {
		model  string
		window int
		want   string
	}{
		{"claude-sonnet-4-5", 200_000, edits},
		{"qwen3-coder", 0, edits},
		{"gpt-5", 400_000, plain},
		{"gpt-5.1-codex-max", 0, plain},
		{"openai/gpt-5-mini", 0, plain},
		{"databricks-gpt-5", 0, plain},
		{"openai/gpt-oss-120b", 131_072, patches},
		{"GPT-4.1", 0, patches},
		{"chatgpt-4o-latest", 0, patches},
		{"o4-mini", 0, patches},
		{"codex-mini-latest", 0, patches},
		{"anthropic/claude-opus-4.5", 0, edits},
		{"eleutherai/pythia", 0, edits},
		{"gemma3", 15_999, "read search edit write shell"},
		{"gemma3", 16_000, "read search edit write shell jobs todo ask present_plan"},
		{"gemma3", 31_999, "read search edit write shell jobs todo ask present_plan"},
		{"gemma3", 63_999, "read search edit write shell jobs todo ask present_plan delegate"},
		{"gemma3", 64_000, edits},
		{"gpt-oss:20b", 8_192, "read search apply_patch write shell"},
		{"gpt-oss:20b", 32_768, "read search apply_patch write shell jobs todo ask present_plan delegate"},
	} {
		var got []string
		for _, s := range catalog.Offer(c.model, c.window, all) {
			name := s.Name
			if s.Freeform != nil {
				name += "*"
			}
			if (s.Name == "apply_patch") != (s.Tool == "patch") {
				t.Errorf("%s: %s is the tool %q", c.model, s.Name, s.Tool)
			}
			if brief := c.window > 0 && c.window < 16_000; brief != (s.Description == "One line.") {
				t.Errorf("%s with %d tokens: %s is described as %q", c.model, c.window, s.Name, s.Description)
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s with %d tokens: got %v\nwant %s", c.model, c.window, got, c.want)
		}
	}
}
