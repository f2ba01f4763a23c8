package catalog

import "agent/internal/llm/openai"

// Providers returns the built-in table.
func Providers() []Row {
	return []Row{
		{Name: "openai", Offers: "GPT models", KeysAt: "https://platform.openai.com/api-keys", Dialect: OpenAI, Several: true, BaseURL: "https://api.openai.com/v1", URLName: "OPENAI_BASE_URL",
			Credentials: key("OPENAI_API_KEY"), Models: Models{Default: "gpt-5.1", Prefixes: []string{"gpt-3", "gpt-4", "gpt-5", "gpt-6", "o1", "o3", "o4", "chatgpt-", "codex-"}},
			Quirks: openai.Quirks{MaxCompletionTokens: true, Strict: true}},
		{Name: "anthropic", Offers: "Claude models", KeysAt: "https://console.anthropic.com/settings/keys", Dialect: Anthropic, BaseURL: "https://api.anthropic.com", URLName: "ANTHROPIC_BASE_URL",
			Credentials: Credentials{KeyNames: []string{"ANTHROPIC_API_KEY"}, KeyHeader: "X-Api-Key"}, Models: Models{Default: "claude-sonnet-5", Prefixes: []string{"claude-"}}},
		{Name: "openrouter", KeyCheck: "/key", Offers: "models of many vendors", KeysAt: "https://openrouter.ai/settings/keys", Dialect: OpenAI, BaseURL: "https://openrouter.ai/api/v1",
			Credentials: key("OPENROUTER_API_KEY"), Models: Models{Default: "anthropic/claude-sonnet-5", Vendors: map[string]string{"anthropic": "anthropic", "openai": "openai", "google": "gemini", "x-ai": "xai", "mistralai": "mistral"}},
			Headers: map[string]string{"X-Title": "agent"}},
		{Name: "databricks", Offers: "models that a Databricks workspace serves", Dialect: OpenAI, URLName: "DATABRICKS_HOST", URLForm: "https://WORKSPACE.cloud.databricks.com", Path: "/serving-endpoints/{model}/invocations",
			Models: Models{DefaultName: "LLM_ENDPOINT_NAME", Prefixes: []string{"databricks-"}}, Listing: DatabricksListing,
			Credentials: Credentials{KeyNames: []string{"DATABRICKS_TOKEN"},
				Client: &Client{IDName: "DATABRICKS_CLIENT_ID", SecretName: "DATABRICKS_CLIENT_SECRET", Path: "/oidc/v1/token", Scope: "all-apis"}}},
		{Name: "azure", Offers: "models that you deployed at Azure OpenAI", Dialect: OpenAI, Several: true, URLName: "AZURE_OPENAI_ENDPOINT", URLForm: "https://NAME.openai.azure.com", Suffix: "/openai/v1",
			Credentials: Credentials{KeyNames: []string{"AZURE_OPENAI_API_KEY"}, KeyHeader: "Api-Key",
				Token:      []string{"az", "account", "get-access-token", "--resource", "https://cognitiveservices.azure.com", "--query", "accessToken", "--output", "tsv"},
				TokenHosts: []string{".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"}}, Models: Models{DefaultName: "AZURE_OPENAI_DEPLOYMENT"},
			Quirks: openai.Quirks{MaxCompletionTokens: true, Strict: true}},
		{Name: "bedrock", Offers: "models at Amazon Bedrock", Dialect: OpenAI, URLName: "BEDROCK_BASE_URL", URLForm: "https://bedrock-runtime.us-east-1.amazonaws.com", Suffix: "/openai/v1",
			Credentials: key("AWS_BEARER_TOKEN_BEDROCK"), Models: Models{Default: "openai.gpt-oss-120b-1:0"}},
		{Name: "vertex", Offers: "models at Google Vertex AI", Dialect: OpenAI, URLName: "VERTEX_BASE_URL", URLForm: "https://us-central1-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-central1/endpoints/openapi",
			Credentials: Credentials{KeyNames: []string{"VERTEX_ACCESS_TOKEN"}, Token: []string{"gcloud", "auth", "print-access-token"},
				TokenHosts: []string{"aiplatform.googleapis.com", "-aiplatform.googleapis.com"}}, Models: Models{Default: "google/gemini-2.5-flash"}},
		{Name: "github", Offers: "GitHub Models", Dialect: OpenAI, BaseURL: "https://models.github.ai/inference",
			Credentials: Credentials{KeyNames: []string{"GITHUB_MODELS_TOKEN"}, Token: []string{"gh", "auth", "token"}, TokenHosts: []string{"models.github.ai"}}, Listing: GitHubListing, Models: Models{Default: "openai/gpt-4.1"}},
		{Name: "groq", Offers: "fast open models", KeysAt: "https://console.groq.com/keys", Dialect: OpenAI, BaseURL: "https://api.groq.com/openai/v1",
			Credentials: key("GROQ_API_KEY"), Models: Models{Default: "openai/gpt-oss-120b"}},
		{Name: "deepseek", Offers: "DeepSeek models", KeysAt: "https://platform.deepseek.com/api_keys", Dialect: OpenAI, BaseURL: "https://api.deepseek.com/v1",
			Credentials: key("DEEPSEEK_API_KEY"), Models: Models{Default: "deepseek-v4-pro", Prefixes: []string{"deepseek-v", "deepseek-chat", "deepseek-reasoner"}},
			Quirks: openai.Quirks{KeepThinking: true, PadThinking: true}},
		{Name: "mistral", Offers: "Mistral models", KeysAt: "https://console.mistral.ai/api-keys", Dialect: OpenAI, BaseURL: "https://api.mistral.ai/v1",
			Credentials: key("MISTRAL_API_KEY"), Models: Models{Default: "mistral-large-latest", Prefixes: []string{"mistral-large", "mistral-medium", "magistral-", "ministral-", "codestral-", "devstral-"}}},
		{Name: "xai", Offers: "Grok models", KeysAt: "https://console.x.ai", Dialect: OpenAI, BaseURL: "https://api.x.ai/v1",
			Credentials: key("XAI_API_KEY"), Models: Models{Default: "grok-4.3", Prefixes: []string{"grok-"}}},
		{Name: "gemini", Offers: "Gemini models", KeysAt: "https://aistudio.google.com/apikey", Dialect: OpenAI, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
			Credentials: key("GEMINI_API_KEY", "GOOGLE_API_KEY"), Models: Models{Default: "gemini-flash-latest", Prefixes: []string{"gemini-"}}},
		{Name: "together", Offers: "open models", KeysAt: "https://api.together.ai/settings/api-keys", Dialect: OpenAI, BaseURL: "https://api.together.xyz/v1",
			Credentials: key("TOGETHER_API_KEY"), Models: Models{Default: "openai/gpt-oss-120b"}},
		{Name: "fireworks", Offers: "open models", KeysAt: "https://app.fireworks.ai/settings/users/api-keys", Dialect: OpenAI, BaseURL: "https://api.fireworks.ai/inference/v1",
			Credentials: key("FIREWORKS_API_KEY"), Models: Models{Default: "accounts/fireworks/models/gpt-oss-120b", Prefixes: []string{"accounts/fireworks/"}}},
		{Name: "cerebras", Offers: "fast open models", KeysAt: "https://cloud.cerebras.ai", Dialect: OpenAI, BaseURL: "https://api.cerebras.ai/v1",
			Credentials: key("CEREBRAS_API_KEY"), Models: Models{Default: "gpt-oss-120b"}},
		{Name: "ollama", Offers: "local server", Dialect: OpenAI, BaseURL: "http://127.0.0.1:11434/v1", URLName: "OLLAMA_HOST", Suffix: "/v1",
			Local: true, Start: "ollama serve", Listing: OllamaListing},
		{Name: "lmstudio", Offers: "local server", Dialect: OpenAI, BaseURL: "http://127.0.0.1:1234/v1", URLName: "LMSTUDIO_BASE_URL", Suffix: "/v1",
			Local: true, Start: "lms server start", Listing: LMStudioListing},
		{Name: "llamacpp", Offers: "local server", Dialect: OpenAI, BaseURL: "http://127.0.0.1:8080/v1", URLName: "LLAMACPP_BASE_URL", Suffix: "/v1",
			Local: true, Start: "llama-server --jinja -m MODEL.gguf", Listing: LlamaCppListing},
		{Name: "vllm", Offers: "local server", Dialect: OpenAI, BaseURL: "http://127.0.0.1:8000/v1", URLName: "VLLM_BASE_URL", Suffix: "/v1",
			Local: true, Start: "vllm serve MODEL --enable-auto-tool-choice"},
		{Name: "custom", Offers: "an OpenAI-compatible server", Dialect: OpenAI, URLName: "CUSTOM_BASE_URL", Credentials: Credentials{KeyNames: []string{"CUSTOM_API_KEY"}, Keyless: true}},
		{Name: "offline", Dialect: Builtin, Models: Models{Default: "guide"}, Local: true},
	}
}

// key returns the credentials of a provider with an API key in one of the variables.
func key(names ...string) Credentials { return Credentials{KeyNames: names} }
