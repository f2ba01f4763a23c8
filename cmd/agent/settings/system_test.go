package settings_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/cmd/agent/settings"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/rule"
)

// policyFile writes a system policy and returns where it is, owned by this user.
func policyFile(t *testing.T, text string) settings.SystemFile {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "agent")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "policy.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return settings.SystemFile{Path: path, Owner: os.Geteuid()}
}

func TestSystemPolicy(t *testing.T) {
	f := policyFile(t, "{\"modes\": [\"ask\", \"plan\"], \"sandbox\": true,\n\"permissions\": {\"deny\": [\n\"command: git push\"], \"ask\": [\"host: x.org\"]}}")
	got, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := settings.SystemPolicy{
		Path: f.Path, Modes: []event.Mode{event.ModeAsk, event.ModePlan}, Sandbox: true,
		Permissions: settings.Permissions{Deny: []settings.Rule{{Text: "command: git push"}}, Ask: []settings.Rule{{Text: "host: x.org"}}},
		Rules: []rule.Rule{
			{Action: rule.Deny, Kind: rule.Command, Pattern: "git push", Source: f.Path + ":3"},
			{Action: rule.Ask, Kind: rule.Host, Pattern: "x.org", Source: f.Path + ":3"},
		},
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
	got, err = settings.SystemFile{Path: filepath.Join(t.TempDir(), "agent", "policy.json")}.Read()
	if d := cmp.Diff(got, settings.SystemPolicy{}); d != "" || err != nil {
		t.Errorf("without a file: %v, %v", got, err)
	}
}

// A system policy that cannot be read or trusted is an error, so that the program stops.
func TestSystemPolicyFailsClosed(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		change func(t *testing.T, f *settings.SystemFile)
		err    string
		unix   bool
	}{
		"invalid":        {text: "{", err: ":1: invalid JSON"},
		"a slip":         {text: "{\n\"mode\": []}", err: `:2: unknown setting "mode" (did you mean "modes"?)`},
		"no such mode":   {text: `{"modes": ["yolo"]}`, err: `:1: modes[0] must be one of ask, auto, plan, all, not "yolo"`},
		"a rule":         {text: "{\"permissions\": {\"deny\": [\n\"git push\"]}}", err: `:2: permissions.deny[0]: the rule "git push" has no kind`},
		"not ours":       {text: "{}", change: func(_ *testing.T, f *settings.SystemFile) { f.Owner++ }, err: "the file must belong to user ", unix: true},
		"writable":       {text: "{}", change: func(t *testing.T, f *settings.SystemFile) { chmod(t, f.Path, 0o646) }, err: "the file must not be writable by other users", unix: true},
		"group":          {text: "{}", change: func(t *testing.T, f *settings.SystemFile) { chmod(t, f.Path, 0o664) }, err: "the file must not be writable by other users", unix: true},
		"open directory": {text: "{}", change: func(t *testing.T, f *settings.SystemFile) { chmod(t, filepath.Dir(f.Path), 0o777) }, err: "its directory must not be writable by other users", unix: true},
		"a directory": {text: "{}", change: func(t *testing.T, f *settings.SystemFile) {
			f.Path = filepath.Dir(f.Path)
		}, err: "not a regular file", unix: true},
		"unreadable": {text: "{}", change: func(t *testing.T, f *settings.SystemFile) {
			if os.Geteuid() == 0 {
				t.Skip("root can read every file")
			}
			chmod(t, f.Path, 0)
		}, err: "permission denied", unix: true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.unix && runtime.GOOS == "windows" {
				t.Skip("Windows has no file modes")
			}
			f := policyFile(t, c.text)
			if c.change != nil {
				c.change(t, &f)
			}
			if got, err := f.Read(); err == nil || !strings.Contains(err.Error(), f.Path) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %v, %v, want an error with the path and %q", got, err, c.err)
			}
		})
	}
}

// The system policy of the real program belongs to root.
func TestSystemFile(t *testing.T) {
	if f := settings.System(); f.Owner != 0 || !filepath.IsAbs(f.Path) || filepath.Base(f.Path) != "policy.json" {
		t.Errorf("got %+v", f)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
