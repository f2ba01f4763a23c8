package loop_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history/blobs"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/undo"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
	"agent/internal/tools/snapshot/scan"
)

// copies is a pack that tells which contents were put into it.
type copies struct {
	*blobs.Pack
	mu   sync.Mutex
	all  map[string]bool
	more chan struct{} // closed and replaced at each one
}

func (c *copies) Put(r io.Reader) (string, int64, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	hash, size, err := c.Pack.Put(strings.NewReader(string(text)))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[string(text)] = true
	close(c.more)
	c.more = make(chan struct{})
	return hash, size, err
}

// has reports whether a content was put, and returns a channel that is closed when the
// next one is.
func (c *copies) has(text string) (bool, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[text], c.more
}

// wait waits until a content was put.
func (c *copies) wait(ctx context.Context, text string) error {
	for {
		has, more := c.has(text)
		if has {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// scanOptions returns the options of an agent that records the changes in dir, also those
// that no supervisor watches.
func scanOptions(t *testing.T, dir string, o loop.Options) (loop.Options, *copies) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.undo")
	pack, err := blobs.Open(path, blobs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pack.Close() })
	c := &copies{Pack: pack, all: map[string]bool{}, more: make(chan struct{})}
	files := scan.New(scan.Options{Roots: []string{dir}, Store: c, Eager: func() bool { return true }, Wait: time.Minute})
	t.Cleanup(files.Close)
	r := undo.NewRecorder(undo.Options{Pack: pack, Path: path, Roots: []string{dir}, Scan: files, Wait: time.Minute})
	o.Interceptors = tools.Intercept(r)
	o.Workspace.Undo = loop.Undo{Recorder: r, Restorer: undo.NewRestorer(pack, []string{dir})}
	o.Permissions.Paths.Workspace = dir
	return o, c
}

// lostOf returns the changes that cannot be undone.
func lostOf(events []event.Event) (all []event.LostChange) {
	for _, e := range events {
		if c, ok := e.(*event.FilesChanged); ok {
			all = append(all, c.Lost...)
		}
	}
	return all
}

// What another program changes while a command runs is named at the end of the turn. What
// the command itself changes is not.
func TestChangesOfOtherProgramsAreNamed(t *testing.T) {
	for _, count := range []int{1, 25} {
		dir := realDir(t)
		put := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Error(err)
			}
		}
		put("served", "1\n")
		put(".gitignore", "*.log\n")
		var stored *copies
		wait := tool("wait", tools.Read, func(ctx context.Context, text string) (string, error) {
			return "", stored.wait(ctx, text+"\n")
		})
		run := tool("run", tools.Execute, nil)
		build := tools.New("build", "a command", func(ctx context.Context, a textArgs) (tools.Call, error) {
			c, err := run.Prepare(ctx, []byte(args(a.Text)))
			c.Run = func(_ context.Context, ok tools.Approved) (tools.Result, error) {
				own := snapshot.Touched{Call: ok.Snapshot.Call, Path: filepath.Join(dir, "built"), Before: snapshot.State{Kind: snapshot.Absent}}
				if err := stored.Append(own); err != nil {
					return tools.Result{}, err
				}
				put("built", "new\n")
				wrote := make(chan struct{})
				go func() {
					defer close(wrote)
					put("served", "2\n")
					put("x.log", "ignored\n")
					for i := range count - 1 {
						put(fmt.Sprintf("served%02d", i), "new\n")
					}
				}()
				<-wrote
				return tools.Result{}, nil
			}
			return c, err
		})
		p := script.New(
			script.Call("c1", "wait", args("1")), // for the scan when the first turn begins
			script.Call("c2", "build", args("x")), script.Say("built"),
			script.Say("nothing"))
		o, c := scanOptions(t, dir, options(p, wait, build))
		stored = c
		events := undoing(t, o, prompted("build it"), prompted("talk"))
		got := lostOf(events)
		want := []event.LostChange{{Path: "served", Why: scan.UnsavedOutside}}
		for i := range min(count, 20) - 1 {
			want = append(want, event.LostChange{Path: fmt.Sprintf("served%02d", i), Why: scan.UnsavedOutside})
		}
		if count > 20 {
			want = append(want, event.LostChange{Why: "other programs also changed 5 more files while the command ran"})
		}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%d: got (-), want (+):\n%s", count, d)
		}
		last := slices.IndexFunc(events, func(e event.Event) bool { c, ok := e.(*event.FilesChanged); return ok && c.ID == "" })
		if end, ok := events[last+1].(*event.TurnEnd); last < 0 || !ok {
			t.Errorf("after the summary: %+v", end)
		}
	}
}

// The files are examined after each turn, so a typed command can be undone: a clean file
// comes from git, a dirty one from its copy.
func TestTypedCommandIsUndone(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := realDir(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, text string) { must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)) }
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	put("clean", "committed\n")
	put("dirty", "committed\n")
	old := time.Now().Add(-time.Hour)
	must(os.Chtimes(filepath.Join(dir, "clean"), old, old)) // older than the index
	git("init", "-q")
	git("add", "-A")
	git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first")
	put("dirty", "by the user\n")

	var stored *copies
	wait := tool("wait", tools.Read, func(ctx context.Context, text string) (string, error) {
		err := stored.wait(ctx, text+"\n") // the scan when the turn begins
		put("dirty", "during the turn\n")
		return "", err
	})
	p := script.New(script.Call("c1", "wait", args("by the user")), script.Say("ready"))
	o, c := scanOptions(t, dir, options(p, wait))
	stored = c
	o.Workspace.Shell = func(line string, _ bool) (tools.Call, error) {
		ctx, stop := context.WithTimeout(t.Context(), hang)
		defer stop()
		err := stored.wait(ctx, "during the turn\n") // the scan after the turn
		if copied, _ := stored.has("committed\n"); copied {
			err = errors.New("the clean file was copied")
		}
		return tools.Call{Title: line, Effect: tools.Execute, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			put("clean", "changed\n")
			return tools.Result{}, os.Remove(filepath.Join(dir, "dirty"))
		}}, err
	}
	events := undoing(t, o, prompted("first"), always(event.RunShell{Line: "make"}), always(event.PlanUndo{}), applied(false))
	if kept, _ := stored.has("committed\n"); !kept {
		t.Error("the clean file was not taken from git")
	}
	if got := lostOf(events); len(got) > 0 {
		t.Errorf("lost %+v", got)
	}
	for name, want := range map[string]string{"clean": "committed\n", "dirty": "during the turn\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v\n%s", name, got, err, shownOf(events))
		}
	}
}
