package loop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/session"
	"agent/internal/tools"
)

// granted is a session in which a command and edits were always allowed.
type granted struct {
	t     *testing.T
	store *history.Store
	dir   string // the workspace, free of symbolic links
	id    string
	key   string
	fork  bool // the next session is a new fork
}

// command runs make in a directory of the workspace, edits changes a file.
func (s *granted) command(dir string) tools.Tool {
	return tools.New("run", "runs make", func(_ context.Context, a textArgs) (tools.Call, error) {
		return tools.Call{Title: "run " + a.Text, Effect: tools.Execute,
			Targets: []tools.Target{{Kind: tools.Command, Value: a.Text, Dir: filepath.Join(s.dir, dir)}},
			Run:     func(context.Context, tools.Approved) (tools.Result, error) { return tools.Result{Text: "ran"}, nil },
		}, nil
	})
}

// newStanding plays a session in which the user always allows everything.
func newStanding(t *testing.T) *granted {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &granted{t: t, dir: dir, store: history.Open(t.TempDir()), key: filepath.Join(t.TempDir(), "permissions.key")}
	s.script("one")
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	log := s.store.Create(history.Header{Dir: dir})
	s.id = log.Header().ID
	asked, _ := s.play(log, "", true)
	if asked != 2 {
		t.Fatalf("got %d questions, want 2", asked)
	}
	return s
}

func (s *granted) script(content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "Makefile"), []byte(content), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// play runs a turn that runs the command in a directory and edits a file, each twice.
// It answers every question with always, and returns the number of questions or
// denials, and the notices.
func (s *granted) play(log *history.Log, dir string, attended bool) (asked int, notices string) {
	s.t.Helper()
	defer log.Close()
	p := script.New(
		script.Reply{}.Call("c1", "run", args("make test")).Call("c2", "run", args("make test")).Calls(),
		script.Reply{}.Call("c3", "change", args("d/a")).Call("c4", "change", args("d/b")).Calls(),
		script.Say("done"))
	o := options(p, s.command(dir), echo("change", tools.Write))
	o.Permissions.Mode, o.Log, o.Permissions.Attended = event.ModeAsk, log, attended
	o.Permissions.Paths, o.Permissions.Forked = policy.Paths{Workspace: s.dir}, s.fork
	o.Permissions.Key = func() ([]byte, error) { return standing.Key(s.key) }
	events := play(s.t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Always}}
		}
		return nil
	})
	for _, e := range events {
		switch e := e.(type) {
		case event.Asked:
			asked++
		case *event.ToolEnd:
			if e.Outcome == event.Refused {
				asked++
			}
		case event.Notice:
			notices += e.Text + "\n"
		}
	}
	return asked, notices
}

// resume opens the session of that ID again.
func (s *granted) resume(id string) *history.Log {
	s.t.Helper()
	log, _, err := s.store.ResumeTail(id)
	if err != nil {
		s.t.Fatal(err)
	}
	return log
}

// grants returns the standing permissions in the log of the session.
func (s *granted) grants() (out []standing.Grant) {
	s.t.Helper()
	log := s.resume(s.id)
	defer log.Close()
	state, err := session.ReplayRecords(recorded(log))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, g := range state.Standing.Grants {
		out = append(out, standing.Recorded(g))
	}
	return out
}

// append adds a record to a session, as a command of the model could.
func (s *granted) append(id string, g standing.Grant) {
	s.t.Helper()
	log := s.resume(id)
	defer log.Close()
	kept := g.Record()
	record, err := event.Encode(&event.Decided{ID: "forged", Decision: event.Always, Scope: "anything", Grant: &kept})
	if err == nil {
		err = log.Append(record, true)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// Standing permissions apply when the session is resumed, and a notice lists them.
func TestGrantsAreResumed(t *testing.T) {
	s := newStanding(t)
	asked, notices := s.play(s.resume(s.id), "", true)
	if asked != 0 {
		t.Errorf("got %d questions after a resume, want none", asked)
	}
	if want := "Always allowed in this session: `make test` with common options in this project; all edits.\n"; notices != want {
		t.Errorf("got notice %q, want %q", notices, want)
	}
	log := s.resume(s.id)
	record, err := event.Encode(&event.Rewound{})
	if err == nil {
		err = log.Append(record, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	if asked, notices := s.play(log, "", true); asked != 2 || notices != "" {
		t.Errorf("got %d questions and %q after the rewind, want 2", asked, notices)
	}
}

// A standing permission applies only in its session, its directory, and for the
// contents of its files.
func TestGrantsAreLimitedToTheirScope(t *testing.T) {
	const noSeal = "permissions in the log of this session do not apply: the seal is not valid"
	const original = "2 permissions of the original session do not apply in this fork."
	cases := map[string]struct {
		play   func(s *granted) (int, string)
		asked  int
		notice string
	}{
		"another directory": {func(s *granted) (int, string) {
			if err := os.WriteFile(filepath.Join(s.dir, "sub", "Makefile"), []byte("other"), 0o600); err != nil {
				t.Error(err)
			}
			return s.play(s.resume(s.id), "sub", true)
		}, 1, "Always allowed in this session: "},
		"the script is rewritten": {func(s *granted) (int, string) {
			s.script("two")
			return s.play(s.resume(s.id), "", true)
		}, 1, "ended: Makefile changed."},
		"the script is gone": {func(s *granted) (int, string) {
			if err := os.Remove(filepath.Join(s.dir, "Makefile")); err != nil {
				t.Error(err)
			}
			return s.play(s.resume(s.id), "", true)
		}, 1, "ended: Makefile disappeared."},
		"a fork": {func(s *granted) (int, string) {
			fork, err := s.store.Fork(s.id, 1<<30, history.Header{})
			if err != nil {
				t.Fatal(err)
			}
			s.fork = true
			return s.play(fork, "", true)
		}, 2, original},
		"a copy of the log": {func(s *granted) (int, string) {
			log := s.resume(s.id)
			b, err := os.ReadFile(log.Path())
			log.Close()
			if err == nil {
				err = os.WriteFile(strings.Replace(log.Path(), s.id, "copied", 1), b, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return s.play(s.resume("copied"), "", true)
		}, 2, "2 " + noSeal},
		"headless": {func(s *granted) (int, string) { return s.play(s.resume(s.id), "", false) }, 4, "2 permissions of this session do not apply in non-interactive mode."},
		"the key is replaced": {func(s *granted) (int, string) {
			if err := os.WriteFile(s.key, []byte("a key of thirty-two bytes, so so"), 0o600); err != nil {
				t.Fatal(err)
			}
			return s.play(s.resume(s.id), "", true)
		}, 2, "2 " + noSeal},
		"the key is gone": {func(s *granted) (int, string) {
			if err := os.Remove(s.key); err != nil {
				t.Fatal(err)
			}
			return s.play(s.resume(s.id), "", true)
		}, 2, "2 " + noSeal},
		"the key was readable by others": {func(s *granted) (int, string) {
			if err := os.Chmod(s.key, 0o644); err != nil {
				t.Fatal(err)
			}
			return s.play(s.resume(s.id), "", true)
		}, 2, "2 " + noSeal},
	}
	for name, forge := range map[string]func(g *standing.Grant){
		"a record of an older version": func(g *standing.Grant) { g.Seal, g.Dir, g.Files = "", "", nil },
		"a forged record":              func(g *standing.Grant) { g.Seal = strings.Repeat("ab", 32) },
		"a record for another dir":     func(g *standing.Grant) { g.Dir = filepath.Join(g.Dir, "sub") },
		"a record for another script":  func(g *standing.Grant) { g.Files = nil },
	} {
		cases[name] = struct {
			play   func(s *granted) (int, string)
			asked  int
			notice string
		}{func(s *granted) (int, string) {
			log := s.store.Create(history.Header{Dir: s.dir})
			record, err := event.Encode(&event.UserSaid{Text: "hello"})
			if err == nil {
				err = log.Append(record, true)
			}
			if err != nil {
				t.Fatal(err)
			}
			id := log.Header().ID
			log.Close()
			for _, g := range s.grants() {
				forge(&g)
				s.append(id, g)
			}
			return s.play(s.resume(id), "sub", true)
		}, 2, "2 permissions "}
	}
	broken := 0
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newStanding(t)
			asked, notices := c.play(s)
			if asked < c.asked {
				broken++
			}
			if asked != c.asked || !strings.Contains(notices, c.notice) {
				t.Errorf("got %d questions and %q, want %d and %q", asked, notices, c.asked, c.notice)
			}
		})
	}
	t.Attr("promise", fmt.Sprintf("a standing permission used outside its directory, after its script changed, in a fork, headless or from a forged record: %d of %d", broken, len(cases)))
}

// A grant that was modified in the log does not apply; the others still do.
func TestAlteredGrant(t *testing.T) {
	s := newStanding(t)
	for _, g := range s.grants() {
		if g.Kind == tools.Command {
			g.Value = "./evil.sh"
			s.append(s.id, g)
		}
	}
	asked, notices := s.play(s.resume(s.id), "", true)
	if asked != 0 || !strings.Contains(notices, "all edits.") || !strings.Contains(notices, "1 permission in the log of this session does not apply") || strings.Contains(notices, "evil") {
		t.Errorf("got %d questions and %q", asked, notices)
	}
}

// Without a key, a permission holds until the program exits.
func TestGrantWithoutAKey(t *testing.T) {
	s := newStanding(t)
	s.key = filepath.Join(s.dir, "Makefile", "key") // below a file
	log := s.store.Create(history.Header{Dir: s.dir})
	id := log.Header().ID
	asked, notices := s.play(log, "", true)
	if asked != 2 || !strings.Contains(notices, "The permission applies until the program exits: create the key of standing permissions: ") {
		t.Errorf("got %d questions and %q", asked, notices)
	}
	if asked, _ := s.play(s.resume(id), "", true); asked != 2 {
		t.Errorf("got %d questions in the next program, want 2", asked)
	}
}

// An always that was not offered allows only one call.
func TestAlwaysThatWasNotOffered(t *testing.T) {
	p := script.New(script.Reply{}.Call("c1", "change", args(".envrc")).Call("c2", "change", args(".envrc")).Calls(), script.Say("done"))
	o := options(p, echo("change", tools.Write))
	events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		if a, ok := e.(event.Asked); ok {
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: event.Always}}
		}
		return nil
	})
	if got := trace(events); strings.Count(got, `because changes to protected paths need approval every time, in every permission mode; always: ""`) != 2 || strings.Count(got, `allow "" ""`) != 2 {
		t.Errorf("got %s", got)
	}
}

// Without a user, the result of a denied call explains the protected path.
func TestProtectedPathHeadless(t *testing.T) {
	p := script.New(script.Call("c1", "change", args(".github/workflows/ci.yml")), script.Say("done"))
	o := options(p, tool("change", tools.Write, func(context.Context, string) (string, error) { return "", errors.New("it ran") }))
	o.Permissions.Attended = false
	got := trace(play(t, o, []string{"go"}, nil))
	want := "refused: denied: .github/workflows/ci.yml is protected: runs on the CI server, with access to its secrets. Changing it always needs the user's approval"
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A script that changes while its approval dialog is open does not run with that
// answer; the next call is asked again.
func TestScriptChangesWhileAsked(t *testing.T) {
	for _, decision := range []event.Decision{event.Allow, event.Always} {
		s := newStanding(t)
		p := script.New(script.Call("c1", "run", args("make test")), script.Call("c2", "run", args("make test")), script.Say("done"))
		o := options(p, s.command(""))
		o.Permissions.Mode, o.Permissions.Paths = event.ModeAsk, policy.Paths{Workspace: s.dir}
		asked := 0
		events := play(t, o, []string{"go"}, func(e event.Event) []event.Command {
			a, ok := e.(event.Asked)
			if !ok {
				return nil
			}
			if asked++; asked == 1 {
				s.script("rewritten")
			}
			return []event.Command{event.Answer{ID: a.Ask.ID, Decision: decision}}
		})
		got := trace(events)
		if want := `end c1 "run make test" error: not run: Makefile changed while the approval dialog was open`; !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", decision, got, want)
		}
		if asked != 2 || !strings.Contains(got, `end c2 "run make test" ok`) {
			t.Errorf("%s: got %d questions and %s", decision, asked, got)
		}
	}
}

// The notice that the permissions of the original do not apply is shown only when a
// fork is made. Permissions of the fork apply when it is resumed.
func TestForkReportsGrantsOnce(t *testing.T) {
	s := newStanding(t)
	fork, err := s.store.Fork(s.id, 1<<30, history.Header{})
	if err != nil {
		t.Fatal(err)
	}
	id := fork.Header().ID
	fork.Close()
	for range 2 { // nothing is approved here, so there are no other notices
		o := options(script.New(script.Say("done")))
		o.Log, o.Permissions.Attended, o.Permissions.Paths = s.resume(id), true, policy.Paths{Workspace: s.dir}
		o.Permissions.Key = func() ([]byte, error) { return standing.Key(s.key) }
		for _, e := range play(t, o, []string{"go"}, nil) {
			if n, ok := e.(event.Notice); ok {
				t.Errorf("the continued fork says %q", n.Text)
			}
		}
		o.Log.Close()
	}
	if asked, notices := s.play(s.resume(id), "", true); asked != 2 || notices != "" {
		t.Errorf("got %d questions and %q, want 2", asked, notices)
	}
	want := "Always allowed in this session: `make test` with common options in this project; all edits.\n"
	if asked, notices := s.play(s.resume(id), "", true); asked != 0 || notices != want {
		t.Errorf("got %d questions and %q, want %q", asked, notices, want)
	}
}

// TestListPermissions lists the standing permissions that apply: those whose
// files have changed do not.
func TestListPermissions(t *testing.T) {
	s := newStanding(t)
	command, edits := "`make test` with common options in this project", "all edits"
	for _, want := range [][]string{{command, edits}, {edits}} {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		o := options(script.New())
		o.Log, o.Permissions.Attended, o.Permissions.Paths = s.resume(s.id), true, policy.Paths{Workspace: s.dir}
		o.Permissions.Key = func() ([]byte, error) { return standing.Key(s.key) }
		commands, events := make(chan event.Command, 1), make(chan event.Event)
		commands <- event.ListPermissions{}
		go loop.NewAgent(o).Run(ctx, commands, events)
		var got []event.PermissionsNow
		for e := range events {
			if now, ok := e.(event.PermissionsNow); ok {
				got = append(got, now)
				stop()
			}
		}
		stop()
		var texts []string
		for _, now := range got {
			for _, p := range now.Permissions {
				texts = append(texts, strings.TrimPrefix(p.Text, "always allow "))
			}
		}
		if diff := cmp.Diff(texts, want); diff != "" {
			t.Errorf("got, want:\n%s", diff)
		}
		o.Log.Close()
		s.script("two")
	}
}
