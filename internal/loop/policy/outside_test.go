package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/rule"
	"agent/internal/tools"
)

// An approved command that writes outside the workspace gets access to exactly what it
// is known to change. If that is not known, it runs without the sandbox.
func TestAccessOutsideOfTheWorkspace(t *testing.T) {
	dir, home := project(t, "a", "sub/b"), project(t, "log", "notes/x")
	if err := os.Symlink("notes", filepath.Join(home, "link")); err != nil {
		t.Skip(err)
	}
	at := policy.Paths{Workspace: dir, Home: home, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	deny, err := rule.Parse(rule.Deny, "network: cp")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, want string
		rules      []rule.Rule
	}{
		{"cp a HOME/log", "HOME/log", nil},
		{"cp a HOME/notes", "HOME/notes", nil},
		{"cp a HOME/link/", "HOME/notes", nil},
		{"cp a HOME/new", "HOME", nil},
		{"echo x >> ~/log", "HOME/log", nil},
		{"mkdir -p ~/notes/a/b/c", "HOME/notes", nil},
		{"mv a HOME/log", "HOME", nil},
		{"mv HOME/notes .", "HOME", nil},
		{"rm -r HOME/notes", "HOME", nil},
		{"cp a HOME/log && rm HOME/notes/x", "HOME/log HOME/notes", nil},
		{"cd sub && cp b ../../out", "DIR/..", nil},
		{"cp a ~/$X", "all", nil},
		{"cp a ~other/x", "all", nil},
		{"touch /new", "all", nil},
		{"cp a ~/$X", "", []rule.Rule{deny}},
		{"make install", "", nil},
		{"git -C HOME/notes commit -m x", "HOME/notes", nil},
		{"git -C HOME/notes reset --hard", "HOME/notes", nil},
		{"git -C ~/notes add x && cp a HOME/log", "HOME/notes HOME/log", nil},
		{"cp a sub/c", "", nil},
	} {
		place := strings.NewReplacer("HOME", home, "DIR", dir)
		for _, mode := range []event.Mode{event.ModeAsk, event.ModeAll} {
			p := policy.Policy{Mode: mode, Rules: c.rules}
			v := asks(&p, at, run(dir, place.Replace(c.line)))
			runs := c.want == "" && mode == event.ModeAll && c.rules == nil
			want := tools.Access{Outside: c.want == "all", HideHome: runs, Strict: runs}
			if !want.Outside {
				for _, path := range strings.Fields(place.Replace(c.want)) {
					want.Write = append(want.Write, filepath.Clean(path))
				}
			}
			if d := cmp.Diff(v.Access, want); d != "" || v.Ask != (c.want != "" || mode == event.ModeAsk || c.rules != nil) {
				t.Errorf("%s: asks %v, access: %s", c.line, v.Ask, d)
			}
		}
	}
	at.Sandbox = policy.SandboxOff
	p := policy.Policy{Mode: event.ModeAsk}
	if v := asks(&p, at, run(dir, "cp a "+home+"/log")); v.Access.Write != nil || v.Access.Outside {
		t.Errorf("without a sandbox: %+v", v.Access)
	}
}
