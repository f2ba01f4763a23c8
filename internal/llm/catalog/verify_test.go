package catalog

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// keyed is a server that lists a model for the key "sk-right" at /v1/models, and for everybody at
// /open/models.
func keyed(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		valid := r.Header.Get("Authorization") == "Bearer sk-right"
		switch {
		case r.URL.Path == "/page/models":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<html><title>Welcome</title></html>")
		case r.URL.Path == "/open/models", r.URL.Path == "/v1/models" && valid, r.URL.Path == "/open/key" && valid:
			_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"large"}]}`)
		case r.URL.Path == "/array/models":
			_, _ = fmt.Fprint(w, `[{"id":"large"}]`)
		case r.URL.Path == "/v1/models", r.URL.Path == "/open/key":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"invalid key %s"}}`, r.Header.Get("Authorization"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestVerify(t *testing.T) {
	base := keyed(t)
	for name, row := range map[string]struct {
		url, key string
		check    string // the row's KeyCheck
		want     string
	}{
		"a valid key":              {"/v1", "sk-right", "", "verified [large]"},
		"a wrong key":              {"/v1", "sk-wrong", "", "key: acme answered 401: invalid key Bearer [key] | Check that the whole key was copied, that it belongs to acme, and that it was not revoked."},
		"no key":                   {"/v1", "", "", "key: acme answered 401: invalid key | The server requires an API key."},
		"a list for everybody":     {"/open", "sk-wrong", "", "not verified [large]"},
		"a check of the key":       {"/open", "sk-right", "/key", "verified [large]"},
		"a check of a wrong key":   {"/open", "sk-wrong", "/key", "key: acme answered 401: invalid key Bearer [key] | Check that the whole key was copied, that it belongs to acme, and that it was not revoked."},
		"a list without an object": {"/array", "", "", "verified [large]"},
		"another path":             {"/v2", "sk-right", "", "not_found: acme answered 404: there is no list of models at BASE/v2 | Check the base URL."},
		"a page":                   {"/page", "sk-right", "", "protocol: acme: BASE/page answers, but not with a list of models | Check the base URL."},
	} {
		t.Run(name, func(t *testing.T) {
			r := Row{Name: "acme", Dialect: OpenAI, BaseURL: base + row.url, Credentials: Credentials{KeyNames: []string{"ACME_API_KEY"}, Keyless: true}, KeyCheck: row.check, Configured: true}
			in := Input{Getenv: func(name string) string { return map[string]string{"ACME_API_KEY": row.key}[name] }, Changes: Changes{Rows: []Row{r}}}
			if got := verdict(in.Verify(t.Context(), "acme"), base); !strings.HasPrefix(got, row.want) {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// verdict describes a verdict in a line.
func verdict(v Verdict, base string) string {
	if v.Err != nil {
		return strings.ReplaceAll(fmt.Sprintf("%s: %v | %s", v.Err.Kind, v.Err, v.Err.Hint), base, "BASE")
	}
	word := "verified"
	if !v.Verified {
		word = "not verified"
	}
	var names []string
	for _, m := range v.Models {
		names = append(names, m.Name)
	}
	return fmt.Sprint(word, " ", names)
}

func TestVerifyUnreachable(t *testing.T) {
	for name, row := range map[string]struct{ env, provider, want string }{
		"no server":              {"CUSTOM_BASE_URL=http://127.0.0.1:1/v1", "custom", "network: custom: nothing is listening on 127.0.0.1:1 | Check the base URL http://127.0.0.1:1/v1."},
		"a server to be started": {"OLLAMA_HOST=127.0.0.1:1", "ollama", "network: ollama: nothing is listening on 127.0.0.1:1 | Start it in another terminal: ollama serve"},
		"plain HTTP":             {"CUSTOM_BASE_URL=http://llm.example/v1 CUSTOM_API_KEY=sk-secret", "custom", "invalid: custom: the API key of custom is not sent to llm.example over plain HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{}
			for _, v := range strings.Fields(row.env) {
				name, value, _ := strings.Cut(v, "=")
				env[name] = value
			}
			const base = "BASE"
			in := Input{Getenv: func(name string) string { return env[name] }}
			if got := verdict(in.Verify(t.Context(), row.provider), base); !strings.HasPrefix(got, row.want) {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

// Untrusted certificates and proxies that cannot be reached are named as such.
func TestVerifyNamesCertificate(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	in := Input{Getenv: func(name string) string { return map[string]string{"CUSTOM_BASE_URL": s.URL}[name] }}
	if got := verdict(in.Verify(t.Context(), "custom"), s.URL); !strings.Contains(got, "is signed by an unknown authority") || !strings.Contains(got, "SSL_CERT_FILE") {
		t.Errorf("got %s", got)
	}
}

// tokenVault has a token of the user's login at GitHub.
type tokenVault struct{}

func (tokenVault) Has(provider string) (string, bool) { return "gh auth token", provider == "github" }

func (tokenVault) Key(string) (Key, string, error) { return "gho-token", "gh auth token", nil }

// The token of another program goes to the provider's own host only, whatever sets the base URL.
func TestTokenStaysAtItsHost(t *testing.T) {
	for name, in := range map[string]Input{
		"flag":          {BaseURL: "https://models.example/inference", BaseFor: "github"},
		"configuration": {Changes: Changes{Rows: []Row{moved("https://models.example/inference")}}},
		"plain HTTP":    {Changes: Changes{Rows: []Row{moved("http://models.github.ai/inference")}}, AllowHTTP: []string{"models.github.ai"}},
	} {
		t.Run(name, func(t *testing.T) {
			in.Flag, in.Vault = "github/openai/gpt-4.1", tokenVault{}
			if c, err := Resolve(in); err == nil || !strings.Contains(err.Error(), "the token of gh is not sent to models.") {
				t.Errorf("got %v, %v", c.BaseURL, err)
			}
		})
	}
	c, err := Resolve(Input{Flag: "github/openai/gpt-4.1", Vault: tokenVault{}})
	if err != nil || c.Key != "gho-token" || c.BaseURL != "https://models.github.ai/inference" {
		t.Errorf("got %s, %v", c.BaseURL, err)
	}
}

// moved returns the row of GitHub Models at another base URL.
func moved(base string) Row {
	r, _ := Find("github")
	r.BaseURL, r.Configured = base, true
	return r
}

// GitHub Models lists its models elsewhere than other servers, without an object around them.
func TestGitHubModels(t *testing.T) {
	base := answers(t, map[string]string{"GET /catalog/models": `[{"id":"openai/gpt-4.1","name":"OpenAI GPT-4.1"},{"id":"meta/llama-4"}]`}).URL
	in := Input{Getenv: func(name string) string { return map[string]string{"GITHUB_MODELS_TOKEN": "k"}[name] }, Changes: Changes{Rows: []Row{moved(base + "/inference")}}}
	if got := verdict(in.Verify(t.Context(), "github"), base); got != "not verified [openai/gpt-4.1 meta/llama-4]" {
		t.Errorf("got %s", got)
	}
}
