package tools_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/confine"
	"agent/internal/tools/shell/sandbox"
)

// A job that says that it listens is offered the network once. Its restart stops the
// first job.
func TestListeningJobIsOfferedTheNetwork(t *testing.T) {
	if r := sandbox.Probe(); r.Form != sandbox.Complete {
		t.Skip("the complete sandbox does not work here: ", r.Reason)
	}
	ws, dir := newWorkspace(t, nil)
	session := sandbox.NewSession(sandbox.Complete)
	t.Cleanup(session.Close)
	jobs := tools.NewJobs()
	t.Cleanup(jobs.Close)
	c := commands{t, tools.Commands{Workspace: ws, Area: confine.New(confine.Options{
		Workspace: dir, Places: sandbox.Places{Home: t.TempDir(), Env: os.Getenv}, Fixed: func() []string { return nil },
		Protected: func(string, string) string { return "" }, Session: func() *sandbox.Session { return session },
	})}.Tools(jobs)}

	const command = "echo listening on :3000; exec sleep 600"
	r := c.run("jobs", obj{"action": "start", "command": command, "wait_seconds": 1})
	if r.Blocked == nil || r.Blocked.Port != 3000 || r.Blocked.Restart == nil || r.IsError {
		t.Fatalf("got %+v, want an offer for port 3000", r)
	}
	restart := r.Blocked.Restart
	if want := "restart job 1: " + command; restart.Title != want || restart.Targets[0].Value != command {
		t.Errorf("got %q for %+v, want %q", restart.Title, restart.Targets, want)
	}
	if r := c.run("jobs", obj{"action": "read", "id": 1}); r.Blocked != nil {
		t.Error("the network is offered twice for one job")
	}
	again, err := restart.Run(t.Context(), tools.Approved{Access: tools.Access{Network: true}})
	if err != nil || !strings.HasPrefix(again.Text, "[job 2]\nlistening on :3000\n") || again.Blocked != nil {
		t.Errorf("got %+v, %v, want job 2 without an offer", again, err)
	}
	if d := cmp.Diff([]string{"1 " + command + " stopped", "2 " + command}, states(jobs.List())); d != "" {
		t.Error(d)
	}
}
