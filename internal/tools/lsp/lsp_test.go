package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/lsp"
	"agent/internal/tools/workspace"
)

// limit is a generous limit of what must happen.
const limit = time.Minute

// desk is a workspace with a pool, its tools and the interceptor of one agent.
type desk struct {
	t      *testing.T
	dir    string
	ws     *workspace.Workspace
	pool   *lsp.Pool
	errors *lsp.Errors
	tools  map[string]tools.Tool
	step   int
}

// newDesk returns a workspace with files, whose server for *.x is started by start.
func newDesk(t *testing.T, o lsp.Options, files map[string]string) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	o.Workspace = ws
	if o.Servers == nil {
		o.Servers = func() []lsp.Server { return []lsp.Server{{Name: "x", Args: []string{"x"}, Files: []string{"*.x"}}} }
	}
	d := &desk{t: t, dir: dir, ws: ws, pool: lsp.NewPool(o), tools: map[string]tools.Tool{}}
	d.errors = d.pool.Errors()
	known := workspace.NewLedger()
	for _, tool := range append(tools.Files(ws, known), d.pool.Tools(known)...) {
		d.tools[tool.Spec().Name] = tool
	}
	t.Cleanup(func() {
		d.pool.Close()
		ws.Close()
	})
	return d
}

// call runs one call of a step; more calls follow it if more is set.
func (d *desk) call(tool, args string, more bool) (tools.Result, error) {
	d.t.Helper()
	ctx, stop := context.WithTimeout(d.t.Context(), limit)
	defer stop()
	d.step++
	is := tools.Intercept(d.errors)
	in := tools.Info{ID: fmt.Sprint(d.step), Tool: tool, Args: json.RawMessage(args), Step: d.step, More: more}
	c, err := is.Prepare(ctx, in, d.tools[tool])
	if err != nil {
		return tools.Result{}, err
	}
	return is.Run(ctx, in, c, tools.Approved{Changes: c.Changes})
}

// must runs the only call of a step.
func (d *desk) must(tool, args string) string {
	d.t.Helper()
	r, err := d.call(tool, args, false)
	if err != nil {
		d.t.Fatalf("%s %s: %v", tool, args, err)
	}
	return r.Text
}

func (d *desk) uri(name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(d.dir, name))
}

func skipWindows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the URIs of the fake server are those of Unix")
	}
}

// errorsOf publishes an error for each line of a text that begins with "bad". A bar stands
// for a line break in the message.
func errorsOf(versions bool) func(f *fake, uri, text string, version int) {
	return func(f *fake, uri, text string, version int) {
		var all []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "bad") {
				all = append(all, strings.ReplaceAll(strings.TrimSpace(line), "|", "\n"))
			}
		}
		if !versions {
			version = 0
		}
		f.publish(uri, version, all...)
	}
}

const (
	edit2    = `{"path":"a.x","old":"two","new":"bad 2"}`
	written  = "changed a.x: it now has 3 lines, 16 bytes. Replaced 1 occurrence, on line 2."
	newError = "\n[1 new error in the edited files, found by the language server:]\na.x:2: bad 2\n"
)

// A report comes once, with the last edit of a step, and has only what the edits of the
// turn broke.
func TestNewErrors(t *testing.T) {
	skipWindows(t)
	for _, versions := range []bool{true, false} {
		f := newFake()
		f.opened = errorsOf(versions)
		d := newDesk(t, lsp.Options{Start: starts(t, f), Quiet: 20 * time.Millisecond}, map[string]string{"a.x": "bad 1\ntwo\nend\n", "b.x": "one\n"})
		r, err := d.call("edit", edit2, true)
		if err != nil || strings.Contains(r.Text, "error") {
			t.Fatalf("an edit that is not the last one: %q, %v", r.Text, err)
		}
		got, want := d.must("edit", `{"path":"b.x","old":"one","new":"bad 3"}`), `changed b.x: it now has 1 line, 6 bytes. Replaced 1 occurrence, on line 1.
[2 new errors in the edited files, found by the language server:]
a.x:2: bad 2
b.x:2: bad 3
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("versions %v: %s", versions, diff)
		}
		if got := d.must("edit", `{"path":"b.x","old":"bad 3","new":"bad 3\nbad 4"}`); !strings.HasSuffix(got, "[1 new error in the edited files, found by the language server:]\nb.x:2: bad 4\n") {
			t.Errorf("versions %v: only the new error is reported again: %s", versions, got)
		}
		if got := d.must("read", `{"path":"b.x"}`); strings.Contains(got, "error") {
			t.Errorf("a call without an edit has a report: %s", got)
		}
	}
}

// A server that pulls gets the request; one that does not is never asked.
func TestPull(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.caps["diagnosticProvider"] = map[string]any{"interFileDependencies": true}
	text := ""
	f.opened = func(_ *fake, _, now string, _ int) { text = now }
	f.answer = func(_ *fake, method string, _ map[string]any) any {
		items := []any{}
		if method == "textDocument/diagnostic" && strings.Contains(text, "bad 2") {
			items = append(items, map[string]any{"severity": 1, "message": "bad 2", "range": map[string]any{"start": map[string]any{"line": 1, "character": 0}}})
		} else if method != "textDocument/diagnostic" {
			return nil
		}
		return map[string]any{"kind": "full", "items": items}
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f)}, map[string]string{"a.x": "one\ntwo\nend\n"})
	if diff := cmp.Diff(strings.Replace(written, "16 bytes", "14 bytes", 1)+newError, d.must("edit", edit2)); diff != "" {
		t.Error(diff)
	}
	push := newFake()
	push.opened = errorsOf(true)
	d = newDesk(t, lsp.Options{Start: starts(t, push)}, map[string]string{"a.x": "bad 1\ntwo\nend\n"})
	d.must("edit", edit2)
	if push.got("textDocument/diagnostic") > 0 {
		t.Error("a server without diagnosticProvider was asked for diagnostics")
	}
}

// A server that is silent, that sends diagnostics of an old version, or that sends far too
// many, leads to "no answer yet", and a late answer comes with the next call.
func TestNoAnswerYet(t *testing.T) {
	skipWindows(t)
	const none = "\n[no answer of the language server yet about a.x]\n"
	for name, opened := range map[string]func(f *fake, uri, text string, version int){
		"silent":      nil,
		"old version": func(f *fake, uri, _ string, version int) { f.publish(uri, version+1, "bad 9") },
		"other file":  func(f *fake, uri, _ string, version int) { f.publish(uri+"y", version, "bad 9") },
		"100 MB": func(f *fake, _, _ string, version int) {
			const size, block = 100 << 20, 1 << 20
			fmt.Fprintf(f.out, "Content-Length: %d\r\n\r\n", size)
			text := []byte(strings.Repeat(" ", block))
			for range size / block {
				_, _ = f.out.Write(text)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.opened = opened
			d := newDesk(t, lsp.Options{Start: starts(t, f), Wait: 100 * time.Millisecond, Quiet: time.Millisecond}, map[string]string{"a.x": "bad 1\ntwo\nend\n"})
			if got := d.must("edit", edit2); got != written+none {
				t.Errorf("got %q", got)
			}
			if got := d.must("read", `{"path":"a.x"}`); strings.Contains(got, "language server") {
				t.Errorf("the missing answer is reported twice: %q", got)
			}
		})
	}
}

// Errors without an answer about the text before the edits may be older than these.
func TestUnknownBefore(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.opened = func(f *fake, uri, text string, version int) {
		if strings.Contains(text, "bad 2") {
			errorsOf(true)(f, uri, text, version)
		}
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f), Wait: 200 * time.Millisecond, Quiet: time.Millisecond}, map[string]string{"a.x": "bad 1\ntwo\nend\n"})
	want := written + "\n[2 errors in the edited files, found by the language server; some may be older than the edits:]\na.x:2: bad 1\na.x:2: bad 2\n"
	if diff := cmp.Diff(want, d.must("edit", edit2)); diff != "" {
		t.Error(diff)
	}
}

// A report has at most 20 errors.
func TestManyErrors(t *testing.T) {
	skipWindows(t)
	f := newFake()
	f.opened = errorsOf(true)
	d := newDesk(t, lsp.Options{Start: starts(t, f)}, nil)
	got := d.must("write", `{"path":"a.x","content":"`+strings.Repeat(`bad `+strings.Repeat("long ", 200)+`\n`, 30)+`"}`)
	if strings.Count(got, "\na.x:2: bad") != 20 || !strings.HasSuffix(got, "\n[and 10 more]\n") || len(got) > 20*400 {
		t.Errorf("got %d bytes: %s", len(got), got)
	}
}

// A server that ends, breaks the protocol or does not start is started again, but not more
// than three times.
func TestCrashes(t *testing.T) {
	skipWindows(t)
	for name, does := range map[string]func(*fake){
		"exits":          func(f *fake) { f.Kill() },
		"wrong length":   func(f *fake) { fmt.Fprint(f.out, "Content-Length: 3\r\n\r\n{}Content-Length: 2\r\n\r\n{}") },
		"no length":      func(f *fake) { fmt.Fprint(f.out, "\r\n{}") },
		"endless header": func(f *fake) { fmt.Fprint(f.out, strings.Repeat("x", 1<<16)) },
		"not JSON":       func(f *fake) { fmt.Fprint(f.out, "Content-Length: 2\r\n\r\nno") },
	} {
		t.Run(name, func(t *testing.T) {
			var all []*fake
			for range 3 {
				f := newFake()
				f.answer = func(f *fake, method string, _ map[string]any) any {
					if method == "initialize" {
						return nil
					}
					f.log.Write([]byte("panic: it is broken\n"))
					does(f)
					return none
				}
				all = append(all, f)
			}
			d := newDesk(t, lsp.Options{Start: starts(t, all...)}, map[string]string{"a.x": "one\n"})
			const outline = `{"op":"outline","path":"a.x"}`
			for i := range 3 {
				_, err := d.call("symbols", outline, false)
				if err == nil || !strings.Contains(err.Error(), "panic: it is broken") {
					t.Fatalf("use %d: %v", i+1, err)
				}
				<-all[i].gone
				d.settle()
			}
			_, err := d.call("symbols", outline, false)
			if err == nil || !strings.Contains(err.Error(), "x is off: it ended unexpectedly 3 times in 10 minutes, the last time with: panic: it is broken. Use search and read. The user can start it again with /lsp restart") {
				t.Fatalf("use 4: %v", err)
			}
			if st := d.pool.States(); len(st) != 1 || st[0].Off == "" {
				t.Errorf("states: %+v", st)
			}
			d.pool.Restart("x")
			if st := d.pool.States(); len(st) != 1 || st[0].Off != "" {
				t.Errorf("states after a restart: %+v", st)
			}
		})
	}
}

// settle waits until no server runs.
func (d *desk) settle() {
	d.t.Helper()
	err := d.until(func() bool {
		return !slices.ContainsFunc(d.pool.States(), func(s lsp.State) bool { return s.Dir != "" })
	})
	if err != nil {
		d.t.Fatal("a server still runs")
	}
}

// until waits until check reports true.
func (d *desk) until(check func() bool) error {
	for end := time.Now().Add(limit); !check(); runtime.Gosched() {
		if time.Now().After(end) {
			return errors.New("it did not happen in time")
		}
	}
	return nil
}

// A server that is idle is ended, and one that uses too much memory is off.
func TestEnds(t *testing.T) {
	skipWindows(t)
	f := newFake()
	d := newDesk(t, lsp.Options{Start: starts(t, f), Idle: time.Millisecond, Check: time.Millisecond}, map[string]string{"a.x": "one\n"})
	_, _ = d.call("symbols", `{"op":"outline","path":"a.x"}`, false) // it may have ended before the answer
	<-f.gone
	d.settle()
	if f.got("shutdown") == 0 {
		t.Error("an idle server was not asked to shut down")
	}
	if st := d.pool.States(); st[0].Off != "" {
		t.Errorf("an idle server is off: %+v", st)
	}
	f = newFake()
	f.memory = 3 << 30
	d = newDesk(t, lsp.Options{Start: starts(t, f), Check: time.Millisecond}, map[string]string{"a.x": "one\n"})
	_, _ = d.call("symbols", `{"op":"outline","path":"a.x"}`, false) // it may have ended before the answer
	<-f.gone
	d.settle()
	if st := d.pool.States(); st[0].Off != "it used 3.2 GB of memory, the limit is 2.1 GB" {
		t.Errorf("state: %+v", st)
	}
}

// An answer that comes late is reported with a later call.
func TestLateAnswer(t *testing.T) {
	skipWindows(t)
	f := newFake()
	last := make(chan int, 10)
	f.opened = func(_ *fake, _, text string, version int) {
		if strings.Contains(text, "bad") {
			last <- version
		}
	}
	d := newDesk(t, lsp.Options{Start: starts(t, f), Wait: 20 * time.Millisecond}, map[string]string{"a.x": "one\ntwo\nend\n"})
	d.must("edit", edit2)
	f.publish(d.uri("a.x"), <-last, "bad 2")
	for end := time.Now().Add(limit); ; runtime.Gosched() {
		if got := d.must("list", `{}`); strings.Contains(got, "a.x:2: bad 2") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the late answer is not reported")
		}
	}
	d.errors.EndTurn()
	if got := d.must("list", `{}`); strings.Contains(got, "bad") {
		t.Errorf("a report of a turn that has ended: %s", got)
	}
}
