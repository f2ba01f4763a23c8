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

	"agent/internal/history"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
	"agent/internal/tools"
)

// projectStore holds the permissions of a project, as cmd/agent stores them.
type projectStore struct {
	grants []standing.Grant
	fails  error
}

func (s *projectStore) remember(g standing.Grant) error {
	if s.fails == nil {
		s.grants = append(s.grants, g)
	}
	return s.fails
}

// playProject runs a turn with commands in the workspace dir. It answers every question
// with always, and returns the questions, the denied calls and the notices.
func playProject(t *testing.T, dir string, log *history.Log, store *projectStore, attended bool, rules []rule.Rule, commands ...string) (asked, denied []string, notices string) {
	t.Helper()
	reply := script.Reply{}
	for i, c := range commands {
		reply = reply.Call(fmt.Sprint("c", i), "run", args(c))
	}
	o := options(script.New(reply.Calls(), script.Say("done")), (&granted{t: t, dir: dir}).command(""))
	o.Permissions.Mode, o.Log, o.Permissions.Attended, o.Permissions.Paths, o.Permissions.Rules = event.ModeAsk, log, attended, policy.Paths{Workspace: dir}, rules
	o.Permissions.Remembered, o.Permissions.Remember = store.grants, store.remember
	for _, e := range play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Always}}
		}
		return nil
	}) {
		switch e := e.(type) {
		case event.Asked:
			asked = append(asked, e.Ask.Title)
		case *event.ToolEnd:
			if e.Outcome == event.Refused {
				denied = append(denied, e.Result.ID)
			}
		case event.Notice:
			notices += e.Text + "\n"
		}
	}
	return asked, denied, notices
}

// A permission for the first words of a command is one of the project: it applies in later
// sessions, also without a user, until its manifest changes. The log does not restore it.
func TestPermissionsOfAProject(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "Makefile")
	write := func(text string) {
		if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	store, sessions := &projectStore{}, history.Open(t.TempDir())
	log := sessions.Create(history.Header{Dir: dir})
	id := log.Header().ID
	asked, _, _ := playProject(t, dir, log, store, true, nil, "make test", "make test -k", "make clean")
	log.Close()
	if d := cmp.Diff(asked, []string{"run make test", "run make clean"}); d != "" {
		t.Errorf("first session: %s", d)
	}
	if len(store.grants) != 2 || store.grants[0].String() != "`make test` with common options in this project" || store.grants[0].Dir != dir || store.grants[0].Seal != "" || len(store.grants[0].Files) != 1 {
		t.Fatalf("stored %+v", store.grants)
	}
	if asked, denied, notices := playProject(t, dir, nil, store, false, nil, "make test", "make clean", "make all"); len(asked) > 0 || !cmp.Equal(denied, []string{"c2"}) || notices != "" {
		t.Errorf("without a user: asked %q, denied %q, notices %q", asked, denied, notices)
	}
	if asked, _, _ := playProject(t, dir, nil, &projectStore{}, true, nil, "make test"); len(asked) != 1 {
		t.Errorf("without the permission: asked %q", asked)
	}
	resumed, _, err := sessions.ResumeTail(id)
	if err != nil {
		t.Fatal(err)
	}
	if asked, _, notices := playProject(t, dir, resumed, &projectStore{}, true, nil, "make test"); len(asked) != 1 || notices != "" {
		t.Errorf("the log restores a permission that was removed: asked %q, notices %q", asked, notices)
	}
	resumed.Close()
	elsewhere := t.TempDir()
	if asked, _, _ := playProject(t, elsewhere, nil, &projectStore{grants: store.grants}, true, nil, "make test"); len(asked) != 1 {
		t.Errorf("in another directory: asked %q", asked)
	}
	write("two")
	before := len(store.grants)
	if _, denied, _ := playProject(t, dir, nil, store, false, nil, "make test"); len(denied) != 1 {
		t.Error("it applies after its manifest changed")
	}
	if asked, _, _ := playProject(t, dir, nil, store, true, nil, "make test", "make test"); len(asked) != 1 || len(store.grants) != before+1 {
		t.Errorf("asked %q after the manifest changed", asked)
	}
	broken := &projectStore{fails: errors.New("the disk is full")}
	if asked, _, notices := playProject(t, dir, nil, broken, true, nil, "make test", "make test"); len(asked) != 1 || !strings.Contains(notices, "The permission applies until the program exits: the disk is full.") {
		t.Errorf("asked %q, notices %q", asked, notices)
	}
}

// Configured rules apply to the calls of the model, and the model reads which rule denied
// a call.
func TestConfiguredRules(t *testing.T) {
	dir := t.TempDir()
	parse := func(action rule.Action, text string) rule.Rule {
		r, err := rule.Parse(action, text)
		if err != nil {
			t.Fatal(err)
		}
		r.Source = "config.json:7"
		return r
	}
	rules := []rule.Rule{parse(rule.Allow, "command: make"), parse(rule.Deny, "command: git push"), parse(rule.Ask, "command: make deploy")}
	asked, denied, _ := playProject(t, dir, nil, &projectStore{}, true, rules, "make x", "git push", "true && git push", "make deploy")
	if d := cmp.Diff([][]string{asked, denied}, [][]string{{"run make deploy"}, {"c1", "c2"}}); d != "" {
		t.Error(d)
	}
	run := tools.New("run", "runs", func(_ context.Context, a textArgs) (tools.Call, error) {
		return tools.Call{Effect: tools.Execute, Targets: []tools.Target{{Kind: tools.Command, Value: a.Text, Dir: dir}}}, nil
	})
	o := options(script.New(script.Call("c1", "run", args("git push")), script.Say("done")), run)
	o.Permissions.Mode, o.Permissions.Rules, o.Permissions.Paths = event.ModeAll, rules, policy.Paths{Workspace: dir}
	if got := trace(play(t, o, []string{"go"}, nil)); !strings.Contains(got, "refused: denied: a rule denies it: config.json:7: deny command: git push. Do not try it another way") {
		t.Errorf("got %s", got)
	}
}
