// Package catalog holds what is known of providers and models, and decides
// which model answers.
//
// A provider is a row of a table, never a branch in code. Nothing here reads
// the environment or a file by itself: what decides comes in as an Input. Only
// Choice.Connect reaches out of the package, to the dialects.
package catalog

import (
	"slices"
	"strings"

	"agent/internal/llm/openai"
)

// Dialect is a wire format.
type Dialect string

// The dialects of the table.
const (
	OpenAI     Dialect = "openai"     // chat completions
	Anthropic  Dialect = "anthropic"  // messages
	Databricks Dialect = "databricks" // serving endpoints
	Azure      Dialect = "azure"      // deployments
	Builtin    Dialect = "builtin"    // no wire at all: the offline guide
)

// Row is a provider.
type Row struct {
	Name     string
	Dialect  Dialect
	BaseURL  string   // where it is, unless URLName or the person says otherwise
	URLName  string   // the variable that may say otherwise
	KeyNames []string // the variables that may hold its key, the usual one first
	Default  string   // the model where only the provider is named
	Prefixes []string // beginnings of model names that only this provider has
	Local    bool     // a server on this machine, which needs no key
	Headers  map[string]string
	Quirks   openai.Quirks
}

// Built reports whether the program speaks the row's dialect.
func (r Row) Built() bool { return r.Dialect == OpenAI || r.Dialect == Builtin }

// Providers returns the table, in the order in which providers are preferred
// when the keys of several are set.
func Providers() []Row {
	return []Row{
		{Name: "openai", Dialect: OpenAI, BaseURL: "https://api.openai.com/v1", URLName: "OPENAI_BASE_URL",
			KeyNames: []string{"OPENAI_API_KEY"}, Default: "gpt-5.1",
			Prefixes: []string{"gpt-3", "gpt-4", "gpt-5", "gpt-6", "o1", "o3", "o4", "chatgpt-", "codex-"},
			Quirks:   openai.Quirks{MaxCompletionTokens: true}},
		{Name: "anthropic", Dialect: Anthropic, BaseURL: "https://api.anthropic.com",
			KeyNames: []string{"ANTHROPIC_API_KEY"}, Default: "claude-sonnet-5", Prefixes: []string{"claude-"}},
		{Name: "openrouter", Dialect: OpenAI, BaseURL: "https://openrouter.ai/api/v1",
			KeyNames: []string{"OPENROUTER_API_KEY"}, Default: "anthropic/claude-sonnet-5",
			Headers: map[string]string{"X-Title": "agent"}},
		{Name: "databricks", Dialect: Databricks, URLName: "DATABRICKS_HOST", KeyNames: []string{"DATABRICKS_TOKEN"},
			Prefixes: []string{"databricks-"}},
		{Name: "azure", Dialect: Azure, URLName: "AZURE_OPENAI_ENDPOINT", KeyNames: []string{"AZURE_OPENAI_API_KEY"}},
		{Name: "groq", Dialect: OpenAI, BaseURL: "https://api.groq.com/openai/v1",
			KeyNames: []string{"GROQ_API_KEY"}, Default: "openai/gpt-oss-120b"},
		{Name: "deepseek", Dialect: OpenAI, BaseURL: "https://api.deepseek.com/v1",
			KeyNames: []string{"DEEPSEEK_API_KEY"}, Default: "deepseek-v4-pro",
			Prefixes: []string{"deepseek-v", "deepseek-chat", "deepseek-reasoner"},
			Quirks:   openai.Quirks{KeepThinking: true}},
		{Name: "mistral", Dialect: OpenAI, BaseURL: "https://api.mistral.ai/v1",
			KeyNames: []string{"MISTRAL_API_KEY"}, Default: "mistral-large-latest",
			Prefixes: []string{"mistral-large", "mistral-medium", "magistral-", "ministral-", "codestral-", "devstral-"}},
		{Name: "xai", Dialect: OpenAI, BaseURL: "https://api.x.ai/v1",
			KeyNames: []string{"XAI_API_KEY"}, Default: "grok-4.3", Prefixes: []string{"grok-"}},
		{Name: "gemini", Dialect: OpenAI, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
			KeyNames: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Default: "gemini-flash-latest", Prefixes: []string{"gemini-"}},
		{Name: "together", Dialect: OpenAI, BaseURL: "https://api.together.xyz/v1",
			KeyNames: []string{"TOGETHER_API_KEY"}, Default: "openai/gpt-oss-120b"},
		{Name: "fireworks", Dialect: OpenAI, BaseURL: "https://api.fireworks.ai/inference/v1",
			KeyNames: []string{"FIREWORKS_API_KEY"}, Default: "accounts/fireworks/models/gpt-oss-120b",
			Prefixes: []string{"accounts/fireworks/"}},
		{Name: "cerebras", Dialect: OpenAI, BaseURL: "https://api.cerebras.ai/v1",
			KeyNames: []string{"CEREBRAS_API_KEY"}, Default: "gpt-oss-120b"},
		{Name: "ollama", Dialect: OpenAI, BaseURL: "http://127.0.0.1:11434/v1", Local: true},
		{Name: "lmstudio", Dialect: OpenAI, BaseURL: "http://127.0.0.1:1234/v1", Local: true},
		{Name: "llamacpp", Dialect: OpenAI, BaseURL: "http://127.0.0.1:8080/v1", Local: true},
		{Name: "vllm", Dialect: OpenAI, BaseURL: "http://127.0.0.1:8000/v1", Local: true},
		{Name: "offline", Dialect: Builtin, Default: "guide", Local: true},
	}
}

// Find returns the provider called name.
func Find(name string) (Row, bool) {
	rows := Providers()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == strings.ToLower(name) })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// Split cuts PROVIDER/NAME at its first slash, as names may hold more.
func Split(model string) (provider, name string, ok bool) {
	provider, name, ok = strings.Cut(strings.TrimSpace(model), "/")
	return provider, name, ok && provider != "" && name != ""
}
