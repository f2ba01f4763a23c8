//go:build unix

package undo_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history/blobs"
	"agent/internal/loop/undo"
	"agent/internal/sampling"
	"agent/internal/tools"
	"agent/internal/tools/snapshot"
)

// attempt runs a command that the sandbox blocks, and undoes it.
func (j job) attempt(pack *blobs.Pack, kill func()) error {
	r := undo.NewRecorder(undo.Options{Pack: pack, Path: j.Path, Roots: []string{j.Dir}})
	r.BeginTurn(undo.Turn{Number: 1, At: 1, Prompt: "go", Time: time.Unix(1, 0)})
	res, err := r.Run(context.Background(), tools.Info{ID: "c1", Step: 1}, tools.Call{Effect: tools.Execute}, tools.Approved{}, func(context.Context, tools.Call, tools.Approved) (tools.Result, error) {
		root, err := os.OpenRoot(j.Dir)
		if err != nil {
			return tools.Result{}, err
		}
		defer root.Close()
		for _, name := range j.Touches {
			if err := pack.Append(snapshot.Touched{Call: "c1", Path: filepath.Join(j.Dir, name), Before: snapshot.Take(root, name, pack)}); err != nil {
				return tools.Result{}, err
			}
		}
		c := exec.Command("sh", "-ec", j.Attempt)
		c.Dir = j.Dir
		return tools.Result{Blocked: &tools.Blocked{Network: true}}, c.Run()
	})
	if err != nil {
		return err
	}
	if res.Blocked.Undo == nil {
		return fmt.Errorf("the changes stay: %s", res.Blocked.Stays)
	}
	kill()
	return res.Blocked.Undo(context.Background())
}

// A program that is killed while it undoes a first run leaves a turn that can be undone exactly.
func TestAnAttemptThatIsKilledIsUndone(t *testing.T) {
	if testing.Short() {
		t.Skip("few of the slow programs with the race detector are killed at the right moment")
	}
	files := map[string]string{"file": "x\n", "dir/x": "x\n", "dir/y/z": "z\n", ".gitignore": "*.tmp\n"}
	touches := []string{"dir", "dir/x", "dir/y", "dir/y/z", "file", "file/a", "link", "many", "new", "new/x.tmp"}
	for i := range 20 {
		files["many/f"+strconv.Itoa(i)] = ten
		touches = append(touches, "many/f"+strconv.Itoa(i))
	}
	const attempt = "for f in many/*; do echo 11 >>$f; done; rm -r dir; echo x >dir; rm file; mkdir file; echo d >file/a; ln -s dir link; chmod 500 many; mkdir new; echo x >new/x.tmp"
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	begun, ended, longest := 0, 0, 8000
	for range sampling.Runs(10) {
		s := newSession(t, files)
		before := s.tree()
		s.killed(job{Dir: s.dir, Path: s.path, Kill: time.Duration(r.IntN(longest)) * time.Microsecond, Attempt: attempt, Touches: touches})
		if cmp.Equal(before, s.tree()) {
			ended++
			longest = max(longest*4/5, 500)
		} else {
			longest = min(longest*3/2, 5_000_000)
		}
		s.open()
		if out, err := s.restorer().Recover(); err != nil || out != nil {
			t.Errorf("recovered %+v, %v", out, err)
		}
		out := s.undo(undo.Back{Removes: true})
		if begun += min(len(out.Restored), 1); len(out.Conflicts)+len(out.Lost) > 0 {
			t.Errorf("seed %d: undo: %+v", seed, out)
		}
		s.same(before, fmt.Sprintf("seed %d: after undo", seed))
	}
	t.Logf("killed meanwhile: %d, ended before the kill: %d", begun, ended)
}
