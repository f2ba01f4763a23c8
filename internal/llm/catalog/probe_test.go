package catalog

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/wire"
)

// answers is a server with responses for "METHOD PATH BODY" or "METHOD PATH".
func answers(t *testing.T, of map[string]string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		key := r.Method + " " + r.URL.Path
		for _, k := range []string{key + " " + string(body), key} {
			if a, ok := of[k]; ok {
				_, _ = io.WriteString(w, a)
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// found summarizes servers: "ollama llama3.1:8b 8192 tools".
func found(servers []Server) (all []string) {
	word := func(b *bool, yes string) string {
		switch {
		case b == nil:
			return yes + "?"
		case *b:
			return yes
		}
		return "no-" + yes
	}
	for _, s := range servers {
		if len(s.Models) == 0 {
			all = append(all, s.Row.Name)
		}
		for _, m := range s.Models {
			all = append(all, fmt.Sprintf("%s %s %d %s %s", s.Row.Name, m.Name, m.Context, word(m.Tools, "tools"), word(m.Vision, "vision")))
		}
	}
	return all
}

// nowhere is an environment in which no local server responds.
const nowhere = "OLLAMA_HOST=127.0.0.1:1 LMSTUDIO_BASE_URL=http://127.0.0.1:1 LLAMACPP_BASE_URL=http://127.0.0.1:1 VLLM_BASE_URL=http://127.0.0.1:1"

func TestProbe(t *testing.T) {
	for name, row := range map[string]struct {
		variable string
		answers  map[string]string
		want     []string
	}{
		"no servers": {},
		"ollama": {"OLLAMA_HOST", map[string]string{
			"GET /api/tags":                                      `{"models":[{"name":"gemma3:4b"},{"name":"llama3.1:8b"},{"name":"qwen3:8b"},{"name":"nomic-embed-text:latest"},{"name":"old:1b"},{"name":"tiny:1b"}]}`,
			"GET /api/ps":                                        `{"models":[{"name":"qwen3:8b","context_length":32768}]}`,
			`POST /api/show {"model":"gemma3:4b"}`:               `{"model_info":{"gemma3.context_length":131072},"capabilities":["completion","vision"]}`,
			`POST /api/show {"model":"llama3.1:8b"}`:             `{"parameters":"stop \"<|end|>\"\nnum_ctx    8192","model_info":{"llama.context_length":131072},"capabilities":["completion","tools"]}`,
			`POST /api/show {"model":"qwen3:8b"}`:                `{"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960},"capabilities":["completion","tools","thinking"]}`,
			`POST /api/show {"model":"tiny:1b"}`:                 `{"model_info":{"tiny.context_length":2048}}`,
			`POST /api/show {"model":"nomic-embed-text:latest"}`: `{"capabilities":["embedding"]}`,
		}, []string{"ollama gemma3:4b 4096 no-tools vision", "ollama llama3.1:8b 8192 tools no-vision", "ollama qwen3:8b 32768 tools no-vision", "ollama old:1b 4096 tools? vision?", "ollama tiny:1b 2048 tools? vision?"}},
		"ollama without a model": {"OLLAMA_HOST", map[string]string{"GET /api/tags": `{"models":[]}`}, []string{"ollama"}},
		"lm studio": {"LMSTUDIO_BASE_URL", map[string]string{"GET /api/v0/models": `{"data":[
				{"id":"nomic","type":"embeddings","state":"loaded"},
				{"id":"gemma-3-12b","type":"vlm","state":"not-loaded","max_context_length":131072,"capabilities":[]},
				{"id":"qwen3-8b","type":"llm","state":"loaded","max_context_length":40960,"loaded_context_length":4096,"capabilities":["tool_use"]}]}`},
			[]string{"lmstudio qwen3-8b 4096 tools no-vision", "lmstudio gemma-3-12b 131072 no-tools vision"}},
		"old lm studio": {"LMSTUDIO_BASE_URL", map[string]string{"GET /v1/models": `{"object":"list","data":[{"id":"m"}]}`}, []string{"lmstudio m 0 tools? vision?"}},
		"llama.cpp": {"LLAMACPP_BASE_URL", map[string]string{
			"GET /props":     `{"default_generation_settings":{"n_ctx":16384},"chat_template":"{% if tools %}","modalities":{"vision":false}}`,
			"GET /v1/models": `{"object":"list","data":[{"id":"m.gguf","meta":{"n_ctx_train":131072}}]}`,
		}, []string{"llamacpp m.gguf 16384 tools no-vision"}},
		"a router of llama.cpp": {"LLAMACPP_BASE_URL", map[string]string{
			"GET /props":     `{"role":"router","default_generation_settings":{"n_ctx":0}}`,
			"GET /v1/models": `{"object":"list","data":[{"id":"m.gguf"}]}`,
		}, []string{"llamacpp m.gguf 4096 tools? vision?"}},
		"another server on the port": {"LLAMACPP_BASE_URL", map[string]string{"GET /props": `{}`, "GET /v1/models": `{"object":"list","data":[{"id":"m"}]}`}, nil},
		"a web page on the port":     {"LLAMACPP_BASE_URL", map[string]string{"GET /props": `<html>`, "GET /v1/models": `<html>`}, nil},
		"vllm":                       {"VLLM_BASE_URL", map[string]string{"GET /v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","max_model_len":40960}]}`}, []string{"vllm Qwen/Qwen3-8B 40960 tools? vision?"}},
		"another API":                {"VLLM_BASE_URL", map[string]string{"GET /v1/models": `{"detail":"hello"}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			vars := nowhere
			if row.variable != "" {
				vars += " " + row.variable + "=" + answers(t, row.answers).URL
			}
			got := found(Input{Getenv: env(vars), Wait: 20 * time.Second}.Probe(t.Context()))
			if diff := cmp.Diff(got, row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

// A server that accepts connections and never responds does not delay others.
func TestProbeDoesNotHang(t *testing.T) {
	gone := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	}))
	defer silent.Close()
	in := Input{Getenv: env(nowhere + " OLLAMA_HOST=" + silent.URL)}
	begun := time.Now()
	if got := in.Probe(context.Background()); len(got) != 0 {
		t.Errorf("got %v", found(got))
	}
	if d := time.Since(begun); d > 20*ProbeTime {
		t.Errorf("it took %s", d)
	}
	<-gone // the connection is closed
}

// Only this machine is probed.
func TestProbeUsesLoopbackOnly(t *testing.T) {
	for base, want := range map[string]bool{
		"http://127.0.0.1:1": true, "http://localhost:1": true, "http://LOCALHOST": true, "http://[::1]:1": true, "http://127.9.9.9": true,
		"http://192.0.2.1:1": false, "http://0.0.0.0": false, "http://localhost.example.org": false, "http://gpu:1": false, ":": false,
	} {
		if got := loopback(base); got != want {
			t.Errorf("%s: got %t", base, got)
		}
	}
}

// The default model supports tools. Its context window is assumed until the server
// has loaded it.
func TestNearby(t *testing.T) {
	loaded := map[string]string{
		"GET /api/tags":                         `{"models":[{"name":"gemma3:4b"},{"name":"mystery"},{"name":"qwen3:8b"}]}`,
		`POST /api/show {"model":"gemma3:4b"}`:  `{"capabilities":["completion"]}`,
		`POST /api/show {"model":"qwen3:8b"}`:   `{"model_info":{"qwen3.context_length":40960},"capabilities":["completion","tools"]}`,
		`POST /api/show {"model":"mystery:8b"}`: `{}`,
	}
	s := answers(t, loaded)
	in := Input{Getenv: env(nowhere + " OLLAMA_HOST=" + s.URL), Wait: 20 * time.Second}
	in.Local = func() []Server { return in.Probe(t.Context()) }
	window := func(c Choice) string { return fmt.Sprintf("%d assumed %t", c.Info.Context, c.Info.Assumed) }
	c, err := Resolve(in)
	if err != nil || c.ID() != "ollama/qwen3:8b" || window(c) != "4096 assumed true" || c.BaseURL != s.URL+"/v1" {
		t.Errorf("got %s at %s with %+v, %v", c.ID(), c.BaseURL, c.Info, err)
	}
	if got := c.Window(t.Context()); got != 0 {
		t.Errorf("before the model is loaded: got a window of %d", got)
	}
	in.Flag = "ollama/qwen3:8b"
	if c, err = Resolve(in); err != nil || window(c) != "4096 assumed true" {
		t.Errorf("before it is measured: %+v, %v", c.Info, err)
	}
	if c = in.Measured(t.Context(), c); window(c) != "4096 assumed true" {
		t.Errorf("measured before it is loaded: %+v", c.Info)
	}
	loaded["GET /api/ps"] = `{"models":[{"name":"qwen3:8b","context_length":16384}]}`
	if got := c.Window(t.Context()); got != 16384 {
		t.Errorf("after the model is loaded: got a window of %d", got)
	}
	if c = in.Measured(t.Context(), c); window(c) != "16384 assumed false" {
		t.Errorf("measured: %+v", c.Info)
	}
	in.Changes.Models = map[string]Info{"ollama/qwen3": {Context: 9000, Tools: new(false)}}
	c, err = Resolve(in)
	if c = in.Measured(t.Context(), c); err != nil || window(c) != "9000 assumed false" || !c.Info.TextToolCalls() {
		t.Errorf("the configuration does not override the server: %+v, %v", c.Info, err)
	}
}

// The windows that llama.cpp and an unreachable Ollama run are not known before they
// are asked.
func TestWindow(t *testing.T) {
	s := answers(t, map[string]string{"GET /props": `{"default_generation_settings":{"n_ctx":8192}}`})
	for _, row := range []struct {
		env, model, want string
		window           int
	}{
		{"LLAMACPP_BASE_URL=" + s.URL, "llamacpp/m.gguf", "4096 true", 8192},
		{"OLLAMA_HOST=" + s.URL, "ollama/m", "4096 true", 0},
		{"OLLAMA_HOST=http://192.0.2.1:1", "ollama/m", "4096 true", 0},
		{"VLLM_BASE_URL=" + s.URL, "vllm/m", "0 false", 0},
	} {
		c, err := Resolve(Input{Getenv: env(row.env), Flag: row.model})
		if got := fmt.Sprintf("%d %t", c.Info.Context, c.Info.Assumed); err != nil || got != row.want {
			t.Errorf("%s: got %s, %v, want %s", row.model, got, err, row.want)
		}
		if strings.Contains(row.env, "192.0.2") {
			continue
		}
		if got := c.Window(t.Context()); got != row.window {
			t.Errorf("%s: got a window of %d, want %d", row.model, got, row.window)
		}
	}
}

func TestList(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k2" || r.URL.Path != "/v1/models" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"a/b"},{"id":"c"}]}`)
	}))
	defer s.Close()
	in := Input{Getenv: env("GROQ_API_KEY=k2 XAI_API_KEY=k3"), BaseURL: s.URL}
	for name, want := range map[string]string{
		"groq":       "[a/b c] <nil>",
		"xai":        "[] list the models of xai: HTTP status 401",
		"azure":      "[] list the models of azure: HTTP status 401",
		"databricks": "[] list the models of databricks: HTTP status 401",
	} {
		row, _ := Find(name)
		models, err := in.List(t.Context(), in.providerStatus(row))
		var names []string
		for _, m := range models {
			names = append(names, m.Name)
		}
		if got := fmt.Sprint(names, err); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestProviderStatuses(t *testing.T) {
	in := Input{Getenv: env("GROQ_API_KEY=k DATABRICKS_TOKEN=t AZURE_OPENAI_ENDPOINT=https://a AZURE_OPENAI_API_KEY=k OPENAI_BASE_URL=" + local), Changes: acme, Vault: vault{has: "xai"}}
	var got []string
	for _, s := range in.ProviderStatuses() {
		switch s.Row.Name {
		case "openai", "groq", "databricks", "azure", "xai", "mistral", "ollama", "custom", "acme":
			got = append(got, fmt.Sprintf("%s %t: %s", s.Row.Name, s.Usable, s.Why))
		}
	}
	want := []string{
		"openai true: base URL: OPENAI_BASE_URL",
		"databricks false: set DATABRICKS_HOST and DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET, or store one with: agent login databricks",
		"azure true: API key: AZURE_OPENAI_API_KEY",
		"groq true: API key: GROQ_API_KEY",
		"mistral false: set MISTRAL_API_KEY, or store one with: agent login mistral",
		"xai true: API key: the vault",
		"ollama true: ",
		"custom false: set CUSTOM_BASE_URL, or start with --base-url URL",
		"acme true: base URL: its base_url in the configuration",
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

// What a server told about a model is kept for the time it does not answer.
func TestServerThatIsDown(t *testing.T) {
	loaded := map[string]string{
		"GET /api/tags":                       `{"models":[{"name":"qwen3:8b"}]}`,
		"GET /api/ps":                         `{"models":[{"name":"qwen3:8b","context_length":16384}]}`,
		`POST /api/show {"model":"qwen3:8b"}`: `{"model_info":{"qwen3.context_length":40960},"capabilities":["completion"]}`,
	}
	s := answers(t, loaded)
	memory := wire.NewServerLimits()
	in := Input{Getenv: env(nowhere + " OLLAMA_HOST=" + s.URL), Flag: "ollama/qwen3:8b", Wait: 20 * time.Second,
		ServerLimits: func(string) wire.ServerLimits { return memory }}
	describe := func(c Choice) string { return fmt.Sprint(c.Info.Context, c.Info.Assumed, c.Info.TextToolCalls()) }
	c, err := Resolve(in)
	if err != nil || describe(c) != "4096 true false" {
		t.Fatalf("before it told anything: %s, %v", describe(c), err)
	}
	for range 2 {
		if c = in.Measured(t.Context(), c); describe(c) != "16384 false true" {
			t.Errorf("measured: %s", describe(c))
		}
	}
	if facts := memory.Limits("qwen3:8b"); len(facts) != 2 {
		t.Errorf("kept %q", facts)
	}
	s.Close()
	if c, err = Resolve(in); err != nil || describe(c) != "16384 true true" {
		t.Errorf("down: %s, %v", describe(c), err)
	}
	if c = in.Measured(t.Context(), c); describe(c) != "16384 true true" {
		t.Errorf("down and asked: %s", describe(c))
	}
}
