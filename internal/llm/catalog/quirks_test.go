package catalog

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/wire"
)

func TestQuirksOfModels(t *testing.T) {
	yes, no := true, false
	changes := Changes{Models: map[string]Info{"openrouter/qwen/off": {KeepThinking: &no}, "groq/llama-on": {KeepThinking: &yes}}}
	for name, row := range map[string]struct {
		env, model, want string
	}{
		"DeepSeek":                      {"DEEPSEEK_API_KEY=k", "deepseek/deepseek-v4-pro", "thinking padded"},
		"a family at a router":          {"OPENROUTER_API_KEY=k", "openrouter/moonshotai/kimi-k2.6", "thinking"},
		"a family on this machine":      {"", "ollama/qwen3:8b", "thinking"},
		"a family at a custom provider": {"CUSTOM_BASE_URL=http://127.0.0.1:1/v1", "custom/zai-org/GLM-4.7", "thinking"},
		"another family":                {"GROQ_API_KEY=k", "groq/llama-4", ""},
		"enabled by the configuration":  {"GROQ_API_KEY=k", "groq/llama-on", "thinking"},
		"disabled by the configuration": {"OPENROUTER_API_KEY=k", "openrouter/qwen/off", ""},
		"Claude at OpenRouter":          {"OPENROUTER_API_KEY=k", "openrouter/anthropic/claude-sonnet-5", "marks"},
		"Claude at Databricks":          {"DATABRICKS_HOST=https://d DATABRICKS_TOKEN=t", "databricks/databricks-claude-sonnet-5", "marks"},
		"OpenAI":                        {"OPENAI_API_KEY=k", "openai/gpt-4.1", "key"},
		"OpenAI in a region":            {"OPENAI_API_KEY=k OPENAI_BASE_URL=https://eu.api.openai.com/v1", "openai/gpt-4.1", "key"},
		"Azure":                         {"AZURE_OPENAI_ENDPOINT=https://me.openai.azure.com AZURE_OPENAI_API_KEY=k", "azure/my-gpt", "key"},
		"a copy of OpenAI":              {"OPENAI_API_KEY=k OPENAI_BASE_URL=https://api.openai.com.example.org/v1", "openai/gpt-4.1", ""},
		"a server of one's own":         {"OPENAI_BASE_URL=http://127.0.0.1:8080/v1", "openai/m", ""},
	} {
		c, err := Resolve(Input{Getenv: env(row.env), Flag: row.model, Changes: changes})
		if err != nil {
			t.Fatal(name, err)
		}
		got := ""
		add := func(set bool, word string) {
			if set && got != "" {
				got += " "
			}
			if set {
				got += word
			}
		}
		q := c.quirks()
		add(q.KeepThinking, "thinking")
		add(q.PadThinking, "padded")
		add(q.CacheMarks, "marks")
		add(q.CacheKey, "key")
		if got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// A model that has rejected tools writes its calls as text, unless the configuration
// says that it has tools.
func TestLearnedNoTools(t *testing.T) {
	yes := true
	memory := map[string]wire.ServerLimits{}
	in := Input{Getenv: env("OPENAI_BASE_URL=http://127.0.0.1:8080/v1"), Flag: "openai/m", ServerLimits: func(base string) wire.ServerLimits {
		if memory[base] == nil {
			memory[base] = wire.NewServerLimits()
		}
		return memory[base]
	}}
	state := func(in Input) string {
		c, err := Resolve(in)
		return fmt.Sprint(c.Info.TextToolCalls(), c.LearnedNoTools, err)
	}
	c, err := Resolve(in)
	if err != nil || state(in) != "false false <nil>" {
		t.Fatalf("got %s, %v", state(in), err)
	}
	c.Learn(NoTools)
	if got := state(in); got != "true true <nil>" {
		t.Errorf("after it was learned: got %s", got)
	}
	in.Changes.Models = map[string]Info{"openai/m": {Tools: &yes}}
	if got := state(in); got != "false false <nil>" {
		t.Errorf("with the configuration: got %s", got)
	}
	in.Flag, in.Changes.Models = "openai/n", nil
	if got := state(in); got != "false false <nil>" {
		t.Errorf("another model: got %s", got)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(memory)), []string{"http://127.0.0.1:8080/v1"}); diff != "" {
		t.Error(diff)
	}
}

func TestNamedModelsAreListed(t *testing.T) {
	s := answers(t, map[string]string{"GET /api/2.0/serving-endpoints": `{"endpoints":[
		{"name":"databricks-claude-sonnet-5","task":"llm/v1/chat"},{"name":"my-agent"},{"name":"embed","task":"llm/v1/embeddings"}]}`})
	in := Input{Getenv: env("DATABRICKS_HOST=" + s.URL + " DATABRICKS_TOKEN=t LLM_ENDPOINT_NAME=mine AGENT_MODEL=databricks/other"), Config: []string{"databricks/third", "groq/x"}}
	row, _ := Find("databricks")
	status := in.providerStatus(row)
	if diff := cmp.Diff(in.Changes.ModelsOf(status), []string{"mine", "other", "third"}); diff != "" || status.Default != "mine" {
		t.Errorf("default %q; got, want:\n%s", status.Default, diff)
	}
	models, err := in.List(t.Context(), status)
	if diff := cmp.Diff(models, []Served{{Name: "databricks-claude-sonnet-5"}, {Name: "my-agent"}}); diff != "" || err != nil {
		t.Errorf("%v; got, want:\n%s", err, diff)
	}
}
