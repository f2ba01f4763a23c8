package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	startLimit     = time.Minute      // for the answer to initialize
	requestLimit   = 15 * time.Second // for every other answer
	endLimit       = 2 * time.Second  // for the answer to shutdown
	maxOpen        = 50               // documents
	maxDiagnostics = 1000             // kept of a document
)

// running is a server that was started. Its methods are safe for concurrent use.
type running struct {
	*conn
	server  Server
	root    string // absolute
	process Process
	quiet   time.Duration // see Options
	ready   chan struct{} // closed when the server is initialized

	abilities capabilities // set before ready is closed

	mu      sync.Mutex
	docs    map[string]*document // open ones, by absolute path
	version int                  // of the document that was sent last
	news    chan struct{}        // closed when diagnostics arrive, then replaced
	used    time.Time
}

// document is a file that is open in a server.
type document struct {
	version int
	text    string
	used    time.Time

	found   []diagnostic // errors, of the version answered
	answer  int          // the version to which found belongs; 0 for none
	foundAt time.Time    // of found without a version; zero if it has one
}

func newRunning(s Server, root string, p Process, quiet time.Duration) *running {
	r := &running{conn: newConn(), server: s, root: root, process: p, quiet: quiet, ready: make(chan struct{}), docs: map[string]*document{}, news: make(chan struct{}), used: time.Now()}
	r.answer, r.notify = r.answerServer, r.noteServer
	return r
}

// bytes reports whether the columns of the server count bytes.
func (r *running) bytes() bool { return r.abilities.Encoding == "utf-8" }

// initialize sends the first messages. The process ID is left out, because the server may
// not see this process in its sandbox and would exit; the keeper ends it.
func (r *running) initialize(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, startLimit)
	defer stop()
	folder := map[string]any{"uri": uriOf(r.root), "name": path.Base(uriOf(r.root))}
	var result struct {
		Capabilities capabilities `json:"capabilities"`
	}
	type object = map[string]any
	err := r.call(ctx, "initialize", object{
		"processId": nil, "rootUri": uriOf(r.root), "workspaceFolders": []any{folder}, "initializationOptions": r.server.Settings,
		"clientInfo": object{"name": "agent"},
		"capabilities": object{
			"general": object{"positionEncodings": []string{"utf-8", "utf-16"}},
			"workspace": object{
				"configuration": true, "workspaceFolders": true, "workspaceEdit": object{"documentChanges": true},
				"didChangeWatchedFiles": object{"dynamicRegistration": true},
			},
			"textDocument": object{
				"publishDiagnostics": object{"versionSupport": true}, "diagnostic": object{}, "rename": object{}, "references": object{},
				"definition": object{"linkSupport": true}, "documentSymbol": object{"hierarchicalDocumentSymbolSupport": true},
				"hover": object{"contentFormat": []string{"plaintext", "markdown"}}, "synchronization": object{"didSave": true},
			},
		},
	}, &result)
	if err != nil {
		return fmt.Errorf("%s did not start: %w", r.server.Name, err)
	}
	r.abilities = result.Capabilities
	if err := r.tell("initialized", object{}); err != nil {
		return err
	}
	close(r.ready)
	return nil
}

// wait waits until the server is ready.
func (r *running) wait(ctx context.Context) error {
	select {
	case <-r.ready:
		return nil
	case <-r.done:
		return r.why()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// why describes the failure of the connection, with the end of standard error.
func (r *running) why() error {
	err := fmt.Errorf("%s: %w", r.server.Name, r.failure())
	if last := r.process.Log().Last(3); last != "" {
		err = fmt.Errorf("%w. It printed:\n%s", err, last)
	}
	return err
}

// request sends a request with a time limit.
func (r *running) request(ctx context.Context, method string, params, result any) error {
	limited, stop := context.WithTimeout(ctx, requestLimit)
	defer stop()
	err := r.call(limited, method, params, result)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer within %v. It may still be loading the project; try again later, or use search", r.server.Name, requestLimit)
	case r.failure() != nil:
		return r.why()
	}
	return fmt.Errorf("%s: %w", r.server.Name, err)
}

// answerServer answers a request of the server. An unanswered one would stop it.
func (r *running) answerServer(method string, params json.RawMessage) (any, error) {
	switch method {
	case "workspace/configuration":
		var p struct{ Items []json.RawMessage }
		_ = json.Unmarshal(params, &p) // the answer to an invalid request is an empty list
		return make([]any, len(p.Items)), nil
	case "workspace/workspaceFolders":
		return []any{map[string]any{"uri": uriOf(r.root), "name": path.Base(uriOf(r.root))}}, nil
	case "workspace/applyEdit": // changes need the approval of the user
		return map[string]any{"applied": false, "failureReason": "not supported"}, nil
	case "window/showDocument":
		return map[string]any{"success": false}, nil
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest",
		"workspace/diagnostic/refresh", "workspace/semanticTokens/refresh", "workspace/inlayHint/refresh", "workspace/codeLens/refresh":
		return nil, nil
	}
	return nil, errors.New("method not found: " + method)
}

// noteServer keeps the diagnostics of open documents. It ignores those of older versions.
func (r *running) noteServer(method string, params json.RawMessage) {
	if method != "textDocument/publishDiagnostics" {
		return
	}
	var p struct {
		URI         string
		Version     *int
		Diagnostics []diagnostic
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.docs[fileOf(p.URI)]
	if d == nil || p.Version != nil && *p.Version != d.version {
		return
	}
	d.found, d.answer, d.foundAt = onlyErrors(p.Diagnostics), d.version, time.Time{}
	if p.Version == nil {
		d.foundAt = time.Now()
	}
	close(r.news)
	r.news = make(chan struct{})
}

// onlyErrors returns the errors among diagnostics, at most maxDiagnostics.
func onlyErrors(all []diagnostic) []diagnostic {
	all = slices.DeleteFunc(all, func(d diagnostic) bool { return d.Severity > 1 })
	return slices.Clone(all[:min(len(all), maxDiagnostics)])
}

// open makes the server use text as the content of a file.
func (r *running) open(file, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	type object = map[string]any
	d := r.docs[file]
	if d != nil && d.text == text {
		d.used = time.Now()
		return nil
	}
	r.version++
	if d != nil {
		*d = document{version: r.version, text: text, used: time.Now()}
		return errors.Join(
			r.tell("textDocument/didChange", object{"textDocument": object{"uri": uriOf(file), "version": d.version}, "contentChanges": []any{object{"text": text}}}),
			r.tell("textDocument/didSave", object{"textDocument": object{"uri": uriOf(file)}}))
	}
	if len(r.docs) >= maxOpen {
		r.closeOldest()
	}
	r.docs[file] = &document{version: r.version, text: text, used: time.Now()}
	return r.tell("textDocument/didOpen", object{"textDocument": object{"uri": uriOf(file), "languageId": languageOf(file), "version": r.version, "text": text}})
}

// closeOldest closes the document that was not used for the longest time.
func (r *running) closeOldest() {
	oldest := ""
	for file, d := range r.docs {
		if oldest == "" || d.used.Before(r.docs[oldest].used) {
			oldest = file
		}
	}
	r.closeDocument(oldest)
}

func (r *running) closeDocument(file string) {
	delete(r.docs, file)
	_ = r.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(file)}})
}

// refresh sends what has changed on disk in the documents that are open. Read returns the
// content of a file.
func (r *running) refresh(read func(file string) (string, error)) {
	r.mu.Lock()
	var files []string
	for file := range r.docs {
		files = append(files, file)
	}
	r.mu.Unlock()
	for _, file := range files {
		text, err := read(file)
		if err != nil {
			r.mu.Lock()
			r.closeDocument(file)
			r.mu.Unlock()
			continue
		}
		_ = r.open(file, text) // the next request reports it
	}
}

// changed tells the server that files have changed on disk.
func (r *running) changed(files []string) {
	const created, deleted = 1, 3
	var all []any
	for _, file := range files {
		kind := created // servers read the file, whether they know it or not
		if _, err := os.Lstat(file); err != nil {
			kind = deleted
		}
		all = append(all, map[string]any{"uri": uriOf(file), "type": kind})
	}
	_ = r.tell("workspace/didChangeWatchedFiles", map[string]any{"changes": all}) // the next request reports it
}

// errors returns the errors in an open file, in the content that was sent last. It reports
// false if there is no answer before ctx ends.
func (r *running) errors(ctx context.Context, file string) ([]diagnostic, bool) {
	if has(r.abilities.Diagnostic) {
		var result struct{ Items []diagnostic }
		err := r.call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": uriOf(file)}}, &result)
		return onlyErrors(result.Items), err == nil
	}
	for {
		r.mu.Lock()
		news := r.news
		r.mu.Unlock()
		found, answered, left := r.latest(file)
		if answered {
			return found, true
		}
		var settled <-chan time.Time
		if left > 0 {
			timer := time.NewTimer(left)
			defer timer.Stop()
			settled = timer.C
		}
		select {
		case <-news:
		case <-settled:
		case <-r.done:
			return nil, false
		case <-ctx.Done():
			return nil, false
		}
	}
}

// latest returns the errors that the server has sent for an open file. It reports false if
// they belong to an older version. Then wait is how long the server must send nothing more
// to complete its answer; 0 if there is none yet.
func (r *running) latest(file string) (found []diagnostic, answered bool, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.docs[file]
	if d == nil || d.answer != d.version {
		return nil, false, 0
	}
	if !d.foundAt.IsZero() {
		wait = max(0, r.quiet-time.Since(d.foundAt))
	}
	return d.found, wait == 0, wait
}

// end asks the server to exit.
func (r *running) end() {
	ctx, stop := context.WithTimeout(context.Background(), endLimit)
	defer stop()
	if r.call(ctx, "shutdown", nil, nil) == nil {
		_ = r.tell("exit", nil)
	}
}

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
