//go:build unix

package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/event"
	"agent/internal/loop/evidence"
	"agent/internal/sampling"
	"agent/internal/tools"
	"agent/internal/tools/check"
	"agent/internal/tools/workspace"
)

// project is a workspace with a ledger, in which the check programs exit with the code
// that is their last argument, and append their arguments to the file "ran".
type project struct {
	t      *testing.T
	dir    string
	ledger *evidence.Ledger
	around tools.Interceptors
	tools  []tools.Tool
	typed  func(string, bool) (tools.Call, error)
}

func newProject(t *testing.T, all ...check.Check) *project {
	t.Helper()
	bin, dir := t.TempDir(), t.TempDir()
	const program = "#!/bin/sh\necho \"$@\" >>\"$RAN\"\necho \"ok $*\"\nfor last; do :; done\ncase $last in [0-9]*) exit $last;; wait) read -r _ <\"$RAN.wait\";; esac\nexit 0\n"
	for _, name := range []string{"go", "make", "pytest", "gofmt", "eslint", "npm"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(program), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("RAN", filepath.Join(bin, "ran"))
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	jobs := tools.NewJobs()
	t.Cleanup(func() { jobs.Close(); ws.Close() })
	commands := tools.Commands{Workspace: ws}
	minutes := 0
	l := evidence.New(ws.Dir(), jobs, func() time.Time {
		minutes++
		return time.Date(2026, 11, 1, 14, minutes, 0, 0, time.UTC)
	})
	configured := check.New(commands, all)
	return &project{
		t: t, dir: dir, ledger: l, around: tools.Intercept(recording(t, l, 0), configured),
		tools: append(append(tools.Files(ws, nil), commands.Tools(jobs)...), configured.Tools()...), typed: commands.Typed(jobs),
	}
}

// call runs a call of the model.
func (p *project) call(ctx context.Context, name string, args map[string]any) tools.Result {
	p.t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, tool := range p.tools {
		if tool.Spec().Name != name {
			continue
		}
		in := tools.Info{ID: "c", Tool: name, Args: b, Step: 1}
		c, err := p.around.Prepare(ctx, in, tool)
		if err != nil {
			p.t.Fatal(err)
		}
		r, err := p.around.Run(ctx, in, c, tools.Approved{Changes: c.Changes})
		if err != nil && ctx.Err() == nil {
			p.t.Fatal(err)
		}
		return r
	}
	p.t.Fatalf("there is no tool %s", name)
	return tools.Result{}
}

func (p *project) shell(line string) {
	p.t.Helper()
	p.call(p.t.Context(), "shell", map[string]any{"command": line})
}

func (p *project) write(name string) {
	p.t.Helper()
	p.call(p.t.Context(), "write", map[string]any{"path": name, "content": fmt.Sprintf("%p", new(int))})
}

// user runs a command that the user typed.
func (p *project) user(line string) {
	p.t.Helper()
	c, err := p.typed(line, true)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.around.Run(p.t.Context(), tools.Info{ID: "typed-1", Tool: "shell"}, c, tools.Approved{}); err != nil {
		p.t.Fatal(err)
	}
}

// TestEvidenceLine runs commands and edits, and compares the line at the end of the turn.
func TestEvidenceLine(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for name, c := range sampling.Rows(map[string]struct {
		steps []string // "edit NAME", "! COMMAND" of the user, or a command of the model
		want  string
	}{
		"nothing":                           {nil, ""},
		"only other commands":               {[]string{"ls", "touch a"}, ""},
		"a test passes":                     {[]string{"edit a", "go test ./... 0"}, "tests passed (go test ./... 0, 14:01) · nothing edited since"},
		"a test fails":                      {[]string{"go test 1"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"edited, never checked":             {[]string{"edit a", "edit b", "edit a"}, "not checked: 2 files edited, no check ran"},
		"edited after the tests":            {[]string{"go test 0", "edit a", "edit b"}, "not checked: 2 files edited after the last test run (go test 0, 14:01)"},
		"edited after failing tests":        {[]string{"go test 1", "edit a"}, "tests failed (go test 1, 14:01) · 1 file edited since"},
		"a failure is ignored":              {[]string{"go test 1 || true"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"a failure is not ignored":          {[]string{"go test 0 || exit 1"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"piped":                             {[]string{"go test 1 2>&1 | tail -5"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"piped and passed":                  {[]string{"go test 0 2>&1 | grep -v x | tail -5"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"piped earlier":                     {[]string{"go test 0 | tail -5; ls"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"piped with pipefail":               {[]string{"set -o pipefail; go test 0 | tail -5"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"in another directory":              {[]string{"cd sub && go test 1"}, "tests failed (go test 1 in sub, 14:01) · nothing edited since"},
		"the directory of the next one":     {[]string{"cd sub", "go test 0"}, "tests passed (go test 0 in sub, 14:01) · nothing edited since"},
		"a directory that is missing":       {[]string{"cd none && go test 0"}, "tests may not have run (go test 0 in none, 14:01: another part of the command may have failed) · nothing edited since"},
		"a chain fails":                     {[]string{"go build 1 && go test 0"}, "tests may not have run (go test 0, 14:02: another part of the command may have failed) · nothing edited since · also failed: go build 1"},
		"a chain passes":                    {[]string{"go vet 0 && go test 0"}, "tests passed (go test 0, 14:02) · nothing edited since"},
		"followed by another command":       {[]string{"go test 1; echo done"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"in a subshell":                     {[]string{"(cd sub; go test 1); echo done"}, "tests failed (go test 1 in sub, 14:01) · nothing edited since"},
		"in a loop":                         {[]string{"for p in 0 1 0; do go test $p; done"}, "tests passed (go test 0, 14:01) · nothing edited since · also failed: go test 1"},
		"in a loop over directories":        {[]string{"for d in sub; do (cd $d && go test 1); done", "go test 0"}, "tests passed (go test 0, 14:02) · nothing edited since · also failed: go test 1"},
		"after a loop":                      {[]string{"for p in a; do echo $p; done; go test 1 | tail; ls"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"into a file":                       {[]string{"go test 1 >/dev/null 2>&1; echo ok"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"in a substitution":                 {[]string{"x=$(go test 1); echo $x"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"below timeout":                     {[]string{"timeout 60 go test 1 | tail -1; echo"}, "tests failed (timeout 60 go test 1, 14:01) · nothing edited since"},
		"ended by timeout":                  {[]string{"mkfifo \"$RAN.wait\"; timeout 0.2 go test wait; echo"}, "tests interrupted (timeout 0.2 go test wait, 14:01) · nothing edited since"},
		"negated":                           {[]string{"! go test 1; echo"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"in the background":                 {[]string{"go test 1 & wait; echo"}, "tests ran, result unknown (go test 1, 14:01: started in the background) · nothing edited since"},
		"a failure was repaired":            {[]string{"go test -run A ./a 1", "go test -v ./... 1 0"}, "tests passed (go test -v ./... 1 0, 14:02) · nothing edited since"},
		"another test passed later":         {[]string{"go test ./a 1", "go test -run A ./... 0"}, "tests passed (go test -run A ./... 0, 14:02) · nothing edited since · also failed: go test ./a 1"},
		"a script exits before":             {[]string{"exit 0; go test 0"}, "tests may not have run (go test 0, 14:01: the command may have exited before) · nothing edited since"},
		"a trap sets the exit code":         {[]string{"trap 'exit 0' EXIT; go test 1"}, "tests may not have run (go test 1, 14:01: the command redefines its parts or its exit code) · nothing edited since"},
		"a function in place of a program":  {[]string{"go() { true; }; go test 1"}, "tests may not have run (go test 1 in an unknown directory, 14:01: the command redefines its parts or its exit code) · nothing edited since"},
		"another PATH":                      {[]string{"PATH=$PWD:$PATH go test 0"}, "tests may not have run (PATH=$PWD:$PATH go test 0, 14:01: the command redefines its parts or its exit code) · nothing edited since"},
		"another program in place of tests": {[]string{"go test -exec true 0"}, "tests may not have run (go test -exec true 0, 14:01: its options replace the program that runs) · nothing edited since"},
		"in a condition":                    {[]string{"if go test 1; then echo ok; fi"}, "tests failed (go test 1, 14:01) · nothing edited since"},
		"wrapped":                           {[]string{"CI=1 timeout 60 env A=b go test 1"}, "tests failed (CI=1 timeout 60 env A=b go test 1, 14:01) · nothing edited since"},
		"wrapped, with long options":        {[]string{"nohup timeout --signal KILL 60 go test 1"}, "tests failed (nohup timeout --signal KILL 60 go test 1, 14:01) · nothing edited since"},
		"not the exit code of the tests":    {[]string{"echo 0 | xargs go test"}, ""},
		"quoted":                            {[]string{`\go "te"st $'0'`}, `tests passed (\go "te"st $'0', 14:01) · nothing edited since`},
		"written to a file":                 {[]string{`f=out; go test 0 >&"$f"`}, `tests passed (go test 0, 14:01) · no edits since, but 1 command may have changed files`},
		"in a here-document":                {[]string{"cat <<'E'\ngo test 0\nE", "edit a"}, "not checked: 1 file edited, no check ran"},
		"only listed":                       {[]string{"go test -list . 0", "make -n test", "edit a"}, "not checked: 1 file edited, no check ran"},
		"a command after the tests":         {[]string{"go test 0", "sh gen.sh"}, "tests passed (go test 0, 14:01) · no edits since, but 1 command may have changed files"},
		"a command before the tests":        {[]string{"sh gen.sh; go test 0"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"a command after in the same line":  {[]string{"go test 0 && sed -i s/a/b/ x || true"}, "tests ran, result unknown (go test 0, 14:01: another part of the command may have failed) · no edits since, but 1 command may have changed files"},
		"a command that only reads":         {[]string{"go test 0", "git diff | head; cat x 2>/dev/null"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"a redirection is a change":         {[]string{"go test 0", "echo x > a.go"}, "tests passed (go test 0, 14:01) · no edits since, but 1 command may have changed files"},
		"a formatter that writes":           {[]string{"gofmt -w ."}, "formatter ran, result unknown (gofmt -w ., 14:01: its exit code says nothing) · no edits since, but 1 command may have changed files"},
		"a command that fetches a page":     {[]string{"go test 0", "curl -s --max-time 1 file:///none | head -1"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"a command that fetches a file":     {[]string{"go test 0", "curl -so f file:///none"}, "tests passed (go test 0, 14:01) · no edits since, but 1 command may have changed files"},
		"a directory in a variable":         {[]string{`D=sub; cd "$D" && go test 0`}, "tests passed (go test 0 in sub, 14:01) · nothing edited since"},
		"the tests count most":              {[]string{"go test 0", "eslint . 0"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"another check failed":              {[]string{"go test ./a 1", "eslint . 2", "go test ./b 0"}, "tests passed (go test ./b 0, 14:03) · nothing edited since · also failed: go test ./a 1 and 1 more"},
		"the last run counts":               {[]string{"make test", "edit a", "make test"}, "tests passed (make test, 14:02) · nothing edited since"},
		"a program is missing":              {[]string{"rspec"}, "tests may not have run (rspec, 14:01: a program could not be run) · nothing edited since"},
		"the user tests":                    {[]string{"edit a", "! go test 0"}, "tests passed (go test 0, 14:01) · nothing edited since"},
		"not a shell command":               {[]string{"go test 0 &&& (", "edit a"}, "not checked: 1 file edited, no check ran"},
	}) {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			for _, s := range c.steps {
				if file, ok := strings.CutPrefix(s, "edit "); ok {
					p.write(file)
				} else if line, ok := strings.CutPrefix(s, "! "); ok {
					p.user(line)
				} else {
					p.shell(s)
				}
			}
			if got := p.ledger.End().Line(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if e := p.ledger.End(); e != nil {
				t.Errorf("the next turn begins with %q", e.Line())
			}
		})
	}
}

// Commands that only print something, or skip their checks, are no checks.
func TestCommandsThatCheckNothing(t *testing.T) {
	for _, line := range []string{
		"command -v pytest", "command -V go test", "go test -h", "go test -n ./...", "go test -list=. ./...", "pytest --fixtures", "make -sn test", "npm ci", "npm install", "hash -p /bin/true go; go test 1",
		"export PATH=$PWD:$PATH; go test ./...", "PATH+=:.\ngo test ./...", "env PATH=$PWD:$PATH go test ./...", "declare -x PATH=$PWD:$PATH && go test ./...", "read -r PATH <<<$PWD:$PATH; go test ./...",
		"GOFLAGS=-exec=true go test ./...", "go test -exec=true ./...", "go test --exec true ./...", "go build -toolexec true ./...", "go vet -vettool=/bin/true ./...",
	} {
		p := newProject(t)
		p.shell(line)
		if e := p.ledger.End(); e != nil && strings.Contains(e.Line(), "passed") {
			t.Errorf("%s: %s", line, e.Line())
		}
	}
}

// TestNoFalseProof runs random scripts. A check that is said to have passed or failed
// has run, with that result.
func TestNoFalseProof(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	p := newProject(t)
	random := rand.New(rand.NewPCG(1, 2))
	proven := 0
	runs := 24
	if sampling.Whole() {
		runs = 80
	}
	for i := range runs {
		n := 0
		line := randomScript(random, 1+i%3, &n)
		_ = os.Remove(os.Getenv("RAN"))
		p.shell(line)
		text, _ := os.ReadFile(os.Getenv("RAN"))
		e := p.ledger.End()
		if e == nil {
			continue
		}
		for _, c := range e.Checks {
			ran := strings.Contains("\n"+string(text), "\n"+strings.TrimPrefix(c.Command, "go ")+"\n")
			passes := strings.HasSuffix(c.Command, " 0")
			switch {
			case c.Outcome == event.CheckPassed && (!ran || !passes), c.Outcome == event.CheckFailed && (!ran || passes), c.Outcome == event.CheckRan && !ran:
				t.Errorf("%s\n%s %s, but ran: %v", line, c.Command, c.Outcome, ran)
			case c.Outcome == event.CheckPassed, c.Outcome == event.CheckFailed:
				proven++
			}
		}
	}
	if proven < runs/6 {
		t.Errorf("only %d outcomes were proven", proven)
	}
}

// randomScript returns a script. N counts its checks, so that each is different.
func randomScript(r *rand.Rand, depth int, n *int) string {
	if depth == 0 || r.IntN(5) == 0 {
		if *n++; r.IntN(2) == 0 {
			return fmt.Sprintf("go test p%d %d", *n, r.IntN(2))
		}
		return []string{"true", "false", "echo x", "cd sub", "cd none", "set -e", "set -o pipefail", "set +e", "exit 0", "exit 1", "(exit 1)"}[r.IntN(11)]
	}
	a, b := randomScript(r, depth-1, n), randomScript(r, depth-1, n)
	switch r.IntN(10) {
	case 0, 1:
		return a + " && " + b
	case 2:
		return a + " || " + b
	case 3, 4:
		return a + "; " + b
	case 5:
		return "{ " + a + "; } | { " + b + "; }"
	case 6:
		return "(" + a + "); " + b
	case 7:
		return "{ " + a + "; } && " + b
	case 8:
		return "! { " + a + "; }; " + b
	}
	return "if " + a + "; then " + b + "; fi"
}

// TestConfiguredChecks records the checks of the configuration, after the edit that
// they follow.
func TestConfiguredChecks(t *testing.T) {
	p := newProject(t, check.Check{Files: "*.go", Command: "go vet {file} 1"}, check.Check{Files: "*.go", Command: "true"})
	p.write("a.go")
	p.write("b.txt")
	e := p.ledger.End()
	if got, want := e.Line(), "linter failed (go vet 'a.go' 1, "+e.Checks[0].Began.Format("15:04")+") · 1 file edited since"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range e.Checks {
		e.Checks[i].Began = time.Time{}
	}
	one, zero := 1, 0
	want := &event.Evidence{Edited: 2, Files: []string{"a.go", "b.txt"}, Checks: []event.CheckRun{
		{Kind: event.CheckLint, Command: "go vet 'a.go' 1", Outcome: event.CheckFailed, Code: &one, Report: "ok vet a.go 1", By: event.ByConfiguration, EditedSince: 1},
		{Kind: event.CheckOther, Command: "true", Outcome: event.CheckPassed, Code: &zero, By: event.ByConfiguration, EditedSince: 1},
	}}
	if d := cmp.Diff(want, e); d != "" {
		t.Error(d)
	}
}

// TestBackgroundCheck keeps a check that runs as a job until it ends, also in the next
// turn.
func TestBackgroundCheck(t *testing.T) {
	p := newProject(t)
	pipe := os.Getenv("RAN") + ".wait"
	p.shell("mkfifo " + pipe)
	p.call(t.Context(), "jobs", map[string]any{"action": "start", "command": "go test wait"})
	p.write("a")
	if got, want := p.ledger.End().Line(), "tests still running (go test wait, 14:01) · 1 file edited since"; got != want {
		t.Errorf("while it runs: got %q, want %q", got, want)
	}
	if e := p.ledger.End(); e != nil {
		t.Errorf("a turn without news: got %q", e.Line())
	}
	if err := os.WriteFile(pipe, []byte("go on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.call(t.Context(), "jobs", map[string]any{"action": "read", "id": 1, "wait_seconds": 60})
	if got, want := p.ledger.End().Line(), "not checked: 1 file edited after the last test run (go test wait, 14:01)"; got != want {
		t.Errorf("after its end: got %q, want %q", got, want)
	}
	if e := p.ledger.End(); e != nil {
		t.Errorf("after that: got %q", e.Line())
	}
}

// TestInterruptedCheck says so, and that a limit ended it.
func TestInterruptedCheck(t *testing.T) {
	p := newProject(t)
	p.shell("mkfifo " + os.Getenv("RAN") + ".wait")
	p.call(t.Context(), "shell", map[string]any{"command": "go test wait", "timeout_seconds": 1, "at_limit": "end"})
	if got, want := p.ledger.End().Line(), "tests interrupted (go test wait, 14:01: stopped after "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want it to begin with %q", got, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := tools.Approved{Progress: func(string) { stop() }}
	c, err := p.typed("go test wait", true)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = p.around.Run(ctx, tools.Info{ID: "typed-2", Tool: "shell"}, c, stopped)
	if got, want := p.ledger.End().Line(), "tests interrupted (go test wait, 14:02) · nothing edited since"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The evidence names the delegate that ran a check. It does not count as a newer run of the main agent's.
func TestChecksOfADelegate(t *testing.T) {
	p := newProject(t)
	p.shell("go test 1")
	p.around = tools.Intercept(recording(t, p.ledger, 2))
	p.shell("go test 1")
	checks := p.ledger.End().Checks
	if len(checks) != 2 || checks[0].Agent != "" || checks[1].Agent != "2" {
		t.Errorf("got %+v", checks)
	}
}
