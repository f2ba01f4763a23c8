package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/exit"
	"agent/internal/sampling"
)

const evalTasks = "../../testdata/eval"

// evalSample returns a directory with some of the tasks, or with all, and their number.
func evalSample(t *testing.T) (dir string, n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(evalTasks, "*", "prompt.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, file := range sampling.List(files) {
		task := filepath.Dir(file)
		if err := os.CopyFS(filepath.Join(dir, filepath.Base(task)), os.DirFS(task)); err != nil {
			t.Fatal(err)
		}
		n++
	}
	return dir, n
}

// evalScript is the scripted model of a task.
type evalScript struct {
	prompt  string
	replies []answer
}

// evalScripts returns the scripted models of all tasks by name.
func evalScripts(t *testing.T) map[string]evalScript {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(evalTasks, "*", "replies.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]evalScript{}
	for _, file := range files {
		prompt, err := os.ReadFile(filepath.Join(filepath.Dir(file), "prompt.md"))
		if err != nil {
			t.Fatal(err)
		}
		s := evalScript{prompt: strings.TrimSpace(string(prompt))}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			var r struct {
				Text  string
				Calls []struct {
					Name      string
					Arguments json.RawMessage
				}
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			a := say(r.Text)
			for _, c := range r.Calls {
				a.calls = append(a.calls, c.Name, string(c.Arguments))
			}
			s.replies = append(s.replies, a)
		}
		all[filepath.Base(filepath.Dir(file))] = s
	}
	return all
}

// next returns the reply to a request: that after as many replies as it holds.
func (s evalScript) next(messages []wireMessage) answer {
	n, result := 0, ""
	for _, m := range messages {
		switch m.Role {
		case "assistant":
			n++
		case "tool":
			_ = json.Unmarshal(m.Content, &result)
		}
	}
	if n >= len(s.replies) {
		return say("There is nothing more to do.")
	}
	a := s.replies[n]
	a.text = strings.ReplaceAll(a.text, "$RESULT", result)
	return a
}

// serveEval plays the scripted model of the task whose prompt a request has.
func serveEval(t *testing.T, scripts map[string]evalScript) *server {
	return serveFunc(t, func(_ *server, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var req wireRequest
		if err := json.Unmarshal(body, &req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, s := range scripts {
			asked := func(m wireMessage) bool {
				var text string
				return m.Role == "user" && json.Unmarshal(m.Content, &text) == nil && strings.Contains(text, s.prompt)
			}
			if slices.ContainsFunc(req.Messages, asked) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, s.next(req.Messages).completion())
				return
			}
		}
		http.Error(w, "no such task", http.StatusNotFound)
	})
}

// evalHome returns a home for evaluations with the model s. Go's caches are shared
// with this process.
func evalHome(t *testing.T, s *server) home {
	return newHome(t, nil, append(at(s), "GOCACHE="+goCache(t), "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")...)
}

func goCache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if set := os.Getenv("GOCACHE"); set != "" {
		return set
	}
	return filepath.Join(dir, "go-build")
}

// evalResults is what `agent eval --output json` prints.
type evalResults struct {
	Solved, Steps, Calls, Rejected, Denied int
	Tasks                                  []struct {
		Name, Check, Error, Session string
		Solved                      bool
		Rejected                    int
	}
}

func runEval(t *testing.T, h home, args ...string) (got evalResults, code int) {
	t.Helper()
	cmd := h.command(append([]string{"eval", "--model", "openai/m", "--output", "json"}, args...)...)
	out, err := cmd.Output()
	if json.Unmarshal(out, &got) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got, cmd.ProcessState.ExitCode()
}

func absolute(t *testing.T, dir string) string {
	t.Helper()
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func TestEvalSolvesAllTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	t.Parallel()
	scripts := evalScripts(t)
	h := evalHome(t, serveEval(t, scripts))
	dir, tasks := evalSample(t)
	got, code := runEval(t, h, "--mode", "all", dir)
	for _, task := range got.Tasks {
		if !task.Solved || task.Session == "" {
			t.Errorf("%s is not solved: %s %s", task.Name, task.Error, task.Check)
		}
	}
	if got.Solved != tasks || code != 0 || len(scripts) != 10 || got.Denied != 0 || sampling.Whole() && got.Rejected != 1 {
		t.Errorf("exit code %d: %+v", code, got)
	}
	for _, id := range h.ids(t) { // nothing is left behind
		v, err := h.store().View(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(v.Header().Dir); !os.IsNotExist(err) {
			t.Errorf("%s: %v", v.Header().Dir, err)
		}
		_ = v.Close()
	}
}

// A check that passes without work measures nothing.
func TestEvalTasksNeedWork(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	t.Parallel()
	scripts := evalScripts(t)
	for name, s := range scripts {
		scripts[name] = evalScript{prompt: s.prompt, replies: []answer{say("Done. 7 3 21.")}}
	}
	dir, tasks := evalSample(t)
	got, code := runEval(t, evalHome(t, serveEval(t, scripts)), "--mode", "all", dir)
	if got.Solved != 0 || len(got.Tasks) != tasks || code != exit.Failed {
		t.Errorf("exit code %d: %+v", code, got)
	}
}

func TestEvalDeniesCommandsUnlessAllowed(t *testing.T) {
	t.Parallel()
	h := evalHome(t, serveEval(t, evalScripts(t)))
	out, code := h.agent(t, "eval", "--model", "openai/m", absolute(t, filepath.Join(evalTasks, "fix-script")))
	lines := strings.Split(out, "\n")
	if code != 0 || len(lines) != 5 || !strings.HasPrefix(lines[2], "fix-script  yes     4      4.8k   136     unknown  3      0         1 ") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	got, code := runEval(t, h, absolute(t, filepath.Join(evalTasks, "count-in-log")))
	if code != exit.Failed || got.Solved != 0 || got.Denied != 1 {
		t.Errorf("exit code %d: %+v", code, got)
	}
}

func TestEvalTimeLimitEndsATask(t *testing.T) {
	t.Parallel()
	h := evalHome(t, serve(t, begin("I think")))
	got, code := runEval(t, h, "--timeout", "200ms", absolute(t, filepath.Join(evalTasks, "change-setting")))
	if code != exit.Failed || len(got.Tasks) != 1 || got.Tasks[0].Error != "the turn reached the time limit of 200ms (--timeout)" {
		t.Errorf("exit code %d: %+v", code, got)
	}
}

func TestEvalRejectsBadTasks(t *testing.T) {
	t.Parallel()
	task := func(prompt, repository, check string) map[string]string {
		return map[string]string{"t/one/prompt.md": prompt, "t/one/repository.txtar": repository, "t/one/check.sh": check}
	}
	for want, files := range map[string]map[string]string{
		"agent: t has no tasks. A task is a directory with prompt.md, repository.txtar and check.sh": {"t/README.md": "none"},
		"agent: the task t/one has no repository.txtar. A task is a directory with prompt.md":        {"t/one/prompt.md": "do it"},
		"agent: the task t/one has an empty check.sh":                                                task("do it", "", "\n"),
		"agent: the task t/one has an empty prompt.md":                                               task(" ", "", "true"),
		`agent: repository.txtar in t/one: "../x" is not a path inside the repository`:               task("do it", "-- ../x --\n", "true"),
		`agent: repository.txtar in t/one: "/x" is not a path inside the repository`:                 task("do it", "-- /x --\n", "true"),
	} {
		h := newHome(t, files, at(serve(t))...)
		out, code := h.agent(t, "eval", "t")
		if code != exit.Usage || !strings.HasPrefix(out, want) {
			t.Error(cmp.Diff(out, want))
		}
	}
	h := newHome(t, task("do it", "", "true"), at(serve(t))...)
	prompt := filepath.Join(h.work, "t", "one", "prompt.md")
	if err := errors.Join(os.Remove(prompt), os.Symlink(filepath.Join(h.work, "t", "one", "check.sh"), prompt)); err != nil {
		t.Skip(err)
	}
	if out, code := h.agent(t, "eval", "t"); code != exit.Failed || !strings.Contains(out, "prompt.md is not a regular file") {
		t.Errorf("exit code %d: %s", code, out)
	}
	h = newHome(t, nil)
	if out, code := h.agent(t, "eval", "missing"); code != exit.Failed || !strings.HasPrefix(out, "agent: read the tasks: open missing: ") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
