package lsp_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools"
	"agent/internal/tools/lsp"
	"agent/internal/tools/workspace"
)

// outline asks for the symbols of a.x with the tools of a pool.
func outline(t *testing.T, p *lsp.Pool, path string) error {
	t.Helper()
	for _, tool := range p.Tools(workspace.NewLedger()) {
		if tool.Spec().Name == "symbols" {
			d := &desk{t: t, errors: p.Errors()}
			d.tools = map[string]tools.Tool{"symbols": tool}
			_, err := d.call("symbols", fmt.Sprintf(`{"op":"outline","path":%q}`, path), false)
			return err
		}
	}
	t.Fatal("there is no tool symbols")
	return nil
}

// A git worktree has servers of its own, which end with its pool. All pools share the
// limits: a server that is off is off for all.
func TestWorktree(t *testing.T) {
	skipWindows(t)
	ours, theirs := newFake(), newFake()
	d := newDesk(t, lsp.Options{Start: starts(t, ours)}, map[string]string{"a.x": "one\n"})
	d.must("symbols", `{"op":"outline","path":"a.x"}`)
	tree := newDesk(t, lsp.Options{}, map[string]string{"a.x": "one\n"})
	pool := d.pool.In(tree.ws, starts(t, theirs))
	if err := outline(t, pool, "a.x"); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, s := range d.pool.States() {
		dirs = append(dirs, s.Dir)
	}
	if len(dirs) != 2 || !strings.Contains(strings.Join(dirs, " "), tree.dir) {
		t.Errorf("servers run in %q", dirs)
	}
	pool.Close()
	<-theirs.gone
	if s := d.pool.States(); len(s) != 1 || s[0].Dir != d.dir {
		t.Errorf("after the end of the worktree: %+v", s)
	}
	d.must("symbols", `{"op":"outline","path":"a.x"}`)
	if err := outline(t, pool, "a.x"); err == nil {
		t.Error("a closed pool has started a server")
	}
}

// At most four servers run. The one that was not used for the longest time makes room, but
// not one that is at work.
func TestManyServers(t *testing.T) {
	skipWindows(t)
	var all []*fake
	asked, answer := make(chan struct{}), make(chan struct{})
	for i := range 5 {
		f := newFake()
		if i == 0 {
			f.answer = func(_ *fake, method string, _ map[string]any) any {
				if method == "textDocument/documentSymbol" {
					close(asked)
					<-answer
				}
				return nil
			}
		}
		all = append(all, f)
	}
	files := map[string]string{}
	for i := range all {
		files[fmt.Sprintf("%d/root", i)], files[fmt.Sprintf("%d/a.x", i)] = "", "one\n"
	}
	d := newDesk(t, lsp.Options{Start: starts(t, all...), Servers: func() []lsp.Server {
		return []lsp.Server{{Name: "x", Args: []string{"x"}, Files: []string{"*.x"}, Roots: []string{"root"}}}
	}}, files)
	done := make(chan error, 1)
	go func() { done <- outline(t, d.pool, "0/a.x") }()
	<-asked
	for i := 1; i < len(all); i++ {
		d.must("symbols", fmt.Sprintf(`{"op":"outline","path":"%d/a.x"}`, i))
	}
	<-all[1].gone
	close(answer)
	if err := <-done; err != nil {
		t.Errorf("the server that was at work: %v", err)
	}
	err := d.until(func() bool { return len(d.pool.States()) == 4 })
	for _, s := range d.pool.States() {
		if filepath.Base(s.Dir) == "1" || s.Off != "" {
			t.Errorf("state: %+v", s)
		}
	}
	if err != nil {
		t.Error("not four servers run")
	}
}
