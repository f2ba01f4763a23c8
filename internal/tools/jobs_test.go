//go:build unix

package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/tools"
)

// newJobs returns the tools of an agent that has jobs, the jobs and the directory.
func newJobs(t *testing.T) (commands, *tools.Jobs, string) {
	t.Helper()
	ws, dir := newWorkspace(t, nil)
	jobs := tools.NewJobs()
	return newCommands(t, ws, jobs), jobs, dir
}

var digits = regexp.MustCompile(`[0-9.]+ s\b`)

// hideTimes replaces every time in text with "N s".
func hideTimes(text string) string { return digits.ReplaceAllString(text, "N s") }

// readUntil reads a job until its output ends with end. It returns all output.
func (c commands) readUntil(id int, end string) string {
	c.t.Helper()
	ctx, stop := context.WithTimeout(c.t.Context(), time.Minute)
	defer stop()
	all := ""
	for ctx.Err() == nil {
		all += c.run("jobs", obj{"action": "read", "id": id, "wait_seconds": 1}).Text
		all = strings.ReplaceAll(all, "[no new output]\n", "")
		all = regexp.MustCompile(`\[job \d+ still running after .*\]\n`).ReplaceAllString(all, "")
		if strings.HasSuffix(all, end) {
			return all
		}
	}
	c.t.Fatalf("output of job %d: got %q, want it to end with %q", id, all, end)
	return ""
}

// states formats jobs without their times.
func states(list []tools.Job) (out []string) {
	for _, j := range list {
		out = append(out, strings.TrimSpace(fmt.Sprint(j.ID, " ", j.Title, " ", j.State)))
	}
	return out
}

func TestJobsDescribeTheirCalls(t *testing.T) {
	c, _, dir := newJobs(t)
	c.run("jobs", obj{"action": "start", "command": "sleep 600"})
	for _, x := range []struct {
		args obj
		want tools.Call
	}{
		{obj{"action": "start", "command": "make\nmake two"}, tools.Call{Title: "start job make (+1 line)", Effect: tools.Execute, Instead: insteadOfCommand, Alone: true,
			Effective: &tools.Effective{Tool: "shell", Arguments: json.RawMessage(`{"command":"make\nmake two"}`)},
			Targets:   []tools.Target{{Kind: tools.Command, Value: "make\nmake two", Dir: dir}}}},
		{obj{"action": "send", "id": 1, "input": "y"}, tools.Call{Title: "send to job 1: y", Effect: tools.Execute, Instead: insteadOfCommand,
			Targets: []tools.Target{{Kind: tools.Command, Value: "job 1 < y"}}}},
		{obj{"action": "read", "id": 1}, tools.Call{Title: "read job 1 (sleep 600)", Effect: tools.Read}},
		{obj{"action": "stop", "id": 1}, tools.Call{Title: "stop job 1 (sleep 600)", Effect: tools.Read}},
		{obj{"action": "list"}, tools.Call{Title: "list jobs", Effect: tools.Read}},
	} {
		got, err := c.prepare("jobs", x.args)
		if err != nil {
			t.Fatal(err)
		}
		got.Run = nil
		if got.Effective != nil {
			got.Effective.Wrap = nil
		}
		same(t, got, x.want)
	}
	for _, x := range []struct {
		args obj
		want string
	}{
		{obj{"action": "begin"}, "must be start, list, read, send or stop"},
		{obj{"action": "start"}, "the command is empty"},
		{obj{"action": "read", "id": 7}, "there is no job 7; the jobs are 1 (sleep 600)"},
		{obj{"action": "read", "id": 1, "wait_seconds": -1}, "it must be at least 0"},
		{obj{"action": "send", "id": 1, "input": "a\nb"}, "one line"},
		{obj{"id": 7}, "there is no job 7"},
		{obj{}, `jobs needs "action"`},
	} {
		if got := c.wantError("jobs", x.args); !strings.Contains(got, x.want) {
			t.Errorf("%v: %s", x.args, got)
		}
	}
}

func TestJobReadsInput(t *testing.T) {
	c, jobs, _ := newJobs(t)
	r := c.run("jobs", obj{"action": "start", "command": "echo name?; read x; echo hello $x; read y; exit 3"})
	if !strings.Contains(r.Text, "[job 1 still running after ") || r.IsError {
		t.Errorf("result %+v", r)
	}
	if !strings.Contains(r.Text, "name?\n") {
		c.readUntil(1, "name?\n")
	}
	same(t, c.run("jobs", obj{"action": "send", "id": 1, "input": "ann"}).Summary, "sent")
	same(t, c.readUntil(1, "hello ann\n"), "hello ann\n")
	c.run("jobs", obj{"action": "send", "id": 1, "input": ""})
	end := c.run("jobs", obj{"action": "read", "id": 1, "wait_seconds": 60})
	same(t, end, tools.Result{Text: "[no new output]\n[job 1 ended: exit 3]\n", Summary: "exit 3 · 2 lines", IsError: true})
	same(t, c.run("jobs", obj{"action": "list"}).Text, "1  exit 3 · 2 lines · echo name?; read x; echo hello $x; read y; exit 3\n")
	same(t, states(jobs.Ended()), nil) // the model has read the result
	for _, action := range []string{"send", "stop"} {
		if got := c.wantError("jobs", obj{"action": action, "id": 1}); !strings.Contains(got, "action read") {
			t.Errorf("%s: %s", action, got)
		}
	}
}

func TestJobThatFailsAtOnceSaysSo(t *testing.T) {
	c, _, _ := newJobs(t)
	r := c.run("jobs", obj{"action": "start", "command": "echo no such port; exit 1"})
	if !r.IsError {
		// On a busy machine it may need more than half a second.
		r = c.run("jobs", obj{"action": "read", "id": 1, "wait_seconds": 60})
	}
	if !r.IsError || !strings.HasSuffix(r.Text, "[job 1 ended: exit 1]\n") {
		t.Errorf("result %+v", r)
	}
}

func TestJobsAreShownAndStopped(t *testing.T) {
	c, jobs, _ := newJobs(t)
	c.run("jobs", obj{"action": "start", "command": "sleep 601"})
	<-jobs.Changed()
	c.run("jobs", obj{"action": "start", "command": "trap '' TERM; setsid sleep 602; sleep 603"})
	<-jobs.Changed()
	same(t, hideTimes(c.run("jobs", obj{"action": "list"}).Summary), "2 running, 0 ended")

	if err := jobs.Stop(1); err != nil { // by the user
		t.Error(err)
	}
	<-jobs.Changed()
	same(t, states(jobs.List()), []string{"1 sleep 601 stopped", "2 trap '' TERM; setsid sleep 602; sleep 603"})
	same(t, states(jobs.Ended()), []string{"1 sleep 601 stopped"})
	same(t, states(jobs.Ended()), nil)
	for id, want := range map[int]string{1: "job 1 has already ended: stopped", 9: "there is no job 9"} {
		if err := jobs.Stop(id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("stop %d: %v", id, err)
		}
	}

	got := c.run("jobs", obj{"action": "stop", "id": 2}) // by the model
	same(t, got, tools.Result{Text: "[no new output]\n[job 2 ended: stopped]\n", Summary: "stopped · 0 lines", References: []string{"[job 2 ended: stopped]\n"}})
	<-jobs.Changed()
	same(t, states(jobs.Ended()), nil)
}

func TestShellAtItsTimeLimitBecomesAJob(t *testing.T) { // P10
	for name, args := range map[string]obj{"long": {"timeout_seconds": 1}, "quiet": {"quiet_seconds": 1}} {
		t.Run(name, func(t *testing.T) {
			c, jobs, dir := newJobs(t)
			args["command"] = "echo early; until [ -e go ]; do sleep 0.01; done; echo late"
			limit := map[string]string{"long": "still running after 1 s", "quiet": "no output for 1 s"}[name]
			r := c.run("shell", args)
			if r.IsError || !strings.HasPrefix(r.Summary, "continues as job 1 · ") {
				t.Errorf("result %+v", r)
			}
			if got := c.wantError("jobs", obj{"action": "send", "id": 1}); !strings.Contains(got, "it was started by shell") {
				t.Error(got)
			}
			writeFile(t, filepath.Join(dir, "go"), "")
			<-jobs.Changed()
			note := "[" + limit + "; continues as job 1. Use jobs to read its output or stop it]\n"
			got, _ := strings.CutPrefix(r.Text, "early\n") // may come later on a busy machine
			same(t, got, note)
			got = r.Text + c.readUntil(1, "[job 1 ended: exit 0]\n")
			same(t, strings.Replace(got, note, "", 1), "early\nlate\n[job 1 ended: exit 0]\n")
		})
	}
}

// A model that starts a server with & learns how to keep it running, if it can.
func TestShellNamesJobsForBackgroundProcesses(t *testing.T) {
	const line = "sleep 60 & true"
	const stopped = "[background processes of the command were stopped with it"
	c, _, dir := newJobs(t)
	same(t, c.run("shell", obj{"command": line}).Text, stopped+". Start servers with jobs (action start).]\n[exit 0]\n")
	call, err := prepareShell(t, dir, obj{"command": line})
	if err != nil {
		t.Fatal(err)
	}
	r, err := call.Run(t.Context(), tools.Approved{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, r.Text, stopped+"]\n[exit 0]\n")
}

func TestJobsEndWithTheSession(t *testing.T) {
	c, jobs, _ := newJobs(t)
	for range 3 {
		c.run("shell", obj{"command": "sleep 600", "quiet_seconds": 1})
	}
	jobs.Close()
	same(t, states(jobs.List()), []string{"1 sleep 600 stopped", "2 sleep 600 stopped", "3 sleep 600 stopped"})
	if got := c.wantError("jobs", obj{"action": "start", "command": "true"}); !strings.Contains(got, "the session is ending") {
		t.Error(got)
	}
	got := c.run("shell", obj{"command": "sleep 600", "quiet_seconds": 1})
	if want := "It could not continue in the background"; !got.IsError || !strings.Contains(got.Text, want) {
		t.Errorf("result %+v", got)
	}
}

func TestRunningJobsAreLimited(t *testing.T) {
	c, jobs, _ := newJobs(t)
	var wg sync.WaitGroup
	for range 16 {
		call, err := c.prepare("jobs", obj{"action": "start", "command": "sleep 600"})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if _, err := call.Run(t.Context(), tools.Approved{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := c.wantError("jobs", obj{"action": "start", "command": "true"}); !strings.Contains(got, "16 jobs are running") {
		t.Error(got)
	}
	if err := jobs.Stop(3); err != nil {
		t.Fatal(err)
	}
	c.run("jobs", obj{"action": "start", "command": "sleep 600"})
}

func TestEndedJobsAreLimited(t *testing.T) {
	c, jobs, _ := newJobs(t)
	for i := range 20 {
		c.run("jobs", obj{"action": "start", "command": "true"})
		c.run("jobs", obj{"action": "read", "id": i + 1, "wait_seconds": 60})
	}
	list := states(jobs.List())
	same(t, len(list), 16)
	same(t, list[0], "5 true exit 0")
}

func TestLongOutputOfAJobIsInAFile(t *testing.T) {
	ws, _ := newWorkspace(t, nil)
	ws.Attach(filepath.Join(t.TempDir(), "outputs"))
	c := newCommands(t, ws, tools.NewJobs())
	c.run("jobs", obj{"action": "start", "command": "echo first; read x; seq 100000"})
	c.run("jobs", obj{"action": "send", "id": 1, "input": ""})
	got := c.run("jobs", obj{"action": "read", "id": 1, "wait_seconds": 60}).Text
	if !strings.Contains(got, "\n99999\n100000\n[the complete output, 100001 lines, is in ") {
		t.Errorf("%s", got)
	}
}

func TestKillNamesTheActionThatStopsAJob(t *testing.T) {
	c, _, _ := newJobs(t)
	same(t, c.run("shell", obj{"command": "kill -0 99999999 2>/dev/null"}).Text, "[exit 1]\n")
	c.run("jobs", obj{"action": "start", "command": "sleep 600"})
	const note = "[stop job 1 (sleep 600) with jobs (action stop, id 1), not with kill]\n"
	for command, want := range map[string]string{
		"kill -0 99999999 2>/dev/null":              note + "[exit 1]\n",
		"(kill -0 99999999 || true) 2>/dev/null":    note + "[exit 0]\n",
		"echo 99999999 | xargs kill -0 2>/dev/null": note,
		"timeout 9 pkill -0 -f no-such-name":        note,
		"sleep 9 & kill $!; wait $! 2>/dev/null":    "",
		"kill -l >/dev/null; echo kill 1":           "",
	} {
		if got := c.run("shell", obj{"command": command}).Text; want == "" && strings.Contains(got, "[stop job") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}
