package lsp

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/lsp/protocol"
)

const (
	maxErrors = 20  // lines of a report
	maxText   = 300 // bytes of one message
)

// Errors tells an agent which new errors its edits cause. It implements
// tools.RunInterceptor: the last call of a step that edited files gets the report.
type Errors struct {
	pool *Pool

	mu    sync.Mutex
	files map[string]*edited // of this turn, by path in the workspace
}

// edited is a file that was edited in this turn.
type edited struct {
	before  string         // text before the first edit
	old     map[string]int // how often it had each message; nil if that is not known
	known   map[string]int // how often the last answer had each message
	pending bool           // edited since the last answer
	waited  bool           // a report said that there is no answer yet
}

// Errors returns the interceptor of one agent.
func (p *Pool) Errors() *Errors { return &Errors{pool: p, files: map[string]*edited{}} }

// EndTurn forgets the files of the turn.
func (e *Errors) EndTurn() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.files)
}

// Run runs the call. It starts the server of a file at the first edit.
func (e *Errors) Run(ctx context.Context, in tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	got, err := next(ctx, c, ok)
	if in.Step == 0 || len(e.pool.o.Servers()) == 0 {
		return got, err
	}
	e.recordChanges(got.Changes)
	if err != nil || in.More || got.Source != "" || ctx.Err() != nil {
		return got, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	report, n := e.report(ctx)
	if report == "" {
		return got, nil
	}
	if got.Text != "" && !strings.HasSuffix(got.Text, "\n") {
		got.Text += "\n"
	}
	got.Text += report
	if n > 0 {
		got.Summary += " · " + phrase.Count(n, "new error")
	}
	return got, nil
}

// recordChanges records the changes of a call.
func (e *Errors) recordChanges(changes []tools.Change) {
	var names []string
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ch := range changes {
		if filepath.IsAbs(ch.Path) {
			continue
		}
		names = append(names, ch.Path)
		if ch.After == nil {
			delete(e.files, ch.Path)
			continue
		}
		if _, err := e.pool.find(ch.Path); err != nil {
			continue
		}
		f := e.files[ch.Path]
		if f == nil {
			f = &edited{before: string(ch.Before)}
			if e.files[ch.Path] = f; ch.Before == nil {
				f.old = map[string]int{}
			}
		}
		f.pending, f.waited = true, false
		_, _ = e.pool.start(ch.Path) // the report says nothing about a server that does not run
	}
	e.pool.Changed(names)
}

// report waits for the errors in the edited files. It describes the n new ones. The caller
// holds e.mu.
func (e *Errors) report(ctx context.Context) (text string, n int) {
	var names []string       // of files without an answer
	wait := time.Millisecond // to look for an answer that came late
	for name, f := range e.files {
		if f.pending {
			names = append(names, name)
			if !f.waited {
				wait = e.pool.o.Wait
			}
		}
	}
	slices.Sort(names)
	all, stop := context.WithTimeout(ctx, wait)
	defer stop()
	e.learn(all, names, wait/2)
	e.open(all, names, func(name string) (string, error) { return e.pool.read(e.pool.file(name)) })
	f := e.collect(all)
	if ctx.Err() != nil {
		f.silent = nil
	}
	return f.text(), len(f.lines)
}

// findings are the new errors of a report.
type findings struct {
	lines  []string
	sure   bool     // all are newer than the edits
	silent []string // files about which there is no answer for the first time
}

// collect returns the new errors in the edited files.
func (e *Errors) collect(ctx context.Context) findings {
	out := findings{sure: true}
	for _, name := range slices.Sorted(maps.Keys(e.files)) {
		f := e.files[name]
		found, answered := e.answer(ctx, name, f.pending)
		if !answered {
			if f.pending && !f.waited {
				out.silent = append(out.silent, name)
			}
			f.waited = true
			continue
		}
		slices.SortStableFunc(found, func(a, b protocol.Diagnostic) int { return a.Range.Start.Line - b.Range.Start.Line })
		out.sure = out.sure && (f.old != nil || f.known != nil)
		for _, d := range f.fresh(found) {
			out.lines = append(out.lines, fmt.Sprintf("%s:%d: %s", name, d.Range.Start.Line+1, describe(d)))
		}
		f.pending = false
	}
	return out
}

// text is the report for the model; empty if there is nothing to say.
func (f findings) text() (text string) {
	if n := len(f.lines); n > 0 {
		what := phrase.Count(n, "new error") + " in the edited files, found by the language server:"
		if !f.sure {
			what = phrase.Count(n, "error") + " in the edited files, found by the language server; some may be older than the edits:"
		}
		text = "[" + what + "]\n" + strings.Join(f.lines[:min(n, maxErrors)], "\n") + "\n"
		if n > maxErrors {
			text += fmt.Sprintf("[and %d more]\n", n-maxErrors)
		}
	}
	if len(f.silent) > 0 {
		text += "[no answer of the language server yet about " + strings.Join(f.silent[:min(len(f.silent), maxErrors)], ", ") + "]\n"
	}
	return text
}

// learn asks for the errors that files had before their first edit, unless they are known.
func (e *Errors) learn(ctx context.Context, names []string, wait time.Duration) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { f := e.files[name]; return f.old != nil || f.waited })
	if len(names) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	e.open(ctx, names, func(name string) (string, error) { return e.files[name].before, nil })
	for _, name := range names {
		if found, ok := e.answer(ctx, name, true); ok {
			e.files[name].old = count(found)
		}
	}
}

// open sends the texts of files to the servers that become ready before ctx ends.
func (e *Errors) open(ctx context.Context, names []string, text func(name string) (string, error)) {
	for _, name := range names {
		r, err := e.pool.start(name)
		if err != nil || r.Wait(ctx) != nil {
			continue
		}
		if content, err := text(name); err == nil {
			_ = r.Open(e.pool.file(name), content) // after an error, there is no answer
		}
	}
}

// answer returns the errors of a file. Without wait, it returns what the server has sent
// without a request, as some servers do. It reports false if there is no answer before ctx
// ends.
func (e *Errors) answer(ctx context.Context, name string, wait bool) (found []protocol.Diagnostic, ok bool) {
	r := e.pool.lookup(name)
	switch {
	case r == nil:
		return nil, false
	case !wait:
		return r.Published(e.pool.file(name))
	case r.Wait(ctx) != nil:
		return nil, false
	}
	return r.Errors(ctx, e.pool.file(name))
}

// fresh returns the errors that are new to the agent, and records all of them. Without an
// answer about the text before the edits, all of them are new.
func (f *edited) fresh(found []protocol.Diagnostic) (fresh []protocol.Diagnostic) {
	last := f.known
	f.known = count(found)
	seen := map[string]int{}
	for _, d := range found {
		m := messageOf(d)
		if seen[m]++; seen[m] > max(last[m], f.old[m]) {
			fresh = append(fresh, d)
		}
	}
	return fresh
}

// count returns how often each message is among errors.
func count(found []protocol.Diagnostic) map[string]int {
	n := map[string]int{}
	for _, d := range found {
		n[messageOf(d)]++
	}
	return n
}

// messageOf returns the first line of the message of d. Later lines may have line numbers,
// which change with every edit.
func messageOf(d protocol.Diagnostic) string { return phrase.Clip(firstLine(d.Message), maxText) }

// describe returns the first two lines of the message of d as one: the first line of
// rust-analyzer is only "mismatched types".
func describe(d protocol.Diagnostic) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(d.Message), "\n")
	if rest = firstLine(rest); rest != "" {
		first = strings.TrimSpace(first) + ": " + rest
	}
	return phrase.Clip(strings.TrimSpace(first), maxText)
}

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
