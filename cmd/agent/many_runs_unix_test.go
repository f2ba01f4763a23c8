//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/loop/session"
)

// manyRuns are runs of `agent run` at the same time, in one workspace and with one home.
// Each writes a file, runs a command and answers.
type manyRuns struct {
	t      testing.TB
	n      int
	server *server
	home   home
	cmds   []*exec.Cmd
	errors []strings.Builder // standard error of each

	here    atomic.Int32  // runs that wait for their answer
	all     chan struct{} // closed when all wait
	release chan struct{} // closed to let them continue
}

// startMany starts n runs. They stop before their answers, until release is closed.
func startMany(t testing.TB, n int) *manyRuns {
	t.Helper()
	m := &manyRuns{t: t, n: n, errors: make([]strings.Builder, n), all: make(chan struct{}), release: make(chan struct{})}
	m.server = serve(t)
	m.server.choose = m.choose
	m.home = newHome(t, map[string]string{"main.go": "package main\n"}, "OPENAI_BASE_URL="+m.server.URL+"/v1", "OPENAI_API_KEY="+testKey)
	for i := range n {
		cmd := exec.Command("agent", "run", "--mode", "all", fmt.Sprintf("run %d", i))
		cmd.Dir, cmd.Env, cmd.Stderr = m.home.work, m.home.env, &m.errors[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		m.cmds = append(m.cmds, cmd)
	}
	return m
}

// choose returns the answer to a request: first the calls, then, when all runs are as
// far, the text.
func (m *manyRuns) choose(ctx context.Context, r wireRequest) answer {
	prompt := ""
	for _, msg := range r.Messages {
		var text string
		if msg.Role == "user" && json.Unmarshal(msg.Content, &text) == nil {
			prompt = text[strings.LastIndex(text, "run "):]
		}
	}
	name := strings.ReplaceAll(prompt, " ", "-") + ".txt"
	if last := r.Messages[len(r.Messages)-1]; last.Role != "tool" {
		return call("write", `{"path":`+quote(name)+`,"content":"hello\n"}`, "shell", `{"command":`+quote("cat "+name)+`}`)
	}
	if int(m.here.Add(1)) == m.n {
		close(m.all)
	}
	select {
	case <-m.release:
	case <-ctx.Done():
	}
	return say("The file is " + name + ".")
}

// wait waits until all runs wait for their answers.
func (m *manyRuns) wait() {
	m.t.Helper()
	select {
	case <-m.all:
	case <-time.After(5 * time.Minute):
		m.t.Fatalf("only %d of %d runs have called their tools", m.here.Load(), m.n)
	}
}

// finish lets the runs end, and counts those that failed.
func (m *manyRuns) finish() (failures int) {
	m.t.Helper()
	close(m.release)
	var count atomic.Int32
	var wg sync.WaitGroup
	for i, cmd := range m.cmds {
		wg.Go(func() {
			err := cmd.Wait()
			if b, e := os.ReadFile(filepath.Join(m.home.work, fmt.Sprintf("run-%d.txt", i))); err != nil || string(b) != "hello\n" {
				count.Add(1)
				m.t.Logf("run %d: %v, %q, %v\n%s", i, err, b, e, m.errors[i].String())
			}
		})
	}
	wg.Wait()
	return int(count.Load())
}

// valid counts the sessions that are complete and have their own answer.
func (m *manyRuns) valid() (n int) {
	m.t.Helper()
	store := history.Open(filepath.Join(m.home.dir, ".local", "state", "agent"))
	infos, err := store.List("")
	if err != nil {
		m.t.Fatal(err)
	}
	for _, info := range infos {
		v, err := store.View(info.ID)
		if err != nil {
			m.t.Logf("session %s: %v", info.ID, err)
			continue
		}
		state, err := session.ReplayRecords(v.From(0))
		_ = v.Close()
		last := ""
		if len(state.Messages) > 0 {
			last = state.Messages[len(state.Messages)-1].Text
		}
		if err != nil || len(state.Closing) > 0 || !strings.HasPrefix(last, "The file is run-") {
			m.t.Logf("session %s: %v, %d events are missing, the last message is %q", info.ID, err, len(state.Closing), last)
			continue
		}
		n++
	}
	return n
}

// Runs in one workspace do not disturb each other.
func TestManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	const n = 10
	m := startMany(t, n)
	m.wait()
	if failures := m.finish(); failures > 0 {
		t.Errorf("%d of %d runs failed", failures, n)
	}
	if valid := m.valid(); valid != n {
		t.Errorf("%d of %d sessions are valid", valid, n)
	}
}
