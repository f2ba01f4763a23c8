package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/command"
	"agent/cmd/agent/models"
	"agent/cmd/agent/settings"
	"agent/internal/llm"
	"agent/internal/llm/catalog"
	"agent/internal/loop/event"
)

// localServers are the servers on a machine, each with its answers by "METHOD
// PATH".
func localServers() map[string]map[string]string {
	return map[string]map[string]string{
		"OLLAMA_HOST": {
			"GET /api/tags":  `{"models":[{"name":"qwen3:8b"}]}`,
			"POST /api/show": `{"model_info":{"qwen3.context_length":40960},"capabilities":["completion","tools"]}`,
		},
		"LMSTUDIO_BASE_URL": {"GET /api/v0/models": `{"data":[{"id":"gemma-3-12b","type":"vlm","state":"loaded","loaded_context_length":8192,"capabilities":[]}]}`},
		"LLAMACPP_BASE_URL": {
			"GET /props":     `{"default_generation_settings":{"n_ctx":16384},"chat_template":"{{ tools }}"}`,
			"GET /v1/models": `{"object":"list","data":[{"id":"m.gguf"}]}`,
		},
		"VLLM_BASE_URL": {"GET /v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","max_model_len":32768}]}`},
	}
}

// fake serves the answers in of, and a short answer to every prompt.
func fake(t *testing.T, of map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch a, ok := of[r.Method+" "+r.URL.Path]; {
		case ok:
			_, _ = io.WriteString(w, a)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, say("Local it is.").completion())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// table returns the output of `agent models` in the environment vars, with
// addresses replaced by the names of their variables.
func table(t *testing.T, vars map[string]string, changes catalog.Changes, only string) string {
	t.Helper()
	in := catalog.Input{Getenv: func(n string) string { return vars[n] }, Changes: changes, Wait: 20 * time.Second}
	l, err := models.ListOf(t.Context(), in, only, true)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := l.Text(&b); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	for name, v := range vars {
		if strings.HasPrefix(v, "http") {
			out = strings.ReplaceAll(out, v, name)
		}
	}
	return out
}

func TestModels(t *testing.T) {
	t.Parallel()
	var vars = map[string]string{"CEREBRAS_API_KEY": "k", "DATABRICKS_HOST": "h"}
	for name, of := range localServers() {
		vars[name] = fake(t, of).URL
	}
	got := table(t, vars, catalog.Changes{}, "")
	want := `MODEL                  CONTEXT  IN     OUT    WHY
cerebras/gpt-oss-120b  131k     $0.35  $0.75  API key: CEREBRAS_API_KEY (default)
cerebras/qwen-3.8-27b  65k      $0.99  $1.49  API key: CEREBRAS_API_KEY
ollama/qwen3:8b        4k       free   free   running at OLLAMA_HOST/v1, context window assumed
lmstudio/gemma-3-12b   8k       free   free   running at LMSTUDIO_BASE_URL/v1, no native tool calls
llamacpp/m.gguf        16k      free   free   running at LLAMACPP_BASE_URL/v1
vllm/Qwen/Qwen3-8B     32k      free   free   running at VLLM_BASE_URL/v1
offline/guide                   free   free   built in, not a language model (default)

OTHER PROVIDERS  TO CONFIGURE
openai           set OPENAI_API_KEY, or store one with: agent login openai
`
	head, rest, _ := strings.Cut(got, "anthropic ")
	if diff := cmp.Diff(head, want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
	for _, line := range []string{
		"databricks       set DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID and DATABRICKS_CLIENT_SECRET, or store one with: agent login databricks\n",
		"azure            set AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY, or store one with: agent login azure\n",
		"custom           set CUSTOM_BASE_URL, or start with --base-url URL\n",
	} {
		if !strings.Contains(rest, line) {
			t.Errorf("got no line\n%sin\n%s", line, rest)
		}
	}
}

// TestModelsOfOne queries a provider that is named or has another base URL.
func TestModelsOfOne(t *testing.T) {
	t.Parallel()
	list := map[string]string{"GET /v1/models": `{"object":"list","data":[{"id":"one"},{"id":"gpt-4.1"}]}`}
	yes := catalog.Changes{Models: map[string]catalog.Info{"acme/two": {Context: 5000}}, Rows: []catalog.Row{{Name: "acme", Dialect: catalog.OpenAI, BaseURL: "http://127.0.0.1:1", Credentials: catalog.Credentials{Keyless: true}, Configured: true}}}
	for name, row := range map[string]struct {
		only    string
		answers map[string]string
		vars    map[string]string
		changes catalog.Changes
		want    string
	}{
		"elsewhere": {only: "openai", answers: list, want: `MODEL           CONTEXT  IN  OUT  WHY
openai/one                        base URL: URL
openai/gpt-4.1  1.05M             base URL: URL
`},
		"elsewhere without a list": {only: "OpenAI", want: `OTHER PROVIDERS  TO CONFIGURE
openai           a model name: openai/NAME (base URL: URL): list the models of openai: HTTP status 404
`},
		"no list at all": {only: "pathed", changes: catalog.Changes{Rows: []catalog.Row{{Name: "pathed", Dialect: catalog.OpenAI, BaseURL: "http://127.0.0.1:1", Path: "/x/{model}", Credentials: catalog.Credentials{Keyless: true}, Configured: true}}}, want: `OTHER PROVIDERS  TO CONFIGURE
pathed           a model name: pathed/NAME (base URL: its base_url in the configuration): pathed cannot list its models
`},
		"endpoints, and those that the user named": {only: "databricks", vars: map[string]string{"DATABRICKS_TOKEN": "t", "LLM_ENDPOINT_NAME": "mine", "AGENT_MODEL": "databricks/agents.v2",
			"DATABRICKS_HOST": fake(t, map[string]string{"GET /api/2.0/serving-endpoints": `{"endpoints":[{"name":"agents.v2","task":"agent/v1/chat"},{"name":"embed","task":"llm/v1/embeddings"}]}`}).URL},
			want: `MODEL                 CONTEXT  IN  OUT  WHY
databricks/agents.v2                    API key: DATABRICKS_TOKEN
databricks/mine                         API key: DATABRICKS_TOKEN (default)
`},
		"a local server that does not run": {only: "vllm", vars: map[string]string{"VLLM_BASE_URL": "http://127.0.0.1:1"}, want: `OTHER PROVIDERS  TO CONFIGURE
vllm             not running at VLLM_BASE_URL/v1: start it with vllm serve MODEL --enable-auto-tool-choice
`},
		"a local server without a model": {only: "ollama", vars: map[string]string{"OLLAMA_HOST": fake(t, map[string]string{"GET /api/tags": `{"models":[]}`}).URL}, want: `OTHER PROVIDERS  TO CONFIGURE
ollama           running at OLLAMA_HOST/v1, but it has no models
`},
		"of the configuration": {only: "acme", changes: yes, want: `MODEL     CONTEXT  IN  OUT  WHY
acme/two  5k                base URL: its base_url in the configuration
`},
		"the guide": {only: "offline", want: `MODEL          CONTEXT  IN    OUT   WHY
offline/guide           free  free  built in, not a language model (default)
`},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.EqualFold(row.only, "openai") {
				row.vars = map[string]string{"OPENAI_BASE_URL": fake(t, row.answers).URL + "/v1"}
			}
			got := strings.ReplaceAll(table(t, row.vars, row.changes, row.only), "OPENAI_BASE_URL", "URL")
			if diff := cmp.Diff(got, row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
	if _, err := models.ListOf(t.Context(), catalog.Input{}, "acme", false); errorText(err) != `unknown provider "acme". To list providers: agent models` {
		t.Errorf("got %v", err)
	}
}

func TestModelsJSON(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"OLLAMA_HOST": fake(t, localServers()["OLLAMA_HOST"]).URL}
	l, err := models.ListOf(t.Context(), catalog.Input{Getenv: func(n string) string { return vars[n] }, Wait: 20 * time.Second}, "ollama", true)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (command.Console{Writer: &b}).JSON(l); err != nil {
		t.Fatal(err)
	}
	want := `{"models":[{"model":"ollama/qwen3:8b","context":4096,"input_usd":0,"output_usd":0,"tools":true,"images":false,"why":"running at ` + vars["OLLAMA_HOST"] + `/v1, context window assumed"}],"others":[]}`
	var got, wanted any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, wanted); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
}

// TestLocalServerIsFound uses a server on this machine if no model is connected:
// agent run at once, the screen after the search.
func TestLocalServerIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ollama := fake(t, localServers()["OLLAMA_HOST"]).URL
	run := func(home string) string {
		cmd := exec.Command("agent", "run", "hello")
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "LocalAppData=" + home, "PATH=" + os.Getenv("PATH"), "OLLAMA_HOST=" + ollama}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	// A machine that is busy with other things may need another try.
	waitFor(t, "the local model to answer", func() bool { return strings.Contains(run(t.TempDir()), "Local it is.") })

	off := t.TempDir()
	if err := os.MkdirAll(filepath.Join(off, ".config", "agent"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(off, ".config", "agent", "config.json"), []byte(`{"local": false}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := run(off); !strings.Contains(out, "offline guide") {
		t.Errorf("it was looked for against the configuration: %s", out)
	}
}

// TestBusyLocalServerIsFound uses a server that takes half a second to list its models.
func TestBusyLocalServerIsFound(t *testing.T) {
	t.Parallel()
	of := localServers()["OLLAMA_HOST"]
	ready := fake(t, of)
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tags" {
			<-time.After(500 * time.Millisecond)
		}
		ready.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(busy.Close)
	h := newHome(t, nil, "OLLAMA_HOST="+busy.URL)
	waitFor(t, "the local model to answer", func() bool {
		out, _ := h.agent(t, "run", "hello")
		return strings.Contains(out, "Local it is.")
	})
	a := h.open(t, 100, 30)
	a.wait("ollama/qwen3:8b · 127", "? help")
}

func TestPickerLocal(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "AGENT_MODEL"} {
		t.Setenv(name, "")
	}
	t.Setenv("OLLAMA_HOST", fake(t, localServers()["OLLAMA_HOST"]).URL)
	no := false
	for name, row := range map[string]struct {
		flags models.Flags
		set   settings.Settings
		want  string
	}{
		"nothing named":      {want: "ollama/qwen3:8b"},
		"the guide named":    {flags: models.Flags{Model: "offline"}},
		"another configured": {set: settings.Settings{Model: "vllm/m"}},
		"switched off":       {set: settings.Settings{Local: &no}},
		"a wrong address":    {flags: models.Flags{BaseURL: "nonsense"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := models.New(row.flags, row.set, "", false, nil)
			if row.want == "" {
				if m := p.FindLocal(t.Context()).Model; m != "" {
					t.Errorf("got %s", m)
				}
				return
			}
			waitFor(t, "the server to be found", func() bool {
				found := p.FindLocal(t.Context())
				m, err := p.ByName(found.Model, "")
				return err == nil && found.Model == row.want && m.Context == 4096 && m.Window != nil && strings.HasPrefix(found.Why, "ollama runs on this machine at 127.0.0.1:") && strings.HasSuffix(found.Why, ", and no other model is connected")
			})
		})
	}
}

// TestPickerBuilds checks the model that the picker builds for a choice.
func TestPickerBuilds(t *testing.T) {
	for name, v := range map[string]string{"OPENAI_API_KEY": "k", "GROQ_API_KEY": "k", "AGENT_MODEL": "", "OPENAI_BASE_URL": ""} {
		t.Setenv(name, v)
	}
	type built struct {
		Name, Effort, Next string
		Context            int
		Priced, AsText     bool
		Notices            []string
		Err                string
	}
	for name, row := range map[string]struct {
		flags models.Flags
		set   settings.Settings
		want  built
	}{
		"a model of the table": {flags: models.Flags{Model: "openai/gpt-5.1", Effort: "high"}, want: built{Name: "openai/gpt-5.1", Effort: "high", Context: 400_000, Priced: true, AsText: true}},
		"an unknown model":     {flags: models.Flags{Model: "openai/any", Effort: "whatever"}, want: built{Name: "openai/any", Effort: "whatever", AsText: true}},
		"an effort it has not": {flags: models.Flags{Model: "openai/gpt-5.1", Effort: "extreme"}, want: built{Err: `--effort: openai/gpt-5.1: this model does not support effort "extreme": use none, low, medium, high`}},
		"an effort of the configuration that it has not": {flags: models.Flags{Model: "openai/gpt-4.1"}, set: settings.Settings{Effort: "low"}, want: built{Name: "openai/gpt-4.1", Context: 1_047_576, Priced: true, AsText: true,
			Notices: []string{"openai/gpt-4.1: effort low from the configuration is ignored: this model does not support reasoning effort"}}},
		"models that stand in for one another": {set: settings.Settings{Models: []string{"openai/gpt-5.1", "xai/m", "groq/m", "openai/gpt-4.1"}, Effort: "low"},
			want: built{Name: "openai/gpt-5.1", Effort: "low", Context: 400_000, Priced: true, AsText: true, Next: "groq/m low, openai/gpt-4.1"}},
		"corrected": {flags: models.Flags{Model: "groq/m"}, set: settings.Settings{Catalog: map[string]settings.Model{"groq/m": {Context: 999, Price: &settings.Price{Input: 1, Output: 1}}}},
			want: built{Name: "groq/m", Context: 999, Priced: true, AsText: true}},
		"without tools": {flags: models.Flags{Model: "groq/m"}, set: settings.Settings{Providers: map[string]settings.Provider{"groq": {Models: map[string]settings.Model{"m": {Form: "react"}}}}},
			want: built{Name: "groq/m"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, notices, err := models.New(row.flags, row.set, "", false, nil).Model(row.flags.Model)
			got := built{Name: m.Name, Effort: m.Effort, Context: m.Context, AsText: m.AsText != nil, Notices: notices, Err: errorText(err)}
			if m.Cost != nil {
				_, got.Priced = m.Cost(llm.Usage{Input: 1, Output: 1})
			}
			var next []string
			for _, n := range m.Fallbacks {
				next = append(next, strings.TrimSpace(n.Name+" "+n.Effort))
			}
			got.Next = strings.Join(next, ", ")
			if err != nil {
				got = built{Err: got.Err}
			}
			if diff := cmp.Diff(got, row.want); diff != "" {
				t.Errorf("got, want:\n%s", diff)
			}
		})
	}
}

// TestNamedEffort gives the effort selected during a session precedence over the
// settings.
func TestNamedEffort(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "k")
	p := models.New(models.Flags{}, settings.Settings{Effort: "low"}, "", false, nil)
	for effort, want := range map[string]string{
		"": "low", "high": "high", event.DefaultEffort: "",
		"extreme": `openai/gpt-5.1: this model does not support effort "extreme": use none, low, medium, high`,
	} {
		m, err := p.ByName("openai/gpt-5.1", effort)
		if got := m.Effort + errorText(err); got != want {
			t.Errorf("%q: got %q, want %q", effort, got, want)
		}
	}
}

// TestModelsStandIn uses the next model when the quota of the first is exhausted,
// each with its own API key and address.
func TestModelsStandIn(t *testing.T) {
	t.Parallel()
	broke := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","code":"insufficient_quota"}}`)
	}))
	defer broke.Close()
	rich := serve(t, say("Two it is."))
	h := newHome(t, nil, "ONE=k1")
	key := `["echo", "k2"]`
	if runtime.GOOS == "windows" {
		key = `["cmd", "/c", "echo k2"]`
	}
	h.configure(t, `{"models": ["one/a", "two/b"], "providers": {
		"one": {"base_url": "`+broke.URL+`/v1", "key": {"env": "ONE"}},
		"two": {"base_url": "`+rich.URL+`", "dialect": "anthropic", "key": {"command": `+key+`}, "models": {"b": {"price": {"input": 1, "output": 2}}}}}}`)
	cmd := exec.Command("agent", "run", "--output", "json", "hello")
	cmd.Dir, cmd.Env = h.work, h.env
	out, err := cmd.Output()
	var got struct {
		Answer string   `json:"answer"`
		Cost   *float64 `json:"cost_usd"`
	}
	if err != nil || json.Unmarshal(out, &got) != nil || got.Answer != "Two it is." || got.Cost == nil || *got.Cost <= 0 {
		t.Errorf("got %s, %v", out, err)
	}
	if seen := rich.seen(); len(seen) != 1 || seen[0].key != "k2" || seen[0].Model != "b" {
		t.Errorf("the second was asked %+v", seen)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
