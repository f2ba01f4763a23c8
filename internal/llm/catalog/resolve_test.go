package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answer summarizes a Choice.
type answer struct {
	ID, BaseURL, Key, KeyName, Why string
	Login, Next                    string
	Notices                        []string
	Err                            string
}

const (
	openaiURL = "https://api.openai.com/v1"
	groqURL   = "https://api.groq.com/openai/v1"
	local     = "http://127.0.0.1:9000/v1"
)

func TestResolve(t *testing.T) {
	for name, row := range map[string]struct {
		in   Input
		env  string // NAME=VALUE, separated by spaces
		want answer
	}{
		"no input": {want: answer{ID: "offline/guide", Why: "no model is connected: no API key is set"}},
		"the flag comes first": {in: Input{Flag: "openai/gpt-5.1", Config: []string{"groq/x"}, Last: "groq/y"}, env: "OPENAI_API_KEY=k1 GROQ_API_KEY=k2 AGENT_MODEL=groq/z",
			want: answer{ID: "openai/gpt-5.1", BaseURL: openaiURL, Key: "k1", KeyName: "OPENAI_API_KEY", Why: "set by --model"}},
		"then the environment": {in: Input{Config: []string{"groq/x"}, Last: "groq/y"}, env: "GROQ_API_KEY=k2 AGENT_MODEL=groq/z",
			want: answer{ID: "groq/z", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "set by AGENT_MODEL"}},
		"then the configuration": {in: Input{Config: []string{"groq/x"}, Last: "groq/y"}, env: "GROQ_API_KEY=k2",
			want: answer{ID: "groq/x", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "set in the configuration"}},
		"then the last used model": {in: Input{Last: "groq/y"}, env: "GROQ_API_KEY=k2 OPENAI_API_KEY=k1",
			want: answer{ID: "groq/y", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "last used in this directory"}},
		"then the first provider with a key": {env: "GROQ_API_KEY=k2 XAI_API_KEY=k3",
			want: answer{ID: "groq/openai/gpt-oss-120b", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY",
				Why: "default of groq, the first provider with an API key (GROQ_API_KEY)"}},
		"the second variable for a key, with spaces": {env: "GOOGLE_API_KEY=\nk4\n", want: answer{ID: "gemini/gemini-flash-latest",
			BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Key: "k4", KeyName: "GOOGLE_API_KEY",
			Why: "default of gemini, the first provider with an API key (GOOGLE_API_KEY)"}},
		"the guide by name": {in: Input{Flag: "offline"}, env: "OPENAI_API_KEY=k1", want: answer{ID: "offline/guide", Why: "set by --model"}},
		"the guide is not kept as the last used model": {in: Input{Last: "offline/guide"}, env: "OPENAI_API_KEY=k1",
			want: answer{ID: "openai/gpt-5.1", BaseURL: openaiURL, Key: "k1", KeyName: "OPENAI_API_KEY",
				Why: "default of openai, the first provider with an API key (OPENAI_API_KEY)"}},

		"the last used model lost its key": {in: Input{Last: "groq/y"}, want: answer{ID: "offline/guide", Why: "no model is connected: no API key is set",
			Notices: []string{"groq/y, last used in this directory, is not available: groq needs an API key: set GROQ_API_KEY, or store one with: agent login groq"}}},

		"a key that was kept until the program ended": {in: Input{Last: "groq/y", Attended: true}, want: answer{ID: "offline/guide", Why: "no model is connected: no API key is set",
			Notices: []string{"groq/y, last used in this directory, is not available: groq needs an API key: set GROQ_API_KEY, or store one with: agent login groq. A key that was kept only until you quit must be entered again: /connect groq"}}},

		"base URL without a key": {in: Input{BaseURL: local},
			want: answer{ID: "openai/gpt-5.1", BaseURL: local, KeyName: "OPENAI_API_KEY", Why: "default of openai, because --base-url is set"}},
		"base URL from the environment": {in: Input{Flag: "openai/any-name"}, env: "OPENAI_BASE_URL=" + local,
			want: answer{ID: "openai/any-name", BaseURL: local, KeyName: "OPENAI_API_KEY", Why: "set by --model"}},
		"base URL from the configuration": {in: Input{ConfigURL: local}, env: "OPENAI_API_KEY=k1",
			want: answer{ID: "openai/gpt-5.1", BaseURL: local, Key: "k1", KeyName: "OPENAI_API_KEY", Why: "default of openai, because base_url in the configuration is set"}},
		"base URL of another provider": {in: Input{Flag: "groq/x", BaseURL: local}, env: "GROQ_API_KEY=k2 OPENAI_BASE_URL=http://other/v1",
			want: answer{ID: "groq/x", BaseURL: local, Key: "k2", KeyName: "GROQ_API_KEY", Why: "set by --model"}},
		"openai's base URL is not used for others": {in: Input{Flag: "groq/x"}, env: "GROQ_API_KEY=k2 OPENAI_BASE_URL=" + local,
			want: answer{ID: "groq/x", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "set by --model"}},
		"any model name on a custom server": {in: Input{Flag: "Qwen/Qwen3-8B", BaseURL: local},
			want: answer{ID: "openai/Qwen/Qwen3-8B", BaseURL: local, KeyName: "OPENAI_API_KEY", Why: "set by --model"}},
		"invalid URL": {in: Input{BaseURL: "localhost:8080"}, want: answer{Err: `--base-url: "localhost:8080" is not a base URL: write it like http://127.0.0.1:8080/v1`}},

		"a name without provider": {in: Input{Flag: "gpt-5"}, env: "OPENAI_API_KEY=k1",
			want: answer{ID: "openai/gpt-5", BaseURL: openaiURL, Key: "k1", KeyName: "OPENAI_API_KEY", Why: "set by --model"}},
		"a provider without name": {in: Input{Flag: "Groq"}, env: "GROQ_API_KEY=k2",
			want: answer{ID: "groq/openai/gpt-oss-120b", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "set by --model"}},
		"a name with slashes": {in: Input{Flag: "openrouter/z-ai/glm-5"}, env: "OPENROUTER_API_KEY=k6",
			want: answer{ID: "openrouter/z-ai/glm-5", BaseURL: "https://openrouter.ai/api/v1", Key: "k6", KeyName: "OPENROUTER_API_KEY", Why: "set by --model"}},
		"a local server": {in: Input{Flag: "ollama/qwen3"}, want: answer{ID: "ollama/qwen3", BaseURL: "http://127.0.0.1:11434/v1", Why: "set by --model"}},

		"ollama's own variable, a host":              {in: Input{Flag: "ollama/qwen3"}, env: "OLLAMA_HOST=gpu", want: answer{ID: "ollama/qwen3", BaseURL: "http://gpu:11434/v1", Why: "set by --model"}},
		"ollama's own variable, a listening address": {in: Input{Flag: "ollama/qwen3"}, env: "OLLAMA_HOST=0.0.0.0:7000", want: answer{ID: "ollama/qwen3", BaseURL: "http://127.0.0.1:7000/v1", Why: "set by --model"}},
		"ollama's own variable, a port":              {in: Input{Flag: "ollama/qwen3"}, env: "OLLAMA_HOST=:7000", want: answer{ID: "ollama/qwen3", BaseURL: "http://127.0.0.1:7000/v1", Why: "set by --model"}},
		"ollama's own variable, an IPv6 address":     {in: Input{Flag: "ollama/qwen3"}, env: "OLLAMA_HOST=[::]", want: answer{ID: "ollama/qwen3", BaseURL: "http://127.0.0.1:11434/v1", Why: "set by --model"}},
		"ollama's own variable, a full URL":          {in: Input{Flag: "ollama/qwen3"}, env: "OLLAMA_HOST=https://gpu/api/v1/", want: answer{ID: "ollama/qwen3", BaseURL: "https://gpu/api/v1", Why: "set by --model"}},
		"a custom server":                            {in: Input{Flag: "custom/any", BaseURL: local}, want: answer{ID: "custom/any", BaseURL: local, KeyName: "CUSTOM_API_KEY", Why: "set by --model"}},
		"a custom server without a base URL":         {in: Input{Flag: "custom/any"}, want: answer{Err: "--model: custom needs a base URL: set CUSTOM_BASE_URL, or start with --base-url URL"}},
		"another provider with --base-url":           {in: Input{Flag: "anthropic/any-name", BaseURL: local}, want: answer{ID: "anthropic/any-name", BaseURL: local, KeyName: "ANTHROPIC_API_KEY", Why: "set by --model"}},

		"databricks": {in: Input{Flag: "databricks/my-endpoint"}, env: "DATABRICKS_HOST=adb-1.azuredatabricks.net/ DATABRICKS_TOKEN=k7",
			want: answer{ID: "databricks/my-endpoint", BaseURL: "https://adb-1.azuredatabricks.net", Key: "k7", KeyName: "DATABRICKS_TOKEN", Why: "set by --model"}},
		"databricks by its endpoint": {env: "DATABRICKS_HOST=https://adb-1 DATABRICKS_TOKEN=k7 LLM_ENDPOINT_NAME=ep",
			want: answer{ID: "databricks/ep", BaseURL: "https://adb-1", Key: "k7", KeyName: "DATABRICKS_TOKEN", Why: "default of databricks, the first provider with an API key (DATABRICKS_TOKEN)"}},
		"databricks with client credentials": {in: Input{Flag: "databricks"}, env: "DATABRICKS_HOST=https://adb-1 DATABRICKS_CLIENT_ID=id DATABRICKS_CLIENT_SECRET=s LLM_ENDPOINT_NAME=ep",
			want: answer{ID: "databricks/ep", BaseURL: "https://adb-1", KeyName: "DATABRICKS_CLIENT_SECRET", Login: "id s", Why: "set by --model"}},
		"databricks without a host": {in: Input{Flag: "databricks/x"}, env: "DATABRICKS_TOKEN=k7", want: answer{Err: "--model: databricks needs a base URL: set DATABRICKS_HOST, or start with --base-url URL"}},
		"databricks without a key": {in: Input{Flag: "databricks/x"}, env: "DATABRICKS_HOST=https://adb-1",
			want: answer{Err: "--model: databricks needs an API key: set DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET, or store one with: agent login databricks"}},
		"databricks without an endpoint": {in: Input{Flag: "databricks"}, env: "DATABRICKS_HOST=https://adb-1 DATABRICKS_TOKEN=k7",
			want: answer{Err: "--model: databricks has no default model: write databricks/NAME, or set LLM_ENDPOINT_NAME"}},
		"azure": {in: Input{Flag: "azure/gpt-5.1"}, env: "AZURE_OPENAI_ENDPOINT=https://me.openai.azure.com/ AZURE_OPENAI_API_KEY=k8",
			want: answer{ID: "azure/gpt-5.1", BaseURL: "https://me.openai.azure.com/openai/v1", Key: "k8", KeyName: "AZURE_OPENAI_API_KEY", Why: "set by --model"}},

		"the first usable model of a list": {in: Input{Config: []string{"groq/a", "xai/b", "mistral/c", "ollama/d"}}, env: "XAI_API_KEY=k3",
			want: answer{ID: "xai/b", BaseURL: "https://api.x.ai/v1", Key: "k3", KeyName: "XAI_API_KEY", Why: "set in the configuration", Next: "ollama/d",
				Notices: []string{"model in the configuration: groq needs an API key: set GROQ_API_KEY, or store one with: agent login groq"}}},
		"a model of the list named by the flag": {in: Input{Flag: "ollama/d", Config: []string{"xai/b", "ollama/d"}}, env: "XAI_API_KEY=k3",
			want: answer{ID: "ollama/d", BaseURL: "http://127.0.0.1:11434/v1", Why: "set by --model", Next: "xai/b"}},
		"a model outside the list named by the flag": {in: Input{Flag: "ollama/e", Config: []string{"xai/b", "ollama/d"}}, env: "XAI_API_KEY=k3",
			want: answer{ID: "ollama/e", BaseURL: "http://127.0.0.1:11434/v1", Why: "set by --model"}},

		"a key in the vault": {in: Input{Vault: vault{has: "groq", key: "k9"}}, want: answer{ID: "groq/openai/gpt-oss-120b", BaseURL: groqURL, Key: "k9", KeyName: "the vault",
			Why: "default of groq, the first provider with an API key (the vault)"}},
		"a vault with an unlisted key": {in: Input{Flag: "xai/b", Vault: vault{key: "k9"}}, want: answer{ID: "xai/b", BaseURL: "https://api.x.ai/v1", Key: "k9", KeyName: "the vault", Why: "set by --model"}},
		"a vault is not asked without need": {in: Input{Flag: "xai/b", Vault: vault{has: "xai", err: errors.New("asked")}}, env: "XAI_API_KEY=k3",
			want: answer{ID: "xai/b", BaseURL: "https://api.x.ai/v1", Key: "k3", KeyName: "XAI_API_KEY", Why: "set by --model"}},
		"a locked vault": {in: Input{Vault: vault{has: "groq", err: errors.New("it is locked")}}, want: answer{ID: "offline/guide",
			Why: "no model is connected: no API key is set", Notices: []string{"groq needs an API key: it is locked"}}},
		"a vault that lost the key": {in: Input{Flag: "groq/x", Vault: vault{has: "groq"}}, want: answer{Err: "--model: groq needs an API key: none found in the vault"}},

		"a local server is the last choice": {in: Input{Local: nearby}, want: answer{ID: "ollama/qwen3:8b", BaseURL: "http://127.0.0.1:11434/v1", Why: "ollama runs on this machine at 127.0.0.1:11434, and no other model is connected",
			Notices: []string{"Using ollama/qwen3:8b: ollama runs on this machine at 127.0.0.1:11434, and no other model is connected."}}},
		"a key comes before a local server": {in: Input{Local: nearby}, env: "GROQ_API_KEY=k2", want: answer{ID: "groq/openai/gpt-oss-120b", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY",
			Why: "default of groq, the first provider with an API key (GROQ_API_KEY)"}},

		"a provider of the configuration":      {in: Input{Flag: "acme/x", Changes: acme}, want: answer{ID: "acme/x", BaseURL: local, KeyName: "ACME_KEY", Why: "set by --model"}},
		"the default of a configured provider": {in: Input{Changes: acme}, want: answer{ID: "acme/m1", BaseURL: local, KeyName: "ACME_KEY", Why: "default of acme, because its base_url in the configuration is set"}},

		"a local server without a model": {in: Input{Flag: "ollama"}, want: answer{Err: "--model: ollama has no default model: write ollama/NAME"}},
		"a model without a known provider": {in: Input{Flag: "llama-3.3-70b"},
			want: answer{Err: `--model: no provider in model "llama-3.3-70b": write PROVIDER/NAME, for example openrouter/llama-3.3-70b`}},
		"a misspelled provider":               {in: Input{Config: []string{"opnai/gpt-5"}}, want: answer{Err: `model in the configuration: unknown provider "opnai": did you mean openai/gpt-5?`}},
		"a misspelled provider without model": {in: Input{Flag: "olama"}, want: answer{Err: `--model: unknown provider or model "olama": did you mean ollama?`}},
		"an unknown provider":                 {in: Input{Flag: "acme/x"}, want: answer{Err: `--model: unknown provider "acme": the providers are ` + strings.Join(Changes{}.names(), ", ")}},
		"no key":                              {in: Input{Flag: "gemini/x"}, want: answer{Err: "--model: gemini needs an API key: set GEMINI_API_KEY or GOOGLE_API_KEY, or store one with: agent login gemini"}},
		"no key, model from the environment":  {env: "AGENT_MODEL=gpt-5", want: answer{Err: "AGENT_MODEL: openai needs an API key: set OPENAI_API_KEY, or store one with: agent login openai"}},
	} {
		t.Run(name, func(t *testing.T) {
			row.in.Getenv = env(row.env)
			c, err := Resolve(row.in)
			got := answer{BaseURL: c.BaseURL, Key: c.Key.Reveal(), KeyName: c.KeyName, Why: c.Why, Notices: c.Notices}
			if err != nil {
				got = answer{Err: err.Error()}
			} else {
				got.ID = c.ID()
			}
			if c.Login != nil {
				got.Login = c.Login.ID.Reveal() + " " + c.Login.Secret.Reveal()
			}
			for _, n := range c.Next {
				got.Next = strings.TrimSpace(got.Next + " " + n.ID())
			}
			if diff := cmp.Diff(got, row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

func TestConnect(t *testing.T) {
	c, err := Resolve(Input{Getenv: env("OPENAI_API_KEY=sk-secret")})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Connect()
	if err != nil || fmt.Sprint(p) != "openai" {
		t.Errorf("got %v, %v", p, err)
	}
	guide, _ := Resolve(Input{})
	if _, err := guide.Connect(); err == nil || !guide.Offline() {
		t.Errorf("the guide connects: %v", err)
	}
	wire, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{fmt.Sprintf("%v %+v %#v %s %q %x %d", c, c, c, c.Key, c.Key, c.Key, c.Key), string(wire), fmt.Sprintf("%v %#v", p, p)} {
		if strings.Contains(s, "secret") || strings.Contains(s, fmt.Sprintf("%x", "secret")) {
			t.Errorf("the key shows in %s", s)
		}
	}
}

// TestProviders checks every row of the table.
func TestProviders(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Providers() {
		if seen[r.Name] || r.Name != strings.ToLower(r.Name) {
			t.Errorf("%s: its name is no good", r.Name)
		}
		seen[r.Name] = true
		if CheckURL(r.BaseURL) != nil || r.BaseURL == "" && r.URLName == "" && r.Dialect != Builtin {
			t.Errorf("%s: base URL %q", r.Name, r.BaseURL)
		}
		if !r.Local && len(r.KeyNames) == 0 {
			t.Errorf("%s: neither local nor with a key", r.Name)
		}
		if !r.Local && !r.Keyless && r.Models.Default == "" && r.Models.DefaultName == "" {
			t.Errorf("%s: no default model", r.Name)
		}
	}
}

// acme is a configuration with an additional provider.
var acme = Changes{Rows: []Row{{Name: "acme", Dialect: OpenAI, BaseURL: local, Models: Models{Default: "m1"}, Credentials: Credentials{KeyNames: []string{"ACME_KEY"}, Keyless: true}, Configured: true}}}

// nearby returns the local servers; the second model supports tools.
func nearby() []Server {
	yes, no := true, false
	ollama, _ := Find("ollama")
	return []Server{{Row: ollama, Owner: Trusted, BaseURL: ollama.BaseURL, Models: []Served{{Name: "gemma3", Tools: &no}, {Name: "qwen3:8b", Tools: &yes, Context: 8192}}}}
}

// vault holds one key.
type vault struct {
	has string
	key Key
	err error
}

func (v vault) Has(provider string) (string, bool) { return "the vault", provider == v.has }

func (v vault) Key(string) (Key, string, error) { return v.key, "the vault", v.err }

// env returns an environment from NAME=VALUE separated by spaces.
func env(s string) func(string) string {
	vars := map[string]string{}
	for _, kv := range strings.Split(s, " ") {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	return func(k string) string { return vars[k] }
}
