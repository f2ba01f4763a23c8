package loop_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
)

// dialogue runs an agent and waits for its replies to commands.
type dialogue struct {
	t        *testing.T
	commands chan event.Command
	events   chan event.Event
}

func openDialogue(t *testing.T, o loop.Options) *dialogue {
	ctx, stop := context.WithTimeout(t.Context(), hang)
	c := &dialogue{t, make(chan event.Command), make(chan event.Event)}
	go loop.NewAgent(fill(o)).Run(ctx, c.commands, c.events)
	t.Cleanup(stop)
	return c
}

// end ends the agent.
func (c *dialogue) end() {
	close(c.commands)
	for range c.events {
	}
}

// reply sends a command and returns the first event of type T after it.
func reply[T event.Event](c *dialogue, command event.Command) T {
	c.t.Helper()
	for send := c.commands; ; {
		select {
		case send <- command:
			send = nil
		case e, ok := <-c.events:
			if !ok {
				c.t.Fatalf("the agent ended or hung after %#v", command)
			}
			if e, ok := e.(T); ok && send == nil {
				return e
			}
		}
	}
}

// permissions returns the permissions of the agent in words, and the IDs by these words.
func (c *dialogue) permissions() (texts []string, ids map[string]string) {
	c.t.Helper()
	ids = map[string]string{}
	for _, p := range reply[event.PermissionsNow](c, event.ListPermissions{}).Permissions {
		text := p.Text + " (" + p.Source + ")"
		if p.Removable {
			text += " -"
		}
		texts, ids[text] = append(texts, text), p.ID
	}
	return texts, ids
}

// fetches is a tool that connects to a host.
func fetches() tools.Tool {
	return tools.New("get", "gets a page", func(_ context.Context, a textArgs) (tools.Call, error) {
		return tools.Call{Title: "get " + a.Text, Effect: tools.Network, Targets: []tools.Target{{Kind: tools.Host, Value: a.Text}},
			Run: func(context.Context, tools.Approved) (tools.Result, error) { return tools.Result{Text: "page"}, nil },
		}, nil
	})
}

// The user lists rules and standing permissions, and removes them: a removed permission
// does not come back when the session is resumed.
func TestRemovePermission(t *testing.T) {
	store := history.Open(t.TempDir())
	log := store.Create(history.Header{Dir: "/w"})
	get := func() script.Reply { return script.Reply{}.Call("c", "get", args("x.org")).Calls() }
	o := options(script.New(get(), script.Say("one"), get(), script.Say("two")), fetches())
	o.Log, o.Permissions.Mode, o.Permissions.Key = log, event.ModeAsk, func() ([]byte, error) { return []byte("a key of this user"), nil }
	o.Permissions.Rules = []rule.Rule{{Action: rule.Deny, Kind: rule.Host, Pattern: "evil.org", Source: "/etc/policy.json:3"}}
	project := rule.Rule{Action: rule.Ask, Kind: rule.Host, Pattern: "y.org", Source: "p.json:2"}
	o.Permissions.ProjectRules = []rule.Rule{project, {Action: rule.Ask, Kind: rule.Host, Pattern: "z.org", Source: "p.json:3"}}
	var forgotten []rule.Rule
	o.Permissions.ForgetRule = func(r rule.Rule) error {
		if r.Pattern == "z.org" {
			return errors.New("the disk is full")
		}
		forgotten = append(forgotten, r)
		return nil
	}
	c := openDialogue(t, o)
	ask := reply[event.Asked](c, event.Prompt{Text: "one"}).Ask
	reply[*event.TurnEnd](c, event.Answer{ID: ask.ID, Decision: event.Always})
	texts, ids := c.permissions()
	const grant, asks = "always allow requests to x.org (this session) -", "ask host: y.org (p.json:2) -"
	want := []string{"deny host: evil.org (/etc/policy.json:3)", asks, "ask host: z.org (p.json:3) -", grant}
	if d := cmp.Diff(texts, want); d != "" {
		t.Fatal(d)
	}

	for _, refused := range []struct{ id, want string }{
		{ids[want[0]], "Cannot remove the permission: it is configured in /etc/policy.json:3: change it there."},
		{ids[want[2]], "Cannot remove the permission: the disk is full."},
		{"nonsense", "That permission no longer exists. Run /permissions to list the current ones."},
	} {
		if got := reply[event.Notice](c, event.RemovePermission{ID: refused.id}).Text; got != refused.want {
			t.Errorf("got %q, want %q", got, refused.want)
		}
	}
	if got := reply[*event.PermissionRemoved](c, event.RemovePermission{ID: ids[asks]}); got.Text != "ask host: y.org" || got.Grant != nil {
		t.Errorf("got %+v", got)
	}
	if d := cmp.Diff(forgotten, []rule.Rule{project}); d != "" {
		t.Error(d)
	}
	if got := reply[*event.PermissionRemoved](c, event.RemovePermission{ID: ids[grant]}); got.Text != "always allow requests to x.org" || got.Grant == nil {
		t.Errorf("got %+v", got)
	}
	if texts, _ := c.permissions(); cmp.Diff(texts, []string{want[0], want[2]}) != "" {
		t.Errorf("after the removal: %q", texts)
	}
	ask = reply[event.Asked](c, event.Prompt{Text: "two"}).Ask
	reply[*event.TurnEnd](c, event.Answer{ID: ask.ID, Decision: event.Refuse})
	c.end()
	log.Close()

	var err error
	if o.Log, _, err = store.ResumeTail(log.Header().ID); err != nil {
		t.Fatal(err)
	}
	defer o.Log.Close()
	c = openDialogue(t, o)
	if texts, _ := c.permissions(); len(texts) != 3 {
		t.Errorf("after resuming: %q", texts)
	}
	c.end()
}

// The permissions of a session explain a command like agent permit.
func TestExplainPermission(t *testing.T) {
	o := options(script.New())
	o.Permissions.Mode, o.Permissions.Paths.Workspace = event.ModePlan, t.TempDir()
	o.Permissions.Rules = []rule.Rule{{Action: rule.Deny, Kind: rule.Command, Pattern: "ls", Source: "here:1"}}
	c := openDialogue(t, o)
	for line, want := range map[string]string{"pwd": "auto", "rm -rf x": "deny", "ls": "deny"} {
		if got := reply[event.Explained](c, event.ExplainPermission{Line: line}).Lines; got[0] != want || !strings.Contains(strings.Join(got, "\n"), "  "+line+": ") {
			t.Errorf("%s: got %q, want %s", line, got, want)
		}
	}
	c.end()
}

// In a session, the explanation says what the user can do there: no flags.
func TestExplanationOfASessionNamesNoFlags(t *testing.T) {
	o := options(script.New())
	o.Permissions.Mode, o.Permissions.Paths.Workspace = event.ModeAsk, workspaceOf(t)
	c := openDialogue(t, o)
	for line, want := range map[string]string{
		"go test ./...": "To allow it: choose row 2 when the dialog asks. It always allows `go test` with common options in this project.",
		"./build.sh a":  `To allow it: approve it each time, or add to "allow" in "permissions" of the configuration: "command: ./build.sh a"`,
		"rm $X":         "",
	} {
		got := reply[event.Explained](c, event.ExplainPermission{Line: line}).Lines
		if last := got[len(got)-1]; last != want && (want != "" || strings.HasPrefix(last, "To allow")) || strings.Contains(last, "--allow") {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	c.end()
}

// The user cannot choose a mode that the system policy excludes.
func TestExcludedMode(t *testing.T) {
	o := options(script.New())
	o.Permissions.Mode, o.Permissions.Modes = event.ModeAsk, []event.Mode{event.ModeAsk, event.ModePlan}
	c := openDialogue(t, o)
	if got := reply[event.Notice](c, event.SetMode{Mode: event.ModeAll}).Text; got != "The system policy does not allow permission mode all." {
		t.Errorf("got %q", got)
	}
	if got := reply[event.PermissionsNow](c, event.ListPermissions{}).Mode; got != event.ModeAsk {
		t.Errorf("the mode is %s", got)
	}
	if got := reply[*event.ModeSet](c, event.SetMode{Mode: event.ModePlan}).Mode; got != "plan" {
		t.Errorf("the mode is %s", got)
	}
	c.end()
}
