package lsp_test

import (
	"strings"
	"testing"
	"time"

	"agent/internal/tools/lsp"
)

const definition = `{"op":"definition","path":"a.x","line":2,"name":"two"}`

// An answer that a server gives while it loads the project is asked for again, as is one
// that a change has made invalid.
func TestLoadingProject(t *testing.T) {
	skipWindows(t)
	for name, early := range map[string]func(f *fake) any{
		"progress": func(f *fake) any {
			f.works("begin")
			go f.works("end")
			return []any{}
		},
		"progress ends before the answer": func(f *fake) any {
			f.works("begin")
			f.works("end")
			return []any{}
		},
		"status": func(f *fake) any {
			f.works("begin") // a check in the background, which does not count
			f.status(true)
			go f.status(false)
			return nil
		},
		"content modified": func(*fake) any { return failure(-32801) },
	} {
		f := newFake()
		var d *desk
		f.answer = func(f *fake, method string, _ map[string]any) any {
			switch {
			case method != "textDocument/definition":
				return nil
			case f.got(method) == 1:
				return early(f)
			}
			return []any{map[string]any{"uri": d.uri("a.x"), "range": span(0, 0, 3)}}
		}
		d = newDesk(t, lsp.Options{Start: starts(t, f)}, map[string]string{"a.x": "one\ntwo\n"})
		if got := d.must("symbols", definition); got != "a.x:1: one\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// While a server loads the project for a long time, its answers are marked, a rename is
// rejected, and only the first call waits.
func TestLoadingForLong(t *testing.T) {
	skipWindows(t)
	f := newFake()
	var d *desk
	f.answer = func(f *fake, method string, _ map[string]any) any {
		if f.got("textDocument/definition") == 1 {
			f.works("begin")
		}
		switch method {
		case "textDocument/definition":
			return []any{map[string]any{"uri": d.uri("a.x"), "range": span(0, 0, 3)}}
		case "textDocument/rename":
			return map[string]any{}
		}
		return nil
	}
	d = newDesk(t, lsp.Options{Start: starts(t, f), Request: 100 * time.Millisecond}, map[string]string{"a.x": "one\ntwo\n"})
	d.pool.Restart("") // nothing runs
	const want = "a.x:1: one\n[x is still loading the project: the answer may be incomplete]\n"
	for range 2 {
		if got := d.must("symbols", definition); got != want {
			t.Errorf("got %q", got)
		}
	}
	if n := f.got("textDocument/definition"); n != 2 {
		t.Errorf("the server was asked %d times", n)
	}
	_, err := d.call("rename", `{"path":"a.x","line":2,"name":"two","to":"2"}`, false)
	if err == nil || !strings.Contains(err.Error(), "x is still loading the project, and the rename would not change all files. Try again later, or use search and edit") {
		t.Errorf("rename: %v", err)
	}
	if _, err = d.call("symbols", `{"op":"hover","path":"a.x","line":2,"name":"two"}`, false); err != nil {
		t.Errorf("hover: %v", err)
	}
	f.works("end")
	if err := d.until(func() bool { return d.must("symbols", definition) == "a.x:1: one\n" }); err != nil {
		t.Error(err)
	}
}

// A server that fails all the time is not asked forever.
func TestAlwaysModified(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.answer = func(_ *fake, method string, _ map[string]any) any {
		if method == "initialize" {
			return nil
		}
		return failure(-32801)
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f)}, map[string]string{"a.x": "one\ntwo\n"})
	if _, err := d.call("symbols", definition, false); err == nil || !strings.Contains(err.Error(), "x: failed (code -32801)") {
		t.Errorf("error: %v", err)
	}
}

// Pyright sends an empty list for a new version, and then the errors while it works.
func TestErrorsAfterEmptyList(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.opened = func(f *fake, uri, text string, version int) {
		f.publish(uri, version)
		if strings.Contains(text, "bad") {
			f.works("begin")
			go func() {
				errorsOf(true)(f, uri, text, version)
				f.works("end")
			}()
		}
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f)}, map[string]string{"a.x": "one\ntwo\nend\n"})
	if got := d.must("edit", edit2); !strings.HasSuffix(got, newError) {
		t.Error(got)
	}
}

// Rust-analyzer answers the request for diagnostics without those of cargo check, and sends
// these later.
func TestPulledAndPublished(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.caps["diagnosticProvider"] = map[string]any{}
	check := func() {}
	f.opened = func(f *fake, uri, text string, version int) {
		check = func() {
			f.works("begin")
			go func() {
				errorsOf(true)(f, uri, text, version)
				f.works("end")
			}()
		}
	}
	f.answer = func(f *fake, method string, _ map[string]any) any {
		if method != "textDocument/diagnostic" {
			return nil
		}
		check()
		return map[string]any{"kind": "full", "items": []any{map[string]any{"severity": 1, "message": "old", "range": span(2, 0, 1)}}}
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f)}, map[string]string{"a.x": "one\ntwo\nend\n"})
	if got := d.must("edit", edit2); !strings.HasSuffix(got, newError) {
		t.Error(got)
	}
}

// An error from before the turn that another one hid for a while is not new.
func TestOldErrorAgain(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.opened = func(f *fake, uri, text string, version int) {
		if strings.Contains(text, "bad syntax") {
			_, text, _ = strings.Cut(text, "\n")
		}
		errorsOf(true)(f, uri, text, version)
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f), Quiet: time.Millisecond}, map[string]string{"a.x": "bad old\ntwo\n"})
	if got := d.must("edit", `{"path":"a.x","old":"two","new":"bad syntax|| here|not shown"}`); !strings.HasSuffix(got, "language server:]\na.x:2: bad syntax: here\n") {
		t.Error(got)
	}
	if got := d.must("edit", `{"path":"a.x","old":"bad syntax|| here|not shown","new":"two"}`); strings.Contains(got, "language server") {
		t.Error(got)
	}
}

// Typescript-language-server sends no version, and does not repeat an empty list.
func TestEmptyListOnce(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.opened = func(f *fake, uri, text string, _ int) {
		if strings.Contains(text, "two") {
			f.send(map[string]any{"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": map[string]any{"uri": uri, "diagnostics": []any{}}})
		}
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f), Quiet: 10 * time.Millisecond}, map[string]string{"a.x": "one\ntwo\n"})
	d.must("symbols", `{"op":"outline","path":"a.x"}`) // the server is ready, and the file is open
	for _, args := range []string{`{"path":"a.x","old":"two","new":"2"}`, `{"path":"a.x","old":"2","new":"3"}`} {
		if got := d.must("edit", args); strings.Contains(got, "language server") {
			t.Error(got)
		}
	}
	if n := f.got("workspace/didChangeWatchedFiles"); n != 0 {
		t.Errorf("the server was told %d times of changes in a file that is open", n)
	}
}
