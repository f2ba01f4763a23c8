//go:build unix

package undo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history/blobs"
	"agent/internal/loop/undo"
	"agent/internal/sampling"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/shell/supervisor"
	"agent/internal/tools/snapshot"
)

// job is an undo that the test binary performs in a process of its own.
type job struct {
	Dir, Path string
	Limits    blobs.Limits
	Back      undo.Back
	Kill      time.Duration // after which the process kills itself
	Attempt   string        // a command to run, and to undo as one call; empty to undo a step
	Touches   []string      // the paths that Attempt changes
}

// jobVariable holds a job in JSON.
const jobVariable = "UNDO_TEST_JOB"

// limitSuffix ends the name of a file next to a pack, with the Limits.Kept of commands.
const limitSuffix = ".limit"

// TestMain also runs the jobs, and the helper processes of commands.
func TestMain(m *testing.M) {
	if text := os.Getenv(jobVariable); text != "" {
		if err := doJob(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	supervisor.Run(func(path string) (snapshot.Store, error) {
		text, _ := os.ReadFile(path + limitSuffix)
		kept, _ := strconv.ParseInt(string(text), 10, 64)
		p, err := blobs.Open(path, blobs.Limits{Kept: kept, Free: 1})
		return store{p}, err
	})
	sandbox.Run()
	os.Exit(m.Run())
}

// store is a pack as the store of a supervisor.
type store struct{ *blobs.Pack }

func (s store) Add(t snapshot.Touched) error { return s.Append(t) }

func doJob(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	pack, err := blobs.Open(j.Path, j.Limits)
	if err != nil {
		return err
	}
	kill := func() { time.AfterFunc(j.Kill, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }) }
	if j.Attempt != "" {
		return j.attempt(pack, kill)
	}
	r := undo.NewRestorer(pack, []string{j.Dir})
	if _, err := r.Recover(); err != nil {
		return err
	}
	plan, err := r.Plan(context.Background(), j.Back)
	if err != nil {
		return err
	}
	kill()
	if _, err = r.Apply(context.Background(), plan); errors.Is(err, blobs.ErrFull) {
		return nil // the test looks at the files
	}
	return err
}

// applyKilled undoes in another process, which is killed after some microseconds of
// applying the plan, unless it ends before.
func (s *session) applyKilled(b undo.Back, micros int) {
	s.t.Helper()
	s.killed(job{Dir: s.dir, Path: s.path, Limits: s.limit, Back: b, Kill: time.Duration(micros) * time.Microsecond})
}

// killed does a job in another process.
func (s *session) killed(j job) {
	s.t.Helper()
	text, err := json.Marshal(j)
	s.must(err)
	self, err := os.Executable()
	s.must(err)
	c := exec.Command(self)
	c.Env = append(os.Environ(), jobVariable+"="+string(text))
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); stderr.Len() > 0 {
		s.t.Errorf("undo in another process: %v: %s", err, stderr.String())
	}
}

// TestAnUndoThatIsKilledIsFinished kills programs at random times during undo and redo.
func TestAnUndoThatIsKilledIsFinished(t *testing.T) {
	if testing.Short() {
		t.Skip("few of the slow programs with the race detector are killed at the right moment")
	}
	runs := sampling.Runs(10)
	files := map[string]string{"file": "x\n", "dir/x": "x\n", "dir/y/z": "z\n", "pair/x": "one file\n",
		".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": "1\n", ".git/refs/heads/a": "a\n", ".git/logs/HEAD": "1\n", ".git/index": "1\n", ".git/objects/x": "x\n"}
	for i := range 20 {
		files["many/f"+strconv.Itoa(i)] = ten
	}
	s := newSession(t, files)
	s.must(os.Link(s.in("pair/x"), s.in("pair/y")))
	before := s.tree()
	s.turn("1", func() {
		s.run(func(c *command) {
			c.rename("pair", "moved", "x", "y")
			c.write("new", "two names\n")
			s.must(os.Link(s.in("new"), c.touch("new2")))
			for i := range 20 {
				c.write("many/f"+strconv.Itoa(i), replace("2\n", "two\n"))
			}
			c.remove("dir")
			c.write("dir", "now a file\n")
			c.remove("file")
			c.write("file/now/a", "dir\n")
			c.link("link", "dir")
			c.chmod("many", 0o700)
			c.write(".git/HEAD", "ref: refs/heads/b\n")
			c.write(".git/index", "2\n")
			c.write(".git/logs/HEAD", "1\n2\n")
			c.remove(".git/refs/heads/a")
			c.write(".git/refs/heads/a/b", "a/b\n")
		})
	})
	after := s.tree()
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	b, finished, unbegun, recovered := undo.Back{}, 0, 0, 0
	from, to := after, before
	longest := 8000
	for range runs {
		s.applyKilled(b, r.IntN(longest))
		s.open()
		out, err := s.restorer().Recover()
		s.must(err)
		if out != nil {
			if recovered++; len(out.Conflicts) > 0 || out.Turns != 1 {
				t.Fatalf("seed %d: recovered %+v", seed, out)
			}
		}
		got := s.tree()
		if out == nil && cmp.Equal(from, got) {
			unbegun++
			longest = min(longest*3/2, 5_000_000)
			continue
		}
		if out == nil {
			finished++
			longest = max(longest*4/5, 500)
		}
		if d := cmp.Diff(to, got); d != "" {
			t.Fatalf("seed %d: after the recovery (-want +got):\n%s", seed, d)
		}
		b.Redo = !b.Redo
		from, to = to, from
	}
	t.Logf("killed before the journal: %d, recovered: %d, ended before the kill: %d", unbegun, recovered, finished)
	if recovered < max(1, runs/10) {
		t.Errorf("only %d of %d kills came while the plan was applied", recovered, runs)
	}
	t.Attr("promise", fmt.Sprintf("undo killed %d times at random moments (finished at the next start: %d): trees that were left half-done: 0", runs, recovered))
}
