package client

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"agent/internal/tools/lsp/protocol"
)

const (
	maxOpen        = 50   // documents
	maxDiagnostics = 1000 // kept of a document
)

// document is one version of a file that is open in a server.
type document struct {
	version int // unique in the connection
	text    string
	sent    time.Time

	found   []protocol.Diagnostic // errors that the server has published
	foundAt time.Time             // when found arrived; zero for never
	pulled  []protocol.Diagnostic // errors in its answer to a request
	// quiet is how long the server must send nothing more before its errors count as
	// complete; 0 if it has sent no list of errors.
	quiet time.Duration
	clean bool // the last list of the server was empty and had no version
}

// documents are the open files of a server with their errors. They send nothing.
type documents struct {
	quiet   time.Duration        // see Options
	open    map[string]*document // by file
	version int                  // of the document that was sent last
}

// set records the text of a file that the caller sends next.
func (ds *documents) set(file, text string) *document {
	ds.version++
	d := &document{version: ds.version, text: text, sent: time.Now()}
	if old := ds.open[file]; old != nil && old.clean { // typescript-language-server does not repeat an empty list
		d.clean, d.quiet = true, 2*ds.quiet
	}
	ds.open[file] = d
	return d
}

// oldest returns the file that was sent longest ago. At least one must be open.
func (ds *documents) oldest() string {
	return slices.MinFunc(slices.Collect(maps.Keys(ds.open)), func(a, b string) int { return ds.open[a].version - ds.open[b].version })
}

// publish keeps the errors among the diagnostics of an open file. It ignores those of older
// versions.
func (ds *documents) publish(p protocol.Published) {
	d := ds.open[protocol.FileOf(p.URI)]
	if d == nil || p.Version != 0 && p.Version != d.version {
		return
	}
	d.clean = len(p.Diagnostics) == 0 && p.Version == 0
	d.found, d.foundAt = onlyErrors(p.Diagnostics), time.Now()
	if short := ds.quiet / 5; d.quiet != short && p.Version == 0 {
		d.quiet = ds.quiet
	} else {
		d.quiet = short
	}
}

// onlyErrors returns the errors among diagnostics, at most maxDiagnostics.
func onlyErrors(all []protocol.Diagnostic) []protocol.Diagnostic {
	all = slices.DeleteFunc(all, func(d protocol.Diagnostic) bool { return d.Severity > 1 })
	return slices.Clone(all[:min(len(all), maxDiagnostics)])
}

// latest returns the errors of an open file. They are complete when the server sends
// nothing more for wait.
func (ds *documents) latest(file string, work *activity) (found []protocol.Diagnostic, wait time.Duration) {
	d := ds.open[file]
	if d == nil || d.quiet == 0 || work.since(d.sent) {
		return nil, forNews
	}
	last := slices.MaxFunc([]time.Time{d.sent, d.foundAt, work.ended}, time.Time.Compare)
	return slices.Concat(d.pulled, d.found), max(0, d.quiet-time.Since(last))
}

// Open makes the server use text as the content of a file, instead of what is on disk. If
// too many files are open, it closes the one that was sent longest ago.
func (c *Client) Open(file, text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.documents.open[file]
	if old != nil && old.text == text {
		return nil
	}
	if old == nil && len(c.documents.open) >= maxOpen {
		c.close(c.documents.oldest())
	}
	p := protocol.About(file)
	p.Document.Version = c.documents.set(file, text).version
	if old == nil {
		p.Document.Language, p.Document.Text = protocol.LanguageOf(file), &text
		return c.Notify("textDocument/didOpen", p)
	}
	p.Changes = []protocol.TextChange{{Text: text}}
	return errors.Join(c.Notify("textDocument/didChange", p), c.Notify("textDocument/didSave", protocol.About(file)))
}

// Close makes the server use what is on disk as the content of a file.
func (c *Client) Close(file string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.close(file)
}

// close is Close. The caller holds c.mu.
func (c *Client) close(file string) {
	delete(c.documents.open, file)
	_ = c.Notify("textDocument/didClose", protocol.About(file)) // the next request reports it
}

// Opened returns the open files, in no order.
func (c *Client) Opened() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.documents.open))
}

// Changed tells the server that files have changed on disk. It leaves out open files that
// still exist: the server gets their text from Open.
func (c *Client) Changed(all []protocol.FileEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all = slices.DeleteFunc(slices.Clone(all), func(e protocol.FileEvent) bool {
		return e.Type != protocol.Deleted && c.documents.open[protocol.FileOf(e.URI)] != nil
	})
	if len(all) > 0 {
		_ = c.Notify("workspace/didChangeWatchedFiles", object{"changes": all}) // the next request reports it
	}
}

// Knows reports whether edits of the server apply to this text of a file: the text must be
// the one that was sent last, and so must the version unless it is 0.
func (c *Client) Knows(file string, version int, text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.documents.open[file]
	if d == nil {
		return true // the server has read the file itself
	}
	return d.text == text && (version == 0 || version == d.version)
}

// Errors waits for the errors in an open file, in the text that was sent last. It reports
// false if there is no answer before ctx ends.
func (c *Client) Errors(ctx context.Context, file string) (found []protocol.Diagnostic, ok bool) {
	if bool(c.Abilities.Diagnostics) && !(c.until(ctx, c.untilLoaded) && c.pull(ctx, file)) {
		return nil, false
	}
	ok = c.until(ctx, func() (wait time.Duration) {
		found, wait = c.documents.latest(file, &c.work)
		return wait
	})
	return found, ok
}

// Published returns the errors that the server has sent for an open file without a request.
// It reports false if they belong to an older version, or may be incomplete.
func (c *Client) Published(file string) (found []protocol.Diagnostic, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, wait := c.documents.latest(file, &c.work)
	return found, wait == 0
}

// pull asks for the errors in an open file. It reports whether there is an answer.
func (c *Client) pull(ctx context.Context, file string) bool {
	c.mu.Lock()
	d := c.documents.open[file]
	c.mu.Unlock()
	var result struct{ Items []protocol.Diagnostic }
	answer, err := c.Call(ctx, "textDocument/diagnostic", protocol.About(file))
	if err != nil || decode(answer, &result) != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if d == nil || c.documents.open[file] != d {
		return false // it is about an older version
	}
	d.pulled, d.quiet = onlyErrors(result.Items), c.o.Quiet/5
	return true
}
