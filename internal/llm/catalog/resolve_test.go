package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answer is what Resolve says, in short.
type answer struct {
	ID, BaseURL, Key, KeyName, Why string
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
		env  string // NAME=VALUE, blank between
		want answer
	}{
		"nothing at all": {want: answer{ID: "offline/guide", Why: "no model is connected: no provider's key is set"}},
		"the flag first": {in: Input{Flag: "openai/gpt-5.1", Config: "groq/x", Last: "groq/y"}, env: "OPENAI_API_KEY=k1 GROQ_API_KEY=k2 AGENT_MODEL=groq/z",
			want: answer{ID: "openai/gpt-5.1", BaseURL: openaiURL, Key: "k1", KeyName: "OPENAI_API_KEY", Why: "chosen by --model"}},
		"then the environment": {in: Input{Config: "groq/x", Last: "groq/y"}, env: "GROQ_API_KEY=k2 AGENT_MODEL=groq/z",
			want: answer{ID: "groq/z", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "chosen by AGENT_MODEL"}},
		"then the configuration": {in: Input{Config: "groq/x", Last: "groq/y"}, env: "GROQ_API_KEY=k2",
			want: answer{ID: "groq/x", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "chosen in the configuration"}},
		"then the last": {in: Input{Last: "groq/y"}, env: "GROQ_API_KEY=k2 OPENAI_API_KEY=k1",
			want: answer{ID: "groq/y", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "used last in this directory"}},
		"then the first with a key": {env: "GROQ_API_KEY=k2 XAI_API_KEY=k3",
			want: answer{ID: "groq/openai/gpt-oss-120b", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY",
				Why: "default of groq, the first provider whose key is set (GROQ_API_KEY)"}},
		"a second name of a key, with blanks": {env: "GOOGLE_API_KEY=\nk4\n", want: answer{ID: "gemini/gemini-flash-latest",
			BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Key: "k4", KeyName: "GOOGLE_API_KEY",
			Why: "default of gemini, the first provider whose key is set (GOOGLE_API_KEY)"}},
		"the guide by name": {in: Input{Flag: "offline"}, env: "OPENAI_API_KEY=k1", want: answer{ID: "offline/guide", Why: "chosen by --model"}},
		"the guide is not stuck to": {in: Input{Last: "offline/guide"}, env: "OPENAI_API_KEY=k1",
			want: answer{ID: "openai/gpt-5.1", BaseURL: openaiURL, Key: "k1", KeyName: "OPENAI_API_KEY",
				Why: "default of openai, the first provider whose key is set (OPENAI_API_KEY)"}},

		"not built, key set": {env: "ANTHROPIC_API_KEY=k5", want: answer{ID: "offline/guide", Why: "no model is connected: no provider's key is set",
			Notices: []string{"ANTHROPIC_API_KEY is set, but anthropic is not built yet"}}},
		"not built, named": {in: Input{Flag: "anthropic/claude-sonnet-5"}, env: "ANTHROPIC_API_KEY=k5", want: answer{Err: "--model: anthropic is not built yet"}},
		"the last one's key is gone": {in: Input{Last: "groq/y"}, want: answer{ID: "offline/guide", Why: "no model is connected: no provider's key is set",
			Notices: []string{"groq/y was used last in this directory, but: groq needs a key: set GROQ_API_KEY"}}},

		"base URL without a key": {in: Input{BaseURL: local},
			want: answer{ID: "openai/gpt-5.1", BaseURL: local, KeyName: "OPENAI_API_KEY", Why: "default of openai, as --base-url is set"}},
		"base URL from the environment": {in: Input{Flag: "openai/any-name"}, env: "OPENAI_BASE_URL=" + local,
			want: answer{ID: "openai/any-name", BaseURL: local, KeyName: "OPENAI_API_KEY", Why: "chosen by --model"}},
		"base URL from the configuration": {in: Input{ConfigURL: local}, env: "OPENAI_API_KEY=k1",
			want: answer{ID: "openai/gpt-5.1", BaseURL: local, Key: "k1", KeyName: "OPENAI_API_KEY", Why: "default of openai, as base_url in the configuration is set"}},
		"base URL of another provider": {in: Input{Flag: "groq/x", BaseURL: local}, env: "GROQ_API_KEY=k2 OPENAI_BASE_URL=http://other/v1",
			want: answer{ID: "groq/x", BaseURL: local, Key: "k2", KeyName: "GROQ_API_KEY", Why: "chosen by --model"}},
		"openai's base URL is not another's": {in: Input{Flag: "groq/x"}, env: "GROQ_API_KEY=k2 OPENAI_BASE_URL=" + local,
			want: answer{ID: "groq/x", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "chosen by --model"}},
		"any name at one's own server": {in: Input{Flag: "Qwen/Qwen3-8B", BaseURL: local},
			want: answer{ID: "openai/Qwen/Qwen3-8B", BaseURL: local, KeyName: "OPENAI_API_KEY", Why: "chosen by --model"}},
		"no URL": {in: Input{BaseURL: "localhost:8080"}, want: answer{Err: `--base-url: "localhost:8080" is no base URL: write it like http://127.0.0.1:8080/v1`}},

		"a bare name": {in: Input{Flag: "gpt-5"}, env: "OPENAI_API_KEY=k1",
			want: answer{ID: "openai/gpt-5", BaseURL: openaiURL, Key: "k1", KeyName: "OPENAI_API_KEY", Why: "chosen by --model"}},
		"a bare provider": {in: Input{Flag: "Groq"}, env: "GROQ_API_KEY=k2",
			want: answer{ID: "groq/openai/gpt-oss-120b", BaseURL: groqURL, Key: "k2", KeyName: "GROQ_API_KEY", Why: "chosen by --model"}},
		"a name with slashes": {in: Input{Flag: "openrouter/z-ai/glm-5"}, env: "OPENROUTER_API_KEY=k6",
			want: answer{ID: "openrouter/z-ai/glm-5", BaseURL: "https://openrouter.ai/api/v1", Key: "k6", KeyName: "OPENROUTER_API_KEY", Why: "chosen by --model"}},
		"a local server": {in: Input{Flag: "ollama/qwen3"}, want: answer{ID: "ollama/qwen3", BaseURL: "http://127.0.0.1:11434/v1", Why: "chosen by --model"}},

		"a local server without a model": {in: Input{Flag: "ollama"}, want: answer{Err: "--model: ollama has no default model: write ollama/NAME"}},
		"nobody's name": {in: Input{Flag: "llama-3.3-70b"},
			want: answer{Err: `--model: "llama-3.3-70b" does not say whose model it is: write PROVIDER/NAME, for example openrouter/llama-3.3-70b`}},
		"a slip":                     {in: Input{Config: "opnai/gpt-5"}, want: answer{Err: `model in the configuration: there is no provider "opnai": did you mean openai/gpt-5?`}},
		"a bare slip":                {in: Input{Flag: "olama"}, want: answer{Err: `--model: "olama" is neither a provider nor a model known here: did you mean ollama?`}},
		"no such thing":              {in: Input{Flag: "acme/x"}, want: answer{Err: `--model: there is no provider "acme": there are ` + names()}},
		"no key":                     {in: Input{Flag: "gemini/x"}, want: answer{Err: "--model: gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY"}},
		"no key, by the environment": {env: "AGENT_MODEL=gpt-5", want: answer{Err: "AGENT_MODEL: openai needs a key: set OPENAI_API_KEY"}},
	} {
		t.Run(name, func(t *testing.T) {
			row.in.Getenv = env(row.env)
			c, err := Resolve(row.in)
			got := answer{BaseURL: c.BaseURL, Key: c.Key.Reveal(), KeyName: c.KeyName, Why: c.Why, Notices: c.Notices}
			if err != nil {
				got.Err = err.Error()
			} else {
				got.ID = c.ID()
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
	wire, _ := json.Marshal(c)
	for _, s := range []string{fmt.Sprintf("%v %+v %#v %s %q %x %d", c, c, c, c.Key, c.Key, c.Key, c.Key), string(wire), fmt.Sprintf("%v %#v", p, p)} {
		if strings.Contains(s, "secret") || strings.Contains(s, fmt.Sprintf("%x", "secret")) {
			t.Errorf("the key shows in %s", s)
		}
	}
}

// TestProviders holds what every row needs.
func TestProviders(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Providers() {
		if seen[r.Name] || r.Name != strings.ToLower(r.Name) {
			t.Errorf("%s: its name is no good", r.Name)
		}
		seen[r.Name] = true
		if r.Dialect == OpenAI && (checkURL(r.BaseURL) != nil || r.BaseURL == "") {
			t.Errorf("%s: base URL %q", r.Name, r.BaseURL)
		}
		if !r.Local && len(r.KeyNames) == 0 {
			t.Errorf("%s: neither local nor with a key", r.Name)
		}
		if r.Built() && !r.Local && r.Default == "" {
			t.Errorf("%s: no default model", r.Name)
		}
	}
}

func TestContext(t *testing.T) {
	for model, want := range map[string]int{
		"openai/gpt-5.1": 400_000, "openai/gpt-4o-mini": 128_000, "xai/grok-4-fast-reasoning": 2_000_000, "xai/grok-4.3": 256_000,
		"openrouter/anthropic/claude-sonnet-5": 1_000_000, "fireworks/accounts/fireworks/models/gpt-oss-120b": 131_072,
		"ollama/gpt-oss-20b": 0, "openai/nobody-knows": 0, "deepseek/DeepSeek-V4-Pro": 1_048_576,
	} {
		provider, name, _ := Split(model)
		if got := Context(provider, name); got != want {
			t.Errorf("%s: got %d, want %d", model, got, want)
		}
	}
}

// env is an environment of NAME=VALUE with blanks in between.
func env(s string) func(string) string {
	vars := map[string]string{}
	for _, kv := range strings.Split(s, " ") {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	return func(k string) string { return vars[k] }
}
