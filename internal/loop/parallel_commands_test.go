package loop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm/script"
	"agent/internal/tools"
)

// The read-only commands of a reply run four at a time, and their results are in the order
// of the calls.
func TestReadOnlyCommandsRunSideBySide(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no command is known to be read-only")
	}
	const calls, together = 6, 4
	var mu sync.Mutex
	running, most := 0, 0
	full := make(chan struct{}) // closed when that many run
	run := tool("shell", tools.Execute, func(ctx context.Context, text string) (string, error) {
		mu.Lock()
		running++
		if most = max(most, running); running == together && most == together {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		mu.Unlock()
		select {
		case <-full:
		case <-ctx.Done():
		}
		mu.Lock()
		defer mu.Unlock()
		running--
		return "did " + text, ctx.Err()
	})
	reply, want := script.Reply{}, []string(nil)
	for i := range calls {
		reply = reply.Call(fmt.Sprint("c", i), "shell", args(fmt.Sprint("echo ", i)))
		want = append(want, fmt.Sprint("did echo ", i))
	}
	p := script.New(reply.Calls(), script.Say("done"))
	play(t, options(p, run), []string{"go"}, nil)
	if d := cmp.Diff(resultsOf(p), want); d != "" || most != together {
		t.Errorf("at most %d commands ran at once: %s", most, d)
	}
}

// A command that changes the directory, and one that is not known to be read-only, run by
// themselves and in their place.
func TestOtherCommandsRunInTheirPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of Unix")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := resultsIn(t, dir, script.Reply{}.
		Call("c1", "shell", `{"command":"pwd"}`).
		Call("c2", "shell", `{"command":"cat x"}`).
		Call("c3", "shell", `{"command":"echo new > x"}`).
		Call("c4", "shell", `{"command":"cat x"}`).
		Call("c5", "shell", `{"command":"cd a"}`).
		Call("c6", "shell", `{"command":"pwd"}`).
		Call("c7", "shell", `{"command":"cat ../x"}`).Calls())
	if d := cmp.Diff(got, []string{
		"DIR\n[exit 0]\n", "cat: x: No such file or directory\n[exit 1]\n", "[exit 0]\n", "new\n[exit 0]\n", "[the next command runs in a]\n[exit 0]\n", "DIR/a\n[exit 0]\n", "new\n[exit 0]\n",
	}); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}
