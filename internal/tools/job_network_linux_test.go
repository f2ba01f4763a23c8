package tools_test

import (
	"os/exec"
	"strings"
	"testing"

	"agent/internal/tools"
)

// A job that listens is offered the network once. Its restart stops the first job.
func TestListeningJobIsOfferedTheNetwork(t *testing.T) {
	c := confineAlways(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if out, err := exec.Command(python, "-c", "import sys; print(sys.executable)").Output(); err == nil {
		python = strings.TrimSpace(string(out))
	}
	put(t, c.dir+"/serve.py", "import socket,time\ns=socket.create_server(('127.0.0.1',0))\nprint('ready',flush=True)\ntime.sleep(600)\n")
	command := python + " serve.py"
	r := c.run("jobs", obj{"action": "start", "command": command})
	for range 60 { // until it listens
		if r.Blocked != nil {
			break
		}
		r = c.run("jobs", obj{"action": "read", "id": 1, "wait_seconds": 1})
	}
	if r.Blocked == nil || r.Blocked.Port == 0 || r.Blocked.Restart == nil || r.IsError {
		t.Fatalf("got %+v, want an offer for the port", r)
	}
	restart := r.Blocked.Restart
	if want := "restart job 1: " + command; restart.Title != want || restart.Targets[0].Value != command {
		t.Errorf("got %q for %+v, want %q", restart.Title, restart.Targets, want)
	}
	if r := c.run("jobs", obj{"action": "read", "id": 1}); r.Blocked != nil {
		t.Error("the network is offered twice for one job")
	}
	again, err := restart.Run(t.Context(), tools.Approved{Access: tools.Access{Network: true}})
	if err != nil || !strings.Contains(again.Text, "[job 2 still running after ") || again.Blocked != nil || again.IsError {
		t.Errorf("got %+v, %v, want job 2 without an offer", again, err)
	}
	if !strings.Contains(again.Text, "only if the user approves the network for that command]") || !strings.HasSuffix(again.Summary, "commands in the sandbox no longer reach it") {
		t.Errorf("got %q and %q, want the loss of access", again.Text, again.Summary)
	}
	list := c.run("jobs", obj{"action": "list"}).Text
	if first, second, _ := strings.Cut(list, "\n"); !strings.Contains(first, "stopped") || !strings.Contains(second, "running") {
		t.Errorf("got jobs\n%s", list)
	}
}
