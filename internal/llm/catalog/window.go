package catalog

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agent/internal/llm/wire"
)

const (
	// assumedWindow is the context window in tokens of a model that its server has
	// not loaded: the default of Ollama and of llama.cpp. A longer prompt could be
	// truncated without an error.
	assumedWindow = 4096
	// windowTime limits how long a server may take to report the context window.
	windowTime = time.Second
)

// sizesWindow reports whether the server chooses the context window when it loads
// a model.
func (r Row) sizesWindow() bool { return r.Listing == OllamaListing || r.Listing == LlamaCppListing }

// RaiseWindow returns how the user raises the context window at a server that
// chooses it, "" for others.
func (r Row) RaiseWindow() string {
	switch r.Listing {
	case OllamaListing:
		return "set OLLAMA_CONTEXT_LENGTH for the server, or num_ctx in the Modelfile"
	case LlamaCppListing:
		return "start llama-server with a larger -c"
	}
	return ""
}

// assumed returns i with the window to assume at r if it is unknown.
func (i Info) assumed(r Row) Info {
	if i.Context == 0 && r.sizesWindow() {
		i.Context, i.Assumed = assumedWindow, true
	}
	return i
}

// Window asks the server of c for the context window with which it runs the
// model. It returns 0 if the server does not report it.
func (c Choice) Window(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, windowTime)
	defer cancel()
	headers := http.Header{}
	for k, v := range c.Provider.Headers {
		headers.Set(k, v)
	}
	p := prober{headers: headers, http: oneRequest(http.ProxyFromEnvironment)}
	address, query := wire.CutQuery(c.BaseURL)
	root := strings.TrimSuffix(address, c.Provider.Suffix) + query
	switch c.Provider.Listing {
	case OllamaListing:
		running := p.running(ctx, root)
		return max(running[c.Model], running[c.Model+":latest"], 0)
	case LlamaCppListing:
		var props llamacppProps
		at := wire.Join(root, "/props")
		if query == "" { // a router runs several models
			at += "?model=" + url.QueryEscape(c.Model)
		}
		if p.get(ctx, at, &props) == nil && props.Settings != nil {
			return max(props.Settings.Window, 0)
		}
	}
	return 0
}
