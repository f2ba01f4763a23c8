package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agent/internal/llm/wire"
)

// models returns the models of the server of r at base.
func (p prober) models(ctx context.Context, r Row, base string) ([]Served, error) {
	address, query := wire.CutQuery(base)
	root := strings.TrimSuffix(address, r.Suffix) + query
	switch r.Listing {
	case OllamaListing:
		return p.ollama(ctx, root)
	case LMStudioListing:
		return p.lmstudio(ctx, root, base)
	case LlamaCppListing:
		return p.llamacpp(ctx, root, base)
	}
	return p.common(ctx, base)
}

// list is the response of all servers at /v1/models.
type list struct {
	Object string  `json:"object"`
	Data   []entry `json:"data"`
}

// UnmarshalJSON also decodes a list without the object around it, as Together sends it.
func (l *list) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, &l.Data)
	}
	type object list
	return json.Unmarshal(b, (*object)(l))
}

type entry struct {
	ID     string `json:"id"`
	Owner  string `json:"owned_by"`
	Length int    `json:"max_model_len"` // vLLM
	// Other servers name the context window differently.
	Context int `json:"context_length"`
	Window  int `json:"context_window"`
	Maximum int `json:"max_context_length"`
	Meta    struct {
		Running int `json:"n_ctx"`
		Trained int `json:"n_ctx_train"`
	} `json:"meta"` // llama.cpp
}

// common queries the common list.
func (p prober) common(ctx context.Context, base string) ([]Served, error) {
	var l list
	if err := p.get(ctx, wire.Join(base, "/models"), &l); err != nil {
		return nil, err
	}
	if l.Object != "list" && len(l.Data) == 0 {
		return nil, errOtherServer
	}
	var models []Served
	for _, e := range l.Data {
		if !slices.ContainsFunc(models, func(m Served) bool { return m.Name == e.ID }) {
			models = append(models, Served{Name: e.ID, Context: max(cmp.Or(e.Meta.Running, e.Length, e.Context, e.Window, e.Maximum), 0)})
		}
	}
	return models, nil
}

// llamacppProps is the state of a llama.cpp server.
type llamacppProps struct {
	Settings *struct {
		Window int `json:"n_ctx"`
	} `json:"default_generation_settings"`
	Template   string `json:"chat_template"`
	Modalities struct {
		Vision *bool `json:"vision"`
	} `json:"modalities"`
	Caps struct {
		Tools *bool `json:"supports_tools"`
	} `json:"chat_template_caps"`
}

// llamacpp queries llama.cpp, which usually runs one model. Its context window
// is that of a slot.
func (p prober) llamacpp(ctx context.Context, root, base string) ([]Served, error) {
	var props llamacppProps
	if err := p.get(ctx, wire.Join(root, "/props"), &props); err != nil {
		return nil, err
	}
	if props.Settings == nil {
		return nil, errOtherServer
	}
	models, err := p.common(ctx, base)
	if err != nil {
		return nil, err
	}
	for i := range models {
		if models[i].Context = props.Settings.Window; models[i].Context <= 0 { // a router that has not loaded it
			models[i].Context, models[i].Assumed = assumedWindow, true
		}
		models[i].Vision = props.Modalities.Vision
		if models[i].Tools = props.Caps.Tools; models[i].Tools == nil && props.Template != "" {
			models[i].Tools = new(strings.Contains(props.Template, "tools"))
		}
	}
	return models, nil
}

// lmstudio queries LM Studio's own list, which has more data than the common
// one.
func (p prober) lmstudio(ctx context.Context, root, base string) ([]Served, error) {
	var l struct {
		Data []struct {
			ID           string   `json:"id"`
			Type         string   `json:"type"`
			State        string   `json:"state"`
			Loaded       int      `json:"loaded_context_length"`
			Length       int      `json:"max_context_length"`
			Capabilities []string `json:"capabilities"`
		} `json:"data"`
	}
	if err := p.get(ctx, wire.Join(root, "/api/v0/models"), &l); err != nil || len(l.Data) == 0 {
		return p.common(ctx, base)
	}
	var loaded, rest []Served
	for _, e := range l.Data {
		if e.Type == "embeddings" {
			continue
		}
		m := Served{Name: e.ID, Context: cmp.Or(max(e.Loaded, 0), e.Length), Tools: contains("tool_use", e.Capabilities)}
		if e.Type != "" {
			m.Vision = new(e.Type == "vlm")
		}
		if e.State == "loaded" { // loaded models respond without delay
			loaded = append(loaded, m)
		} else {
			rest = append(rest, m)
		}
	}
	return append(loaded, rest...), nil
}

// ollama queries Ollama for its models, with the capabilities and the context
// window of each: that of the running model, else the configured one. The maximum
// of the model is not its window.
func (p prober) ollama(ctx context.Context, root string) ([]Served, error) {
	var tags struct {
		Models *[]struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := p.get(ctx, wire.Join(root, "/api/tags"), &tags); err != nil {
		return nil, err
	}
	if tags.Models == nil {
		return nil, errOtherServer
	}
	running := map[string]int{}
	shown := make([]ollamaModel, len(*tags.Models))
	var all sync.WaitGroup
	all.Go(func() { running = p.running(ctx, root) })
	for i, m := range *tags.Models {
		if i < maxShown {
			all.Go(func() { shown[i] = p.show(ctx, root, m.Name) })
		}
	}
	all.Wait()
	var models []Served
	for i, m := range *tags.Models {
		s := shown[i]
		if talks := contains("completion", s.Capabilities); talks != nil && !*talks {
			continue
		}
		served := Served{Name: m.Name, Context: cmp.Or(max(running[m.Name], 0), s.configured()),
			Tools: contains("tools", s.Capabilities), Vision: contains("vision", s.Capabilities)}
		if served.Context == 0 {
			served.Assumed, served.Context = true, min(assumedWindow, cmp.Or(s.maximum(), assumedWindow))
		}
		models = append(models, served)
	}
	return models, nil
}

// running returns the context windows of the models that Ollama has loaded.
func (p prober) running(ctx context.Context, root string) map[string]int {
	var ps struct {
		Models []struct {
			Name   string `json:"name"`
			Window int    `json:"context_length"`
		} `json:"models"`
	}
	windows := map[string]int{}
	if p.get(ctx, wire.Join(root, "/api/ps"), &ps) == nil {
		for _, m := range ps.Models {
			windows[m.Name] = m.Window
		}
	}
	return windows
}

// ollamaModel is Ollama's data of one model.
type ollamaModel struct {
	Parameters   string                     `json:"parameters"` // one per line: name and value
	Info         map[string]json.RawMessage `json:"model_info"`
	Capabilities []string                   `json:"capabilities"`
}

func (p prober) show(ctx context.Context, root, model string) (s ollamaModel) {
	body, err := json.Marshal(map[string]string{"model": model})
	if err == nil {
		err = p.ask(ctx, http.MethodPost, wire.Join(root, "/api/show"), body, &s)
	}
	if err != nil { // list the model without its data
		return ollamaModel{}
	}
	return s
}

// configured returns the context window that the Modelfile sets, 0 for none.
func (s ollamaModel) configured() int {
	for line := range strings.Lines(s.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			if n, err := strconv.Atoi(f[1]); err == nil {
				return n
			}
		}
	}
	return 0
}

// maximum returns the largest context window of the model, 0 if unknown.
func (s ollamaModel) maximum() int {
	for name, value := range s.Info {
		if strings.HasSuffix(name, ".context_length") {
			if n, err := strconv.Atoi(string(value)); err == nil {
				return n
			}
		}
	}
	return 0
}

// contains reports whether word is in list; nil if there is no list.
func contains(word string, list []string) *bool {
	if list == nil {
		return nil
	}
	return new(slices.Contains(list, word))
}
