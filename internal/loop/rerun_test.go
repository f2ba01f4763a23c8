package loop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/evidence"
	"agent/internal/loop/part"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// confined is a command in a sandbox. It succeeds once it may reach what it needs.
type confined struct {
	dir     string // in which it runs
	needs   tools.Blocked
	reached []tools.Access                  // of each run
	second  func(ctx context.Context) error // called in the second run; may be nil
}

func (c *confined) tool() tools.Tool {
	return tools.New("shell", "runs a command", func(_ context.Context, a textArgs) (tools.Call, error) {
		return tools.Call{
			Title: "shell " + a.Text, Effect: tools.Execute,
			Targets: []tools.Target{{Kind: tools.Command, Value: a.Text, Dir: c.dir}},
			Run:     c.run,
		}, nil
	})
}

func (c *confined) run(ctx context.Context, ok tools.Approved) (tools.Result, error) {
	c.reached = append(c.reached, ok.Access)
	if n := len(c.reached); n > 1 && c.second != nil {
		if err := c.second(ctx); err != nil {
			return tools.Result{Text: "half\n", Summary: "interrupted"}, err
		}
	}
	code := 0
	if c.needs.Network && !ok.Access.Network || c.needs.Path != "" && !ok.Access.Outside && !(c.needs.NotUndoable != "" && ok.Access.NotUndoable) {
		code = 1
		return tools.Result{Text: "ENOTFOUND\n[exit 1]\n", Summary: "exit 1", IsError: true, ExitCode: &code, Blocked: &c.needs}, nil
	}
	return tools.Result{Text: "installed\n[exit 0]\n", Summary: "exit 0", ExitCode: &code}, nil
}

// workspaceOf returns an empty directory without symbolic links.
func workspaceOf(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A command that its sandbox made fail runs again if the user approves it. It has one
// start, one end and one result, which is that of its last run.
func TestRunAgain(t *testing.T) {
	network, path := tools.Blocked{Network: true}, tools.Blocked{Path: "/srv/out"}
	unkept := tools.Blocked{Path: "/w/big", NotUndoable: "it is larger than 64 MB"}
	changed, unknown, undone, conflict, merged := network, network, network, network, network
	undone.Changed, conflict.Changed, merged.Changed = []string{"a", "b"}, []string{"a"}, []string{"a"}
	undone.Undo = func(context.Context) error { return nil }
	conflict.Undo = func(context.Context) error { return errors.New("a was changed since") }
	merged.Stays = "a was also changed by another command"
	changed.Changed = []string{"a", "b", "c", "d", "e", "f", "g"}
	network.Changed, path.Changed, unkept.Changed = []string{}, []string{}, []string{}
	answers := func(all ...event.Answer) []event.Answer { return all }
	yes, no := event.Answer{Decision: event.Allow}, event.Answer{Decision: event.Refuse}
	mirror := event.Answer{Decision: event.Refuse, Note: "use the mirror"}
	for name, c := range map[string]struct {
		needs   tools.Blocked
		mode    event.Mode
		command string // go test ./... if empty
		allow   string // a rule; may be empty
		alone   bool   // there is no user
		answers []event.Answer
		runs    int
		want    string // the events of the call
	}{
		"yes": {needs: network, mode: event.ModeAsk, answers: answers(yes, yes), runs: 2, want: `
			ask "go test ./..." for "": 'go test' is not known to only read
			decided allow
			start
			ask "go test ./..." for "network" again: commands have no network unless you approve it
			decided allow, again with "network"
			end ok "exit 0 · run again with the network": installed
			[exit 0]
			[The first run failed because commands have no network. The user approved a second one, so it was run again with the network: this is the result.]
		`},
		"no": {needs: network, mode: event.ModeAll, answers: answers(no), runs: 1, want: `
			start
			ask "go test ./..." for "network" again: commands have no network unless you approve it
			decided refuse, again with "network"
			end error "exit 1": ENOTFOUND
			[exit 1]
			[It was not run again with the network, because the user rejected that. Continue without it, or ask the user for an alternative.]
		`},
		"no, with a comment": {needs: network, mode: event.ModeAll, answers: answers(mirror), runs: 1, want: `
			start
			ask "go test ./..." for "network" again: commands have no network unless you approve it
			decided refuse "use the mirror", again with "network"
			end error "exit 1": ENOTFOUND
			[exit 1]
			[It was not run again with the network. The user rejected that: use the mirror.]
		`},
		"outside the sandbox": {needs: path, mode: event.ModeAll, answers: answers(yes), runs: 2, want: `
			start
			ask "go test ./..." for "all" again, blocked at /srv/out: running a command outside the sandbox needs approval every time
			decided allow, again with "all"
			end ok "exit 0 · run again outside the sandbox": installed
			[exit 0]
			[The first run failed because commands cannot write to /srv/out. The user approved a second one, so it was run again outside the sandbox: this is the result.]
		`},
		"cannot be undone": {needs: unkept, mode: event.ModeAll, answers: answers(yes), runs: 2, want: `
			start
			ask "go test ./..." for "unkept" again, blocked at /w/big (it is larger than 64 MB): a change that cannot be undone needs approval every time
			decided allow, again with "unkept"
			end ok "exit 0 · run again with changes that cannot be undone": installed
			[exit 0]
			[The first run failed because the change of /w/big cannot be undone: it is larger than 64 MB. The user approved a second one, so it was run again with changes that cannot be undone: this is the result.]
		`},
		"no user, cannot be undone": {needs: unkept, mode: event.ModeAll, alone: true, runs: 1, want: `
			start
			end error "exit 1 · the change of /w/big cannot be undone: it is larger than 64 MB; allow it with --allow 'command: go test ./...'" unattended: ENOTFOUND
			[exit 1]
			[It was not run again with changes that cannot be undone: that needs the user's approval, and nobody can approve it in this run. Continue without this change, or tell the user that --allow 'command: go test ./...' allows it.]
		`},
		"changes stay": {needs: changed, mode: event.ModeAll, answers: answers(yes), runs: 2, want: `
			start
			ask "go test ./..." for "network" again, after changes (a, b, c, d, e and 2 more): commands have no network unless you approve it
			decided allow, again with "network"
			end ok "exit 0 · run again with the network": installed
			[exit 0]
			[The first run failed because commands have no network. The user approved a second one, so it was run again with the network: this is the result.]
			[Ran twice: the changes of the first run stay: a, b, c, d, e and 2 more. Check that nothing was done twice.]
		`},
		"changes are undone": {needs: undone, mode: event.ModeAll, answers: answers(yes), runs: 2, want: `
			start
			ask "go test ./..." for "network" again, undoing a, b: commands have no network unless you approve it
			decided allow, again with "network"
			end ok "exit 0 · run again with the network": installed
			[exit 0]
			[The first run failed because commands have no network. Its changes were undone: a, b. The user approved a second one, so it was run again with the network: this is the result.]
		`},
		"changes are undone, and a rule allows the network": {needs: undone, mode: event.ModeAsk, command: "curl localhost:3000", allow: "network: curl", runs: 2, want: `
			start
			end ok "exit 0 · run again with the network": installed
			[exit 0]
			[The first run failed because commands have no network. Its changes were undone: a, b. The user has allowed the network for it, so it was run again with the network: this is the result.]
		`},
		"changed while the question waited": {needs: conflict, mode: event.ModeAll, answers: answers(yes), runs: 1, want: `
			start
			ask "go test ./..." for "network" again, undoing a: commands have no network unless you approve it
			decided allow, again with "network"
			end error "exit 1 · not run again with the network: its changes cannot be undone: a was changed since": ENOTFOUND
			[exit 1]
			[It was not run again with the network, because the changes of the first run cannot be undone: a was changed since.]
		`},
		"changes cannot be undone": {needs: merged, mode: event.ModeAll, answers: answers(no), runs: 1, want: `
			start
			ask "go test ./..." for "network" again, after changes (a: a was also changed by another command): commands have no network unless you approve it
			decided refuse, again with "network"
			end error "exit 1": ENOTFOUND
			[exit 1]
			[It was not run again with the network, because the user rejected that. Continue without it, or ask the user for an alternative.]
		`},
		"unknown changes stay": {needs: unknown, mode: event.ModeAll, answers: answers(no), runs: 1, want: `
			start
			ask "go test ./..." for "network" again, after changes (undo did not record them): commands have no network unless you approve it
			decided refuse, again with "network"
			end error "exit 1": ENOTFOUND
			[exit 1]
			[It was not run again with the network, because the user rejected that. Continue without it, or ask the user for an alternative.]
		`},
		"changes stay, and a rule allows the network": {needs: changed, mode: event.ModeAsk, command: "curl localhost:3000", allow: "network: curl", answers: answers(yes), runs: 2, want: `
			start
			ask "curl localhost:3000" for "network" again, after changes (a, b, c, d, e and 2 more): the changes of the first run stay
			decided allow, again with "network"
			end ok "exit 0 · run again with the network": installed
			[exit 0]
			[The first run failed because commands have no network. The user approved a second one, so it was run again with the network: this is the result.]
			[Ran twice: the changes of the first run stay: a, b, c, d, e and 2 more. Check that nothing was done twice.]
		`},
		"a command that only reads": {needs: network, mode: event.ModeAsk, command: "cat a", answers: answers(yes), runs: 2, want: `
			start
			ask "cat a" for "network" again: commands have no network unless you approve it
			decided allow, again with "network"
			end ok "exit 0 · run again with the network": installed
			[exit 0]
			[The first run failed because commands have no network. The user approved a second one, so it was run again with the network: this is the result.]
		`},
		"plan": {needs: network, mode: event.ModePlan, command: "ls", runs: 1, want: `
			start
			end error "exit 1": ENOTFOUND
			[exit 1]
			[It was not run again with the network: plan mode runs commands only in the sandbox, without the network.]
		`},
		"no user": {needs: network, mode: event.ModeAll, alone: true, runs: 1, want: `
			start
			end error "exit 1 · commands have no network; allow it with --allow 'network: go test'" unattended: ENOTFOUND
			[exit 1]
			[It was not run again with the network: that needs the user's approval, and nobody can approve it in this run. Continue without the network, or tell the user that --allow 'network: go test' allows it.]
		`},
		"no user, outside the sandbox": {needs: path, mode: event.ModeAll, alone: true, runs: 1, want: `
			start
			end error "exit 1 · commands cannot write to /srv/out; allow it with --add-dir /srv" unattended: ENOTFOUND
			[exit 1]
			[It was not run again outside the sandbox: that needs the user's approval, and nobody can approve it in this run. Write in the working directory or the temporary directory, or tell the user that --add-dir /srv allows it.]
		`},
	} {
		t.Run(name, func(t *testing.T) {
			run := &confined{dir: workspaceOf(t), needs: c.needs}
			command := "go test ./..."
			if c.command != "" {
				command = c.command
			}
			o := options(script.New(script.Call("c1", "shell", args(command)), script.Say("done")), run.tool())
			o.Permissions.Mode, o.Permissions.Attended, o.Permissions.Paths = c.mode, !c.alone, policy.Paths{Workspace: run.dir, Sandbox: policy.SandboxFull, Room: func() int64 { return 1 << 20 }}
			if c.allow != "" {
				r, err := rule.Parse(rule.Allow, c.allow)
				if err != nil {
					t.Fatal(err)
				}
				o.Permissions.Rules = append(o.Permissions.Rules, r)
			}
			events := play(t, o, []string{"go"}, giving(c.answers...))
			if d := cmp.Diff(dedent(c.want), callEvents(events)+"\n"); d != "" {
				t.Error(d)
			}
			if len(run.reached) != c.runs {
				t.Errorf("it ran %d times, want %d", len(run.reached), c.runs)
			}
			if last := run.reached[len(run.reached)-1]; last.Private && c.runs > 1 {
				t.Errorf("the second run is private: %+v", last)
			}
		})
	}
}

// giving returns a function that answers one question after the other.
func giving(answers ...event.Answer) func(event.Event) []event.Command {
	return func(e event.Event) []event.Command {
		a, ok := e.(event.Asked)
		if !ok || len(answers) == 0 {
			return nil
		}
		answer := answers[0]
		answer.ID, answers = a.Ask.ID, answers[1:]
		return []event.Command{answer}
	}
}

// callEvents formats the questions, decisions, starts and ends of calls.
func callEvents(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case event.Asked:
			where := ""
			switch {
			case e.Ask.Blocked != "":
				where = ", blocked at " + e.Ask.Blocked + mark(e.Ask.NotUndoable != "", " ("+e.Ask.NotUndoable+")")
			case e.Ask.Port > 0:
				where = fmt.Sprintf(", port %d", e.Ask.Port)
			}
			where += mark(e.Ask.Undoes != "", ", undoing "+e.Ask.Undoes) + mark(e.Ask.Stay != "", ", after changes ("+e.Ask.Stay+mark(e.Ask.StayWhy != "", ": "+e.Ask.StayWhy)+")")
			fmt.Fprintf(&b, "ask %q for %q%s%s: %s\n", e.Ask.Targets[0].Value, e.Ask.Reach, mark(e.Ask.Rerun, " again"), where, strings.ReplaceAll(e.Ask.Why, "`", "'"))
		case *event.Decided:
			note := ""
			if e.Note != "" {
				note = fmt.Sprintf(" %q", e.Note)
			}
			fmt.Fprintf(&b, "decided %s%s%s\n", e.Decision, note, mark(e.Rerun != "", fmt.Sprintf(", again with %q", e.Rerun)))
		case *event.ToolStart:
			fmt.Fprintf(&b, "start\n")
		case *event.ToolEnd:
			fmt.Fprintf(&b, "end %s %q%s: %s", e.Outcome, e.Summary, mark(e.Unattended, " unattended"), e.Result.Text)
		}
	}
	return b.String()
}

// An Always for the second run names the network and the project.
func TestRunAgainAlways(t *testing.T) {
	run := &confined{dir: workspaceOf(t), needs: tools.Blocked{Network: true, Changed: []string{}}}
	if err := os.WriteFile(filepath.Join(run.dir, "package.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options(script.New(script.Call("c1", "shell", args("go test ./...")), script.Say("done")), run.tool())
	o.Permissions.Paths = policy.Paths{Workspace: run.dir, Sandbox: policy.SandboxFull, Room: func() int64 { return 1 << 20 }}
	events := play(t, o, []string{"go"}, giving(event.Answer{Decision: event.Always}))
	const scope = "`go test` with common options and the network in this project"
	for _, e := range events {
		switch e := e.(type) {
		case event.Asked:
			if e.Ask.Scope != scope || !e.Ask.Project {
				t.Errorf("the question offers %q, want %q in the project", e.Ask.Scope, scope)
			}
		case *event.Decided:
			if e.Scope != scope || !e.Project || e.Grant == nil {
				t.Errorf("got %+v, want a permission for %q", e, scope)
			}
		}
	}
	if want := []tools.Access{{HideHome: true, Strict: true}, {HideHome: true, Strict: true, Network: true}}; !cmp.Equal(run.reached, want) {
		t.Errorf("got runs with %+v, want %+v", run.reached, want)
	}
}

// An interrupt while the question waits keeps the result of the first run; an interrupt
// of the second run is its result.
func TestRunAgainInterrupted(t *testing.T) {
	for name, c := range map[string]struct {
		asked func(id string) []event.Command
		runs  int
		want  string
	}{
		"question": {func(string) []event.Command { return interrupt() }, 1,
			"error: ENOTFOUND\n[exit 1]\n[It was not run again with the network: the user interrupted the turn.]\n"},
		"second run": {func(id string) []event.Command { return []event.Command{event.Answer{ID: id, Decision: event.Allow}} }, 2,
			"interrupted: interrupted by the user; output until then:\nhalf\n[The first run failed because commands have no network. The user approved a second one, so it was run again with the network: this is the result.]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			began := make(chan struct{})
			run := &confined{dir: workspaceOf(t), needs: tools.Blocked{Network: true, Changed: []string{}}}
			run.second = func(ctx context.Context) error {
				close(began)
				<-ctx.Done()
				return ctx.Err()
			}
			o := options(script.New(script.Call("c1", "shell", args("go test ./..."))), run.tool())
			o.Permissions.Paths = policy.Paths{Workspace: run.dir, Sandbox: policy.SandboxFull, Room: func() int64 { return 1 << 20 }}
			var ends []string
			events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
				switch e := e.(type) {
				case event.Asked:
					return c.asked(e.Ask.ID)
				case *event.Decided:
					<-began
					return interrupt()
				case *event.ToolEnd:
					ends = append(ends, string(e.Outcome)+": "+e.Result.Text)
				}
				return nil
			})
			if len(ends) != 1 || ends[0] != c.want {
				t.Errorf("got %q, want %q", ends, c.want)
			}
			if len(run.reached) != c.runs {
				t.Errorf("it ran %d times, want %d", len(run.reached), c.runs)
			}
			if end, ok := events[len(events)-1].(*event.TurnEnd); !ok || end.Reason != event.UserInterrupt {
				t.Errorf("the turn ended with %+v", events[len(events)-1])
			}
		})
	}
}

// recording returns what records the calls of an agent in a ledger.
func recording(t *testing.T, l *evidence.Ledger, agent int) tools.RunInterceptor {
	t.Helper()
	added, err := l.Part(part.Agent{Number: agent})
	if err != nil {
		t.Fatal(err)
	}
	return added.Around
}

// The evidence of a check that ran twice is its last exit code.
func TestRunAgainEvidence(t *testing.T) {
	run := &confined{dir: workspaceOf(t), needs: tools.Blocked{Network: true, Changed: []string{}}}
	o := options(script.New(script.Call("c1", "shell", args("go test ./...")), script.Say("done")), run.tool())
	o.Permissions.Paths = policy.Paths{Workspace: run.dir, Sandbox: policy.SandboxFull, Room: func() int64 { return 1 << 20 }}
	now, _ := fakeClock(0)
	ledger := evidence.New(run.dir, noJobs{}, now)
	o.Interceptors, o.Evidence = tools.Intercept(recording(t, ledger, 0)), ledger
	events := play(t, o, []string{"go"}, giving(event.Answer{Decision: event.Allow}))
	end, ok := events[len(events)-1].(*event.TurnEnd)
	if !ok || end.Evidence == nil || len(end.Evidence.Checks) != 1 {
		t.Fatalf("got %+v, want one check", events[len(events)-1])
	}
	if check := end.Evidence.Checks[0]; check.Outcome != event.CheckPassed || *check.Code != 0 {
		t.Errorf("got %+v, want a check that passed", check)
	}
}

type noJobs struct{}

func (noJobs) List() []tools.Job { return nil }

// If the program exits during the second run, the resumed session does not take the
// decision as the answer to a question of the model.
func TestRunAgainResumed(t *testing.T) {
	events := []event.Durable{
		&event.UserSaid{Text: "go"},
		&event.MessageDone{Message: llm.Message{Kind: llm.ToolCall, Reply: "r1", ID: "c1", Name: "shell", Input: []byte(`{}`)}},
		&event.ToolStart{ID: "c1", Title: "shell npm ci", Effect: "execute"},
		&event.Decided{ID: "c1", Decision: event.Refuse, Note: "use the mirror", Rerun: event.ReachNetwork},
	}
	log := resumedLog(t, events...)
	defer log.Close()
	state, err := session.ReplayRecords(recorded(log))
	if err != nil {
		t.Fatal(err)
	}
	last := state.Messages[len(state.Messages)-1]
	if last.Kind != llm.ToolResult || !strings.Contains(last.Text, "It may or may not have taken effect") {
		t.Errorf("got %q, want a call with an unknown outcome", last.Text)
	}
}

// The question about the command of a delegate names the delegate.
func TestRunAgainForDelegate(t *testing.T) {
	run := &confined{dir: workspaceOf(t), needs: tools.Blocked{Network: true, Changed: []string{}}}
	pool := team{t: t, scripts: map[string]*script.Provider{
		"install": script.New(script.Call("d1", "shell", args("go test ./...")), script.Say("installed it")),
	}, tools: []tools.Tool{run.tool()}}.pool()
	o := options(script.New(script.Call("c1", "delegate", `{"agent":"general","prompt":"install"}`), script.Say("done")))
	o.Delegates = pool
	var asked []event.Ask
	play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			asked = append(asked, a.Ask)
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Allow}}
		}
		return nil
	})
	if len(asked) != 1 || !asked[0].Rerun || asked[0].Agent != "general 1" {
		t.Errorf("got the questions %+v, want one of general 1 about a second run", asked)
	}
	if len(run.reached) != 2 || !run.reached[1].Network {
		t.Errorf("got runs with %+v, want a second one with the network", run.reached)
	}
}

// A job that only this session reaches is restarted with the network if the user approves
// it, also when the call that shows the port only reads.
func TestListeningJob(t *testing.T) {
	for name, c := range map[string]struct {
		decision event.Decision // empty: there is no user
		want     string
	}{
		"yes": {event.Allow, `
			start
			ask "npm run dev" for "network" again, port 3000: commands have no network unless you approve it
			decided allow, again with "network"
			end ok "job 2 · running · restarted with the network": [job 2]
			[In the first run, only commands of this session reach port 3000. The user approved a second one, so it was restarted with the network: this is the result.]
		`},
		"no": {event.Refuse, `
			start
			ask "npm run dev" for "network" again, port 3000: commands have no network unless you approve it
			decided refuse, again with "network"
			end ok "running": listening on :3000
			[It was not restarted with the network, because the user rejected that. Continue without it, or ask the user for an alternative.]
		`},
		"no user": {"", `
			start
			end ok "running · only this session reaches port 3000; change that with --allow 'network: npm run dev'": listening on :3000
			[Only commands of this session reach port 3000. To change that, the user runs agent with --allow 'network: npm run dev'.]
		`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := workspaceOf(t)
			restart := tools.Call{Title: "restart job 1: npm run dev", Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: "npm run dev", Dir: dir}}}
			restart.Run = func(_ context.Context, ok tools.Approved) (tools.Result, error) {
				if !ok.Access.Network {
					t.Error("the job is restarted without the network")
				}
				return tools.Result{Text: "[job 2]\n", Summary: "job 2 · running", Job: 2}, nil
			}
			jobs := tools.New("jobs", "reads jobs", func(context.Context, textArgs) (tools.Call, error) {
				return tools.Call{Title: "read job 1", Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
					return tools.Result{Text: "listening on :3000\n", Summary: "running", Blocked: &tools.Blocked{Network: true, Port: 3000, Restart: &restart}}, nil
				}}, nil
			})
			o := options(script.New(script.Call("c1", "jobs", args("read")), script.Say("done")), jobs)
			o.Permissions.Attended, o.Permissions.Paths = c.decision != "", policy.Paths{Workspace: dir}
			events := play(t, o, []string{"go"}, giving(event.Answer{Decision: c.decision}))
			if d := cmp.Diff(dedent(c.want), callEvents(events)+"\n"); d != "" {
				t.Error(d)
			}
		})
	}
}
