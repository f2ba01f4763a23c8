package tools_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/sampling"
	"agent/internal/tools"
	"agent/internal/tools/caches"
	"agent/internal/tools/confine"
	"agent/internal/tools/protect"
	"agent/internal/tools/shell/sandbox"
	"agent/internal/tools/workspace"
)

// confined is the home directory of a user with a workspace in it, and the tools that
// run commands there in the complete sandbox.
type confined struct {
	commands
	home, dir string
	area      *confine.Area
	caches    *caches.Caches // see confine.Options
	form      sandbox.Form   // of new sandboxes
	jobs      *tools.Jobs
}

// confineCommands is like confineAlways, and skips the test with -short: the race detector sees
// the same goroutines in the tests that confineAlways serves.
func confineCommands(t testing.TB) *confined {
	t.Helper()
	if testing.Short() {
		t.Skip("make test runs it")
	}
	return confineAlways(t)
}

// confineAlways returns an empty workspace. It skips the test if this system has no complete
// sandbox.
func confineAlways(t testing.TB) *confined {
	t.Helper()
	if r := sandbox.Probe(); r.Form != sandbox.Complete {
		t.Skip("the complete sandbox does not work here: ", r.Reason)
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &confined{home: filepath.Join(top, "home"), dir: filepath.Join(top, "home", "src", "work"), form: sandbox.Complete}
	for _, dir := range []string{c.dir, filepath.Join(top, "tmp"), filepath.Join(c.home, ".ssh"), filepath.Join(c.home, ".state")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"HOME": c.home, "TMPDIR": filepath.Join(top, "tmp"), "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "", "GOCACHE": "", "GOFLAGS": "-mod=mod", "GOPATH": ""} {
		t.Setenv(name, value)
	}
	for file, text := range map[string]string{".ssh/id_ed25519": "key\n", ".state/log": "log\n", ".gitconfig": "[user]\n\tname = u\n\temail = u@h.test\n", "notes": "notes\n"} {
		put(t, filepath.Join(c.home, file), text)
	}
	c.in(t, c.dir)
	return c
}

// in moves the workspace to dir, with a sandbox of its own.
func (c *confined) in(t testing.TB, dir string) {
	t.Helper()
	session := sandbox.NewSession(c.form)
	t.Cleanup(session.Close)
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	c.dir = dir
	c.area = confine.New(confine.Options{
		Workspace: dir, Private: []string{filepath.Join(c.home, ".state")}, UserPaths: sandbox.UserPaths{Home: c.home, Env: os.Getenv},
		Fixed:     func() []string { return []string{filepath.Join(c.home, ".bashrc"), filepath.Join(dir, "fixed")} },
		Protected: protectedNames, Session: func() *sandbox.Session { return session }, Caches: c.caches,
	})
	c.jobs = tools.NewJobs()
	t.Cleanup(c.jobs.Close)
	c.commands = commands{t, tools.Commands{Workspace: ws, Area: c.area}.Tools(c.jobs)}
}

var protectedNames = protect.New([]protect.Name{{Path: ".envrc", Why: usedByOthers}, {Path: ".vscode", Why: usedByOthers}, {Path: ".github/workflows", Why: usedByOthers}})

const usedByOthers = "other programs run it"

func put(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c *confined) put(name, text string) { c.t.Helper(); put(c.t, filepath.Join(c.dir, name), text) }

// git runs git in the workspace, as the user.
func (c *confined) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// sh runs a command with an access.
func (c *confined) sh(line string, access tools.Access) tools.Result {
	c.t.Helper()
	return c.runApproved(line, tools.Approved{Access: access})
}

// runApproved runs a command as it was approved.
func (c *confined) runApproved(line string, ok tools.Approved) tools.Result {
	c.t.Helper()
	call, err := c.prepare("shell", obj{"command": line})
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := call.Run(c.t.Context(), ok)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// ok runs a command that must succeed without anything being undone.
func (c *confined) ok(line string) string {
	c.t.Helper()
	r := c.sh(line, tools.Access{})
	if r.IsError || r.Blocked != nil || !strings.HasPrefix(r.Summary, "exit 0 · ") || strings.Count(r.Summary, "·") > 1 {
		c.t.Errorf("%s: %s\n%s", line, r.Summary, r.Text)
	}
	return r.Text
}

func (c *confined) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(c.dir, name))
	return err == nil
}

func (c *confined) text(name string) string {
	c.t.Helper()
	b, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Error(err)
	}
	return string(b)
}

// A command of the model cannot change or read what is not its business, and the result
// says so.
func TestCommandsStayInTheWorkspace(t *testing.T) {
	c := confineCommands(t)
	c.git("init", "-q")
	c.put(".envrc", "user\n")
	c.put("fixed", "user\n")
	c.put("sub/.vscode/tasks.json", "{}\n")
	for line, path := range map[string]string{
		"echo x >" + c.home + "/new":       c.home + "/new",
		"echo x >>~/notes":                 c.home + "/notes",
		"rm ~/notes":                       c.home + "/notes",
		"echo x >.git/hooks/pre-commit":    c.dir + "/.git/hooks/pre-commit",
		"(cd .git && echo x >hooks/new)":   "",
		"echo x >.envrc":                   c.dir + "/.envrc",
		"mv .envrc e":                      c.dir + "/.envrc",
		"echo x >fixed":                    c.dir + "/fixed",
		"echo x >sub/.vscode/tasks.json":   c.dir + "/sub/.vscode/tasks.json",
		"cat ~/.ssh/id_ed25519":            "",
		"! ls -A ~/.ssh | grep . && false": "",
	} {
		r := c.sh(line, tools.Access{})
		if !r.IsError {
			t.Errorf("%s: %s", line, r.Text)
		}
		if path != "" && (r.Blocked == nil || r.Blocked.Path != path || !strings.Contains(r.Text, "the sandbox probably caused this failure: commands cannot write to "+path)) {
			t.Errorf("%s: %+v\n%s", line, r.Blocked, r.Text)
		}
	}
	for name, want := range map[string]string{".envrc": "user\n", "fixed": "user\n", "sub/.vscode/tasks.json": "{}\n", "../../notes": "notes\n"} {
		if got := c.text(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	r := c.sh("echo x >~/new && cat ~/.ssh/id_ed25519", tools.Access{Outside: true})
	if r.IsError || !strings.HasPrefix(r.Text, "key\n") {
		t.Errorf("outside the sandbox: %s", r.Text)
	}
}

// A call that the sandbox has blocked can be run again with another access.
func TestBlockedCommandRunsAgain(t *testing.T) {
	c := confineCommands(t)
	call, err := c.prepare("shell", obj{"command": "echo x >~/new && echo done"})
	if err != nil {
		t.Fatal(err)
	}
	first, err := call.Run(t.Context(), tools.Approved{})
	if err != nil || first.Blocked == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := call.Run(t.Context(), tools.Approved{Access: tools.Access{Outside: true}})
	if err != nil || second.IsError || second.Blocked != nil || !strings.HasPrefix(second.Text, "done\n") {
		t.Errorf("%+v, %v", second, err)
	}
}

// Ordinary work needs no access: builds fill their caches, git commits, files are
// moved.
func TestOrdinaryWorkInTheSandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many commands, and runs without -short")
	}
	c := confineCommands(t)
	c.git("init", "-q")
	c.put("go.mod", "module m\n\ngo 1.26\n")
	c.put("main.go", "package m\n") // without imports: the cache of the new home is empty
	t.Setenv("GOTOOLCHAIN", "local")
	if _, err := exec.LookPath("go"); err == nil {
		c.ok("go build .")
		if _, err := os.Stat(filepath.Join(c.home, ".cache", "go-build", "README")); err != nil {
			t.Error("the build did not use the cache of the user: ", err)
		}
	}
	c.ok("git add . && git commit -qm one && git branch two && git config remote.origin.url https://h.test/r && mkdir -p a/b && git mv main.go a/b && git commit -qam two")
	if got := c.git("log", "--format=%s"); got != "two\none" {
		t.Error(got)
	}
	if got := c.git("config", "remote.origin.url"); got != "https://h.test/r" {
		t.Error(got)
	}
	if out := c.ok(`printf '#!/bin/sh\necho built\n' >m && chmod 755 m && ./m`); !strings.HasPrefix(out, "built\n") {
		t.Error(out)
	}
	c.ok("f=$(mktemp) && echo x >$f && mv $f moved && ln -s moved l && chmod 755 moved && cat l")
	c.ok("git init -q sub && cd sub && echo x >f && git add f && git commit -qm sub")
}

// A worktree and a directory below the top of a repository can commit; a .git file that
// names any other directory does not make that directory writable.
func TestCommitsOutsideOfTheMainWorktree(t *testing.T) {
	c := confineCommands(t)
	top := c.dir
	c.git("init", "-q")
	c.put("sub/f", "x\n")
	c.git("add", ".")
	c.git("commit", "-qm", "one")
	c.git("worktree", "add", "-q", "../linked")
	c.in(t, filepath.Join(top, "sub"))
	c.ok("echo y >f && git commit -qam two")
	c.in(t, filepath.Join(filepath.Dir(top), "linked"))
	c.ok("echo z >sub/f && git commit -qam three")
	if got := c.git("log", "--format=%s", "--all"); !strings.Contains(got, "two") || !strings.Contains(got, "three") {
		t.Error(got)
	}
	r := c.sh("echo x >"+top+"/.git/hooks/post-commit; echo x >"+top+"/new; echo x >.git", tools.Access{})
	if n := strings.Count(r.Text, "Read-only file system") + strings.Count(r.Text, "Permission denied"); n != 3 {
		t.Error(r.Text)
	}
	for _, file := range []string{"gitdir: " + c.home + "\n", "gitdir: " + c.home + "/.state\n"} {
		c.in(t, filepath.Join(c.home, "src"))
		c.put(".git", file)
		if r := c.sh("echo x >~/new; echo x >~/.state/log", tools.Access{}); strings.Count(r.Text, "Read-only file system")+strings.Count(r.Text, "Permission denied") != 2 {
			t.Errorf("%s: %s", file, r.Text)
		}
	}
}

// Protected files that a command creates are renamed, and the settings of git that run
// programs are reverted; nothing else is.
func TestProtectedChangesAreUndone(t *testing.T) {
	c := confineCommands(t)
	c.git("init", "-q")
	c.git("config", "core.pager", "less")
	c.git("config", "core.worktree", c.dir)
	c.put("d/f", "x\n")
	c.put("shared", "shared\n")
	if err := os.Symlink("../shared", filepath.Join(c.dir, "d", ".envrc")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		line    string
		summary string // what was undone
		absent  string // files that do not exist afterwards
	}{
		{"echo evil >.envrc", "removed .envrc", ".envrc"},
		{"mkdir -p new/deep/.vscode && echo evil >new/deep/.vscode/tasks.json", "removed new/deep/.vscode", "new/deep/.vscode"},
		{"mkdir -p .github/workflows", "removed .github/workflows", ".github/workflows"},
		{"ln -s /etc/passwd new/.envrc", "removed new/.envrc", "new/.envrc"},
		{"rm d/.envrc; echo evil >d/.envrc", "removed d/.envrc", ""},
		{"echo evil >fixed", "removed fixed", "fixed"},
		{"git config core.fsmonitor ./evil; git config user.name new", "reverted .git/config", ""},
		{"git config core.pager ./evil", "reverted .git/config", ""},
		{"git config --unset core.pager", "reverted .git/config", ""},
		{"git config alias.st '!evil'; git config filter.x.smudge evil; git config include.path ../shared", "reverted .git/config", ""},
		{"git config lfs.customtransfer.x.path ./evil", "reverted .git/config", ""},
		{"git config instaweb.httpd ./evil", "reverted .git/config", ""},
		{"git config remote.x.url 'ext::sh ./evil'", "reverted .git/config", ""},
		{"printf '[remote \"x\"]\n\turl = e\"x\"t::./evil\n' >>.git/config", "reverted .git/config", ""},
		{"printf '[core]fsmonitor = ./evil\n' >>.git/config", "reverted .git/config", ""},
		{"printf '[core]\n\tx = 1 # \\\\\n\tfsmonitor = ./evil\n' >>.git/config", "reverted .git/config", ""},
		{"printf '[user]email = \"a\\\\\n b\"\n[core]fsmonitor = ./e\\\\\nvil' >>.git/config", "reverted .git/config", ""},
		{"rm .git/config && mkfifo .git/config", "reverted .git/config", ""},
		{"rm .git/config && ln -s ../shared .git/config", "reverted .git/config", ""},
		{"echo ../../shared >.git/commondir", "removed .git/commondir", ".git/commondir"},
		{"printf '[core]\n\tfsmonitor = ./evil\n' >.git/config.worktree; git config extensions.worktreeConfig true", "reverted .git/config.worktree", ""},
		{"git init -q sub && echo evil >sub/.git/hooks/pre-commit && git -C sub config core.sshCommand evil && git -C sub config user.name x", "reverted sub/.git/config · removed sub/.git/hooks/pre-commit", "sub/.git/hooks/pre-commit"},
		{"git init -q --bare bare && echo evil >bare/hooks/update", "removed bare/hooks/update", "bare/hooks/update"},
	} {
		r := c.sh(row.line, tools.Access{})
		_, undone, _ := strings.Cut(r.Summary, "no output · ")
		if undone != row.summary || !strings.Contains(r.Text, "[the command c") {
			t.Errorf("%s: undone %q\n%s", row.line, undone, r.Text)
		}
		if row.absent != "" && c.exists(row.absent) {
			t.Errorf("%s: %s exists", row.line, row.absent)
		}
	}
	if got := c.text(".envrc.agent-removed"); got != "evil\n" {
		t.Errorf("the removed file holds %q", got)
	}
	if link, err := os.Readlink(filepath.Join(c.dir, "d", ".envrc")); link != "../shared" {
		t.Errorf("the link names %q, %v", link, err)
	}
	for name, want := range map[string]string{"core.pager": "less", "user.name": "new", "user.email": "a b", "extensions.worktreeConfig": "true"} {
		if got := c.git("config", name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if got := c.git("config", "--list"); strings.Contains(got, "evil") || strings.Contains(got, "include") {
		t.Error(got)
	}
	if got := c.ok("git status --short | wc -l"); got == "" {
		t.Error(got)
	}
}

// A command cannot hide protected files behind many other files and directories.
func TestProtectedPathsAmongManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	c := confineCommands(t)
	c.git("init", "-q")
	c.put("d/f", "x\n")
	c.ok("(mkdir many; cd many && seq 600 | xargs mkdir)")
	large := []string{"."}
	if sampling.Whole() {
		large = append(large, "many/600")
	}
	for _, dir := range large {
		for i := range 20500 {
			if err := os.WriteFile(filepath.Join(c.dir, dir, fmt.Sprint("f", i)), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := c.sh("for d in . d many/600; do (cd $d && echo evil >.envrc && mkdir .vscode && echo evil >.vscode/tasks.json); done; git config core.fsmonitor ./evil; echo evil >.git/hooks/post-checkout", tools.Access{})
	for _, dir := range []string{"", "d/", "many/600/"} {
		for _, name := range []string{".envrc", ".vscode"} {
			if c.exists(dir+name) || !strings.Contains(r.Summary, "removed "+dir+name) {
				t.Errorf("%s%s is left: %s", dir, name, r.Summary)
			}
		}
	}
	if c.exists(".git/hooks/post-checkout") || strings.Contains(c.git("config", "--list"), "evil") {
		t.Error("the repository runs programs")
	}
}

// Repositories that a command clones keep their files, except for what git would run.
func TestClonedRepositoryKeepsItsFiles(t *testing.T) {
	c := confineCommands(t)
	c.git("init", "-q", "../origin")
	for _, name := range []string{".envrc", ".vscode/tasks.json", ".github/workflows/ci.yml"} {
		put(t, filepath.Join(c.home, "src", "origin", name), "data\n")
	}
	c.git("-C", "../origin", "add", ".")
	c.git("-C", "../origin", "commit", "-qm", "one")
	c.ok("git clone -q ../origin clone && cat clone/.envrc && git -C clone status --short")
	c.ok("mkdir -p node_modules/p/.vscode && touch node_modules/p/.envrc")
}

// Commands and jobs reach each other's servers, but not those of the host, unless the
// network is approved.
func TestNetworkOfCommands(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	c := confineCommands(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, "host\n")
			conn.Close()
		}
	}()
	host := l.Addr().(*net.TCPAddr).Port
	c.put("fetch.py", "import socket,sys\nprint(socket.create_connection(('127.0.0.1',int(sys.argv[1])),10).makefile().read(),end='')\n")
	c.put("serve.py", "import socket\ns=socket.create_server(('127.0.0.1',0))\nprint(s.getsockname()[1],flush=True)\nwhile True:\n  c,_=s.accept()\n  c.sendall(b'job\\n')\n  c.close()\n")
	fetch := func(port int) string {
		return fmt.Sprintf("python3 fetch.py %d 2>&1 || (echo 127.0.0.1:%d; exit 1)", port, port)
	}
	if r := c.sh("env | grep npm_config_fetch_retries", tools.Access{}); !strings.HasPrefix(r.Text, "npm_config_fetch_retries=0\n") {
		t.Error(r.Text)
	}
	if r := c.sh(fetch(host), tools.Access{}); !r.IsError || !strings.Contains(r.Text, "refused") || r.Blocked == nil || r.Blocked.Address != l.Addr().String() {
		t.Errorf("without network: %+v\n%s", r.Blocked, r.Text)
	}
	if r := c.sh("echo dial tcp "+l.Addr().String()+": connect: connection refused; exit 1", tools.Access{}); r.Blocked != nil {
		t.Errorf("%+v\n%s", r.Blocked, r.Text)
	}
	if r := c.sh(fetch(host), tools.Access{Network: true}); r.IsError || !strings.HasPrefix(r.Text, "host\n") {
		t.Errorf("with network: %s", r.Text)
	}
	job := c.run("jobs", obj{"action": "start", "command": "python3 serve.py"})
	port, all := 0, job.Text
	for deadline := time.Now().Add(time.Minute); port == 0 && time.Now().Before(deadline); {
		for line := range strings.Lines(job.Text) {
			if _, err := fmt.Sscanf(line, "%d", &port); err == nil {
				break
			}
		}
		if port == 0 {
			job = c.run("jobs", obj{"action": "read", "id": 1, "wait_seconds": 1})
			all += job.Text
		}
	}
	for range 2 {
		all += c.run("jobs", obj{"action": "read", "id": 1}).Text
	}
	if strings.Count(all, fmt.Sprintf("[listening in the sandbox on port %d: ", port)) != 1 {
		t.Errorf("the port is not named once:\n%s", all)
	}
	if r := c.sh(fetch(port), tools.Access{}); r.IsError || !strings.HasPrefix(r.Text, "job\n") {
		t.Errorf("the server of the job at %d: %s", port, r.Text)
	}
	if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
		b, _ := io.ReadAll(conn)
		t.Errorf("the host reaches the job: %q", b)
	}
}

// SSH works with the network: its agent and the known hosts are visible, keys are not.
func TestNetworkShowsTheAgentOfSSH(t *testing.T) {
	c := confineCommands(t)
	put(t, filepath.Join(c.home, ".ssh", "known_hosts"), "host\n")
	dir, err := os.MkdirTemp("/tmp", "ssh-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "agent"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("SSH_AUTH_SOCK", l.Addr().String())
	const line = "ls -A ~/.ssh; test -S $SSH_AUTH_SOCK && echo agent; true"
	if r := c.sh(line, tools.Access{}); !strings.HasPrefix(r.Text, "[exit 0]") {
		t.Error(r.Text)
	}
	if r := c.sh(line, tools.Access{Network: true}); !strings.HasPrefix(r.Text, "known_hosts\nagent\n[exit 0]") {
		t.Error(r.Text)
	}
}

// A command without the network cannot change the source code of dependencies, which the
// user compiles later. The failure says that it needs the network.
func TestDownloadedSourcesStay(t *testing.T) {
	c := confineCommands(t)
	module := filepath.Join(c.home, "go/pkg/mod/example.org/m@v1.0.0")
	put(t, filepath.Join(module, "m.go"), "package m\n")
	c.put("go.mod", "module work\n")
	line := "echo x >" + filepath.Join(module, "m.go")
	if r := c.sh(line, tools.Access{}); !r.IsError || r.Blocked == nil || !r.Blocked.Network {
		t.Errorf("without the network: %+v\n%s", r.Blocked, r.Text)
	}
	if r := c.sh(line, tools.Access{Network: true}); r.IsError {
		t.Errorf("with the network: %s", r.Text)
	}
}

// A command that nobody approved sees only the workspace, toolchains and the
// configuration of git, and changes nothing.
func TestPrivateCommands(t *testing.T) {
	c := confineCommands(t)
	c.put("f", "x\n")
	put(t, filepath.Join(c.home, "bin", "tool"), "")
	t.Setenv("PATH", os.Getenv("PATH")+":"+filepath.Join(c.home, "bin"))
	r := c.sh("cd ~ && find . ! -path './src/work/*' | sort; cat .gitconfig | head -1; cat src/work/f; echo y >src/work/f; echo y >~/new; echo y >src/work/.envrc; true", tools.Access{Private: true})
	text, _, _ := strings.Cut(r.Text, "/bin/bash:")
	text = strings.TrimSuffix(text, "/usr")
	want := ".\n./.gitconfig\n./bin\n./bin/tool\n./src\n./src/work\n[user]\nx\n"
	if d := cmp.Diff(text, want); d != "" {
		t.Errorf("%s\n%s", d, r.Text)
	}
	if c.text("f") != "x\n" || c.exists(".envrc") || c.exists("../../new") {
		t.Error("the command changed something")
	}
}

// Files that may hold secrets are empty for a private command.
func TestPrivateCommandSeesNoSecrets(t *testing.T) {
	c := confineCommands(t)
	c.put("f", "x1\n")
	c.put("sub/.env", "x2\n")
	access := tools.Access{Private: true, Hide: []string{filepath.Join(c.dir, "sub/.env"), filepath.Join(c.dir, "gone.pem")}}
	r := c.sh("grep -r x . ; cat sub/.env; find . -type f -print0 | xargs -0 cat", access)
	if text, _, _ := strings.Cut(r.Text, "["); text != "./f:x1\nx1\n" {
		t.Error(r.Text)
	}
	if text := c.sh("cat sub/.env", tools.Access{}).Text; !strings.HasPrefix(text, "x2\n") {
		t.Error(text)
	}
}

// A job is checked when it ends.
func TestJobIsChecked(t *testing.T) {
	c := confineCommands(t)
	c.run("jobs", obj{"action": "start", "command": "echo evil >.envrc; read line"})
	if !c.exists(".envrc") {
		t.Fatal("the job did not run in time")
	}
	r := c.run("jobs", obj{"action": "stop", "id": 1})
	if c.exists(".envrc") || !strings.Contains(r.Text, "the command created .envrc") || !strings.HasSuffix(r.Summary, "removed .envrc") {
		t.Errorf("%s\n%s", r.Summary, r.Text)
	}
	c.run("jobs", obj{"action": "start", "command": "echo evil >.envrc; read line"})
	c.jobs.Close()
	if got := c.jobs.Undone(); len(got) != 1 || !strings.HasPrefix(got[0], "the command created .envrc") || c.exists(".envrc") {
		t.Errorf("at the end of the session: %q", got)
	}
}

// BenchmarkCommand measures a command of the model without and with the sandbox, and
// with the sandbox in a workspace of 1,000 directories.
func BenchmarkCommand(b *testing.B) {
	c := confineCommands(b)
	c.git("init", "-q")
	measure := func(name string, access tools.Access) {
		b.Run(name, func(b *testing.B) {
			least := time.Hour // of all runs: other work on the machine only adds to it
			for b.Loop() {
				began := time.Now()
				if r := c.sh("true", access); r.IsError {
					b.Fatal(r.Text)
				}
				least = min(least, time.Since(began))
			}
			b.ReportMetric(float64(least.Microseconds())/1000, "least-ms")
		})
	}
	measure("plain", tools.Access{Outside: true})
	measure("sandbox", tools.Access{})
	measure("private", tools.Access{Private: true})
	for i := range 1000 {
		put(b, filepath.Join(c.dir, fmt.Sprint("d", i/30), fmt.Sprint("e", i%30), "f"), "x")
	}
	measure("large", tools.Access{})
	b.Run("check", func(b *testing.B) { // of the large workspace, without the command
		for b.Loop() {
			c.area.Begin(confine.Extent{}).End()
		}
	})
}

// A command can change exactly the paths outside the workspace that were approved, and
// never protected ones in them.
func TestApprovedWritesOutside(t *testing.T) {
	c := confineCommands(t)
	notes := filepath.Join(c.home, "lists")
	for _, name := range []string{"log", "other", "dir/x"} {
		put(t, filepath.Join(notes, name), "old\n")
	}
	put(t, filepath.Join(c.home, ".bashrc"), "old\n")
	log, dir := filepath.Join(notes, "log"), filepath.Join(notes, "dir")
	if r := c.sh("echo new >>"+log+" && rm "+dir+"/x && touch "+dir+"/y", tools.Access{Write: []string{log, dir}}); r.IsError || r.Blocked != nil {
		t.Errorf("the approved writes: %s", r.Text)
	}
	if r := c.sh("touch "+notes+"/new; echo x >"+notes+"/other", tools.Access{Write: []string{log, dir}}); !r.IsError {
		t.Errorf("writes beside them: %s", r.Text)
	}
	if r := c.sh("echo x >"+c.home+"/.bashrc", tools.Access{Write: []string{c.home}}); !r.IsError {
		t.Errorf("a protected file in an approved directory: %s", r.Text)
	}
	for name, want := range map[string]string{"lists/log": "old\nnew\n", "lists/other": "old\n", ".bashrc": "old\n"} {
		if got, err := os.ReadFile(filepath.Join(c.home, name)); string(got) != want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]bool{"lists/dir/x": false, "lists/dir/y": true, "lists/new": false} {
		if _, err := os.Lstat(filepath.Join(c.home, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it to exist: %v", name, err, want)
		}
	}
}

// A command sees the hidden files that the user approved, and no others. It says so if it
// misses one.
func TestApprovedHiddenFiles(t *testing.T) {
	c := confineCommands(t)
	put(t, filepath.Join(c.home, ".netrc"), "netrc\n")
	put(t, filepath.Join(c.home, ".ssh", "config"), "config\n")
	key, netrc := filepath.Join(c.home, ".ssh", "id_ed25519"), filepath.Join(c.home, ".netrc")
	if r := c.sh("cat ~/.ssh/id_ed25519 ~/.netrc", tools.Access{Show: []string{key, netrc}}); r.IsError || !strings.HasPrefix(r.Text, "key\nnetrc\n") {
		t.Errorf("approved: %s", r.Text)
	}
	if r := c.sh("cat ~/.ssh/config", tools.Access{Show: []string{key}}); r.Blocked == nil || !r.Blocked.Read || r.Blocked.Path != filepath.Join(c.home, ".ssh", "config") {
		t.Errorf("another file: %+v\n%s", r.Blocked, r.Text)
	}
	if r := c.sh("echo x >>~/.netrc; echo x >>~/.ssh/id_ed25519", tools.Access{Show: []string{key, netrc}}); !r.IsError {
		t.Errorf("writing: %s", r.Text)
	}
}

// A command can change the protected paths that the user approved. Others in the same
// directory, and those that it creates, stay protected.
func TestApprovedProtectedPaths(t *testing.T) {
	c := confineCommands(t)
	c.git("init", "-q")
	c.put(".git/hooks/old", "old\n")
	c.put(".vscode/tasks.json", "old\n")
	c.put(".github/workflows/ci.yml", "old\n")
	for _, row := range []struct {
		line     string
		approved []string
		undone   string            // in the summary
		want     map[string]string // content of files; "" means that there is none
		fails    bool
	}{
		{line: "echo x >.envrc", approved: []string{".envrc"}, want: map[string]string{".envrc": "x\n"}},
		{line: "echo y >.envrc", approved: []string{".envrc"}, want: map[string]string{".envrc": "y\n"}},
		{line: "rm .envrc", approved: []string{".envrc"}, want: map[string]string{".envrc": ""}},
		{line: "mkdir sub && echo x >.envrc && echo x >sub/.envrc", approved: []string{".envrc"}, undone: "removed sub/.envrc",
			want: map[string]string{".envrc": "x\n", "sub/.envrc": ""}},
		{line: "echo x >.git/hooks/new; echo x >.git/hooks/more; echo x >.git/hooks/old", approved: []string{".git/hooks/new"}, undone: "removed .git/hooks/more",
			want: map[string]string{".git/hooks/new": "x\n", ".git/hooks/more": "", ".git/hooks/old": "old\n"}, fails: true},
		{line: "mv .git/hooks .git/h", approved: []string{".git/hooks/new"}, want: map[string]string{".git/hooks/old": "old\n"}, fails: true},
		{line: "echo x >.vscode/settings.json; echo x >.vscode/launch.json; echo x >.vscode/tasks.json", approved: []string{".vscode/settings.json"}, undone: "removed .vscode/launch.json",
			want: map[string]string{".vscode/settings.json": "x\n", ".vscode/launch.json": "", ".vscode/tasks.json": "old\n"}, fails: true},
		{line: "mkdir sub/.vscode && echo x >sub/.vscode/settings.json && echo x >sub/.vscode/tasks.json", approved: []string{"sub/.vscode/settings.json"}, undone: "removed sub/.vscode/tasks.json",
			want: map[string]string{"sub/.vscode/settings.json": "x\n", "sub/.vscode/tasks.json": ""}},
		{line: "sed -i s/old/new/ .github/workflows/ci.yml; echo x >>.envrc", approved: []string{".github/workflows/ci.yml"},
			want: map[string]string{".github/workflows/ci.yml": "new\n", ".envrc": "x\n"}, fails: true},
		{line: "git config core.pager cat; git config user.name x", approved: []string{".git/config"}, want: map[string]string{}},
		{line: "echo x >fixed", approved: []string{"fixed"}, want: map[string]string{"fixed": "x\n"}},
	} {
		var approved []string
		for _, name := range row.approved {
			approved = append(approved, filepath.Join(c.dir, name))
		}
		r := c.sh(row.line, tools.Access{Protected: approved})
		if _, undone, _ := strings.Cut(r.Summary, " · removed "); r.IsError != row.fails || undone != strings.TrimPrefix(row.undone, "removed ") {
			t.Errorf("%s: %s\n%s", row.line, r.Summary, r.Text)
		}
		for name, want := range row.want {
			if c.exists(name) != (want != "") || want != "" && c.text(name) != want {
				t.Errorf("%s: %s is not %q\n%s", row.line, name, want, r.Text)
			}
		}
	}
	if got := c.git("config", "core.pager"); got != "cat" {
		t.Errorf("core.pager is %q", got)
	}
}
