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
	startLimit     = time.Minute     // for the answer to initialize
	maxTries       = 5               // of a request during which the server notices a change
	endLimit       = 2 * time.Second // for the answer to shutdown
	maxOpen        = 50              // documents
	maxDiagnostics = 1000            // kept of a document
)

// running is a server that was started. Its methods are safe for concurrent use.
type running struct {
	*conn
	pool    *Pool
	server  Server
	root    string // absolute
	process Process
	ready   chan struct{} // closed when the server is initialized

	abilities capabilities // set before ready is closed

	mu      sync.Mutex
	docs    map[string]*document // open ones, by absolute path
	version int                  // of the document that was sent last
	news    chan struct{}        // closed when diagnostics or progress arrive, then replaced
	used    time.Time
	work    activity
	slow    bool // the server loaded the project for longer than a request may take
}

// document is a file that is open in a server.
type document struct {
	version int
	text    string
	used    time.Time

	sent     time.Time    // when this version was sent
	found    []diagnostic // errors that the server has sent, of the version answered
	answer   int          // the version to which found belongs; 0 for none
	foundAt  time.Time    // when found arrived
	dated    bool         // the server says to which version found belongs
	pulled   []diagnostic // errors that it answered for this version
	isPulled bool
	clean    bool // the last list of the server was empty and had no version
}

func newRunning(pool *Pool, s Server, root string, p Process) *running {
	r := &running{conn: newConn(), pool: pool, server: s, root: root, process: p, ready: make(chan struct{}), docs: map[string]*document{}, news: make(chan struct{}), used: time.Now(), work: activity{began: map[string]time.Time{}}}
	r.answer, r.notify, r.unsure = r.answerServer, r.noteServer, r.loading
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
			"general":      object{"positionEncodings": []string{"utf-8", "utf-16"}},
			"window":       object{"workDoneProgress": true},
			"experimental": object{"serverStatusNotification": true}, // of rust-analyzer
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

// request sends a request with a time limit, and stores the result. Partial reports whether
// the server was still loading the project when it answered, and did not finish in time.
func (r *running) request(ctx context.Context, method string, params, result any) (partial bool, err error) {
	limited, stop := context.WithTimeout(ctx, r.pool.o.Request)
	defer stop()
	for tries := 1; ; tries++ {
		m, err := r.ask(limited, method, params)
		failed, refused := errors.AsType[*responseError](err)
		again := err == nil && m.unsure || refused && failed.Code == contentModified && tries < maxTries
		if again && r.settle(limited) {
			continue
		}
		if err == nil {
			err = m.decode(method, result)
		}
		return m.unsure, r.explain(ctx, err)
	}
}

// explain describes why a request failed; err may be nil.
func (r *running) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer within %v. It may still be loading the project; try again later, or use search", r.server.Name, r.pool.o.Request)
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

// noteServer keeps the progress of the server and the diagnostics of open documents. It
// ignores diagnostics of older versions.
func (r *running) noteServer(method string, params json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if method == "textDocument/publishDiagnostics" {
		var p struct {
			URI         string
			Version     *int
			Diagnostics []diagnostic
		}
		if json.Unmarshal(params, &p) != nil {
			return
		}
		d := r.docs[fileOf(p.URI)]
		if d == nil || p.Version != nil && *p.Version != d.version {
			return
		}
		d.clean = len(p.Diagnostics) == 0 && p.Version == nil
		d.found, d.answer, d.foundAt, d.dated = onlyErrors(p.Diagnostics), d.version, time.Now(), p.Version != nil
	} else if !r.work.note(method, params) {
		return
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
		*d = document{version: r.version, text: text, used: time.Now(), sent: time.Now(), clean: d.clean}
		return errors.Join(
			r.tell("textDocument/didChange", object{"textDocument": object{"uri": uriOf(file), "version": d.version}, "contentChanges": []any{object{"text": text}}}),
			r.tell("textDocument/didSave", object{"textDocument": object{"uri": uriOf(file)}}))
	}
	if len(r.docs) >= maxOpen {
		r.closeOldest()
	}
	r.docs[file] = &document{version: r.version, text: text, used: time.Now(), sent: time.Now()}
	return r.tell("textDocument/didOpen", object{"textDocument": object{"uri": uriOf(file), "languageId": languageOf(file), "version": r.version, "text": text}})
}

// closeOldest closes the least recently used document.
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

// changed tells the server that files have changed on disk. The text of an open document is
// sent by open.
func (r *running) changed(files []string) {
	const created, deleted = 1, 3
	var all []any
	for _, file := range files {
		kind := created // servers read the file, whether they know it or not
		if _, err := os.Lstat(file); err != nil {
			kind = deleted
		}
		r.mu.Lock()
		open := r.docs[file] != nil
		r.mu.Unlock()
		if !open || kind == deleted {
			all = append(all, map[string]any{"uri": uriOf(file), "type": kind})
		}
	}
	if len(all) > 0 {
		_ = r.tell("workspace/didChangeWatchedFiles", map[string]any{"changes": all}) // the next request reports it
	}
}

// errors returns the errors in an open file, in the content that was sent last. It reports
// false if there is no answer before ctx ends.
func (r *running) errors(ctx context.Context, file string) ([]diagnostic, bool) {
	if has(r.abilities.Diagnostic) {
		if !r.until(ctx, r.settled) || !r.pull(ctx, file) {
			return nil, false
		}
	}
	var found []diagnostic
	ok := r.until(ctx, func() (answered bool, wait time.Duration) {
		found, answered, wait = r.latest(file)
		return answered, wait
	})
	return found, ok
}

// pull asks for the errors in an open file. It reports whether there is an answer.
func (r *running) pull(ctx context.Context, file string) bool {
	r.mu.Lock()
	d := r.docs[file]
	if d == nil {
		r.mu.Unlock()
		return false
	}
	version := d.version
	r.mu.Unlock()
	var result struct{ Items []diagnostic }
	err := r.call(ctx, "textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": uriOf(file)}}, &result)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || r.docs[file] != d || d.version != version {
		return false
	}
	d.pulled, d.isPulled = onlyErrors(result.Items), true
	return true
}

// latest returns the errors that the server has sent for an open file. It reports false if
// they belong to an older version, or if the server works on this one. Then wait is how long
// the server must send nothing more to complete its answer; 0 if that is not known.
func (r *running) latest(file string) (found []diagnostic, answered bool, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.docs[file]
	if d == nil || r.work.since(d.sent) {
		return nil, false, 0
	}
	published := d.answer == d.version
	last, quiet := d.sent, r.pool.o.Quiet/5
	switch {
	case published && !d.dated && !d.isPulled:
		quiet *= 5
	case published || d.isPulled:
	case d.clean: // typescript-language-server does not repeat an empty list
		quiet *= 10
	default:
		return nil, false, 0
	}
	if published {
		last, found = d.foundAt, d.found
	}
	if r.work.ended.After(last) {
		last = r.work.ended
	}
	if wait = quiet - time.Since(last); wait > 0 {
		return nil, false, wait
	}
	return slices.Concat(d.pulled, found), true, 0
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
