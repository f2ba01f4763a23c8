package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/tools/shell/sandbox"
)

// sandboxRun runs a session in a new home in which the model calls tools, and returns
// the results of the calls.
func sandboxRun(t *testing.T, h home, calls ...string) map[string]string {
	t.Helper()
	return sandboxRunAs(t, h, []string{"--mode", "all"}, calls...)
}

func sandboxRunAs(t *testing.T, h home, flags []string, calls ...string) map[string]string {
	t.Helper()
	s := serve(t, call(calls...), say("done"))
	cmd := h.command(append(append([]string{"run", "--model", "openai/m", "--base-url", s.URL + "/v1"}, flags...), "go")...)
	out, err := cmd.CombinedOutput() // exit code 3: nobody can approve to run a command outside the sandbox
	if err != nil && cmd.ProcessState.ExitCode() != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	return s.seen()[1].results(t)
}

// repository returns a home whose working directory is a repository with a makefile,
// whose targets try what a command must not do. It skips the test if the complete
// sandbox does not work.
func repository(t *testing.T) home {
	t.Helper()
	if r := sandbox.Probe(); r.Form != sandbox.Complete {
		t.Skip("the complete sandbox does not work here: ", r.Reason)
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	h := newHome(t, map[string]string{
		"Makefile": "out:\n\techo x >../../new\nhook:\n\techo x >.git/hooks/pre-commit\nstate:\n\techo x >>../../.local/state/agent/permissions.key\n" +
			"envrc:\n\techo x >.envrc\nfsmonitor:\n\tgit config core.fsmonitor ./evil\ncommit:\n\tgit add . && git -c user.name=u -c user.email=u@h.test commit -qm one\n",
	})
	h.env = append(h.env, "TMPDIR="+t.TempDir())
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir = h.work
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return h
}

func shellCall(line string) string { return `{"command":` + quote(line) + `}` }

// The program runs the commands of the model in the sandbox, even those that a rule allows.
func TestModelsCommandsRunInTheSandbox(t *testing.T) {
	t.Parallel()
	h := repository(t)
	results := sandboxRunAs(t, h, []string{"--allow", "command: make"}, "shell", shellCall("make out"), "shell", shellCall("make hook"), "shell", shellCall("make envrc"),
		"shell", shellCall("make fsmonitor"), "shell", shellCall("make commit"), "jobs", `{"action":"start","command":"make out"}`)
	for id, want := range map[string]string{
		"call_0": "[the sandbox probably caused this failure: commands cannot write to " + h.dir + "/new.",
		"call_1": "[the sandbox probably caused this failure: commands cannot write to " + h.work + "/.git/hooks/pre-commit.",
		"call_2": "[the command created .envrc, which is protected (direnv runs it when you enter the directory); it was renamed to .envrc.agent-removed]",
		"call_3": "[the command changed settings in .git/config that are not known to be harmless; they were reverted: core.fsmonitor; the file of the command is now config.agent-removed]",
		"call_4": "[exit 0]",
		"call_5": "[the sandbox probably caused this failure: commands cannot write to " + h.dir + "/new.",
	} {
		if !strings.Contains(results[id], want) {
			t.Errorf("%s: %s\nwant %s", id, results[id], want)
		}
	}
	if _, err := os.Stat(filepath.Join(h.dir, "new")); err == nil {
		t.Error("a command wrote outside the workspace")
	}
	file := reportFile(h)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the stored report: %v, %v", info, err)
	}
	if text := readText(t, file); !strings.Contains(text, completeForm) {
		t.Errorf("the stored report: %s", text)
	}
}

// A command that nobody approved sees no home directory, and no command sees the state
// directory, in which the other sessions are.
func TestUnapprovedCommandsSeeNoHome(t *testing.T) {
	t.Parallel()
	h := repository(t)
	for file, text := range map[string]string{
		".codex/auth.json": "CANARY", ".cache/huggingface/token": "CANARY", "wallet.dat": "CANARY", "go/src/other/.env": "CANARY", ".local/state/agent/other/1.undo": "STATE",
		".gitconfig": "[user]\n\tname = Known\n\temail = u@h.test\n", "go/pkg/x.go": "package toolchain\n", "lib/lib.go": "package lib\n", "lib/.env": "CANARY", "lib/sub/more.go": "package more\n",
		"opt/venvs/black/bin/black": "#!/bin/sh\ncat \"${0%/*}/../../opt/venvs/black/lib\"\n", "opt/venvs/black/lib": "formatted\n", ".local/bin/README": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(h.dir, "opt/venvs/black/bin/black"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../opt/venvs/black/bin/black", filepath.Join(h.dir, ".local/bin/black")); err != nil {
		t.Fatal(err)
	}
	makefile := "spy:\n\tcat ../../.codex/auth.json ../../.cache/huggingface/token ../../wallet.dat ../../go/src/other/.env ../../.local/state/agent/other/1.undo\n" +
		"work:\n\tgit config user.name; cat ../../go/pkg/x.go; ../../.local/bin/black; echo built >out; cat out\n"
	if err := os.WriteFile(filepath.Join(h.work, "Makefile"), []byte(makefile), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"auto", "all"} {
		results := sandboxRunAs(t, h, []string{"--mode", mode}, "shell", shellCall("make spy"), "shell", shellCall("make work"), "shell", shellCall("ls "+h.dir+" && make -s work"))
		if mode == "all" && !strings.Contains(results["call_2"], "[other files of the home directory are hidden from this command]\n") {
			t.Errorf("%s: %s", mode, results["call_2"])
		}
		if strings.Contains(results["call_0"], "CANARY") || strings.Contains(results["call_0"], "STATE") || !strings.Contains(results["call_0"], "commands that nobody approved do not see the home directory with "+h.dir+"/.codex/auth.json") {
			t.Errorf("%s: %s", mode, results["call_0"])
		}
		for _, want := range []string{"Known\n", "package toolchain\n", "formatted\n", "built\n", "[exit 0]"} {
			if !strings.Contains(results["call_1"], want) {
				t.Errorf("%s: %q is missing in %s", mode, want, results["call_1"])
			}
		}
	}
	// Mode all reads what the text of a command names, unless a part of its path begins with a dot.
	results := sandboxRunAs(t, h, []string{"--mode", "all"}, "shell", shellCall("make work && cat ../../lib/lib.go"), "shell", shellCall("cp -r ../../lib copy; cat copy/sub/more.go"), "shell", shellCall("make work; cat ../../.codex/auth.json"))
	if !strings.Contains(results["call_0"], "package lib") || !strings.Contains(results["call_1"], "package more") || strings.Contains(results["call_1"]+results["call_2"], "CANARY") {
		t.Errorf("mode all: %q", results)
	}
	if secret, err := os.ReadFile(filepath.Join(h.work, "copy/.env")); err == nil && len(secret) > 0 {
		t.Errorf("the directory that is named shows a secret: %s", secret)
	}
	results = sandboxRunAs(t, h, []string{"--allow", "command: make"}, "shell", shellCall("make spy"))
	if strings.Contains(results["call_0"], "STATE") || !strings.Contains(results["call_0"], "CANARY") {
		t.Errorf("with a rule: %s", results["call_0"])
	}
}

// An approved command with the network can fill a cache that did not exist.
func TestCommandsWithTheNetworkFillNewCaches(t *testing.T) {
	t.Parallel()
	h := repository(t)
	makefile := "fill:\n\techo x >../../.cache/pre-commit/x && echo x >../../.gradle/wrapper/x\n"
	for file, text := range map[string]string{"Makefile": makefile, ".pre-commit-config.yaml": "", "app/build.gradle": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.work, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.work, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	results := sandboxRunAs(t, h, []string{"--allow", "command: make", "--allow", "network: make"}, "shell", shellCall("make fill"))
	if !strings.Contains(results["call_0"], "[exit 0]") {
		t.Error(results["call_0"])
	}
	results = sandboxRunAs(t, h, []string{"--allow", "command: make"}, "shell", shellCall("make fill"))
	if strings.Contains(results["call_0"], "[exit 0]") {
		t.Errorf("without the network: %s", results["call_0"])
	}
}

// A command cannot have a tmux server of the user run something, in any mode.
func TestCommandsReachNoServerOfTheUser(t *testing.T) {
	t.Parallel()
	h := repository(t)
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	outside := filepath.Join(h.dir, "OUTSIDE")
	var makefile strings.Builder
	makefile.WriteString("escape:\n")
	for _, dir := range []string{h.dir, h.work} {
		socket := filepath.Join(dir, "tm")
		if len(socket) > 100 {
			t.Skip("the temporary directory has a path that is too long for sockets")
		}
		tmux := func(args ...string) *exec.Cmd {
			return exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		}
		if out, err := tmux("new-session", "-d").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Cleanup(func() { _ = tmux("kill-server").Run() })
		fmt.Fprintf(&makefile, "\t-tmux -S %s run-shell 'touch %s'\n", socket, outside)
	}
	if err := os.WriteFile(filepath.Join(h.work, "Makefile"), []byte(makefile.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"--mode", "auto"}, {"--mode", "all"}, {"--allow", "command: make"}, {"--allow", "command: make", "--allow", "network: make"}} {
		results := sandboxRunAs(t, h, flags, "shell", shellCall("make escape"))
		if _, err := os.Stat(outside); err == nil || !strings.Contains(results["call_0"], "Error 1 (ignored)") {
			t.Fatalf("%v: %v: %s", flags, err, results["call_0"])
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(makefile.String()), "\n")[1:] { // it works without the sandbox
		_ = os.Remove(outside)
		if out, err := exec.Command("sh", "-c", strings.TrimPrefix(line, "\t-")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		waitFor(t, "the file", func() bool { _, err := os.Stat(outside); return err == nil })
	}
}

// A command of the model cannot read the keys that the user stores in a file, not even one
// that runs when they are replaced.
func TestCommandsCannotReadStoredKeys(t *testing.T) {
	t.Parallel()
	h := repository(t)
	login := func() {
		t.Helper()
		cmd := h.command("login", "groq", "--unencrypted-file")
		cmd.Stdin = strings.NewReader("sk-stored")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	login()
	path := filepath.Join(h.dir, ".local", "state", "agent", "credentials", "secrets.json")
	if !strings.Contains(readText(t, path), "sk-stored") {
		t.Fatal("the key is not in the file")
	}
	spy := "cat " + path + "\nls " + filepath.Dir(path) + "\ntouch started\nwhile [ ! -e go ]; do sleep 0.05; done\ncat " + path + "\n"
	if err := os.WriteFile(filepath.Join(h.work, "spy.sh"), []byte(spy), 0o600); err != nil {
		t.Fatal(err)
	}
	results := make(chan map[string]string)
	go func() {
		results <- sandboxRun(t, h, "read", `{"path":`+quote(path)+`}`, "shell", shellCall("bash spy.sh"))
	}()
	waitFor(t, "the command", func() bool {
		_, err := os.Stat(filepath.Join(h.work, "started"))
		return err == nil
	})
	login()
	if err := os.WriteFile(filepath.Join(h.work, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprint(<-results)
	if strings.Contains(all, "sk-stored") || strings.Contains(all, "secret:") || strings.Count(all, "No such file") < 2 || !strings.Contains(all, "tools cannot read or change it") {
		t.Error(all)
	}
}

// completeForm is how the file says that the complete sandbox works.
var completeForm = fmt.Sprintf(`"form":%d`, sandbox.Complete)

// reportFile returns the file with the sandbox that the system supports.
func reportFile(h home) string {
	return filepath.Join(h.dir, ".local", "state", "agent", "sandbox.json")
}

// A configuration can turn the sandbox off. A stored report that is damaged, or about
// another system, counts for nothing.
func TestSandboxIsTurnedOff(t *testing.T) {
	t.Parallel()
	h := repository(t)
	sandboxRun(t, h, "shell", shellCall("make out"))
	stored := readText(t, reportFile(h))
	for _, text := range []string{`{"system":"other","form":1}`, `{"system":`, strings.Replace(stored, completeForm, `"form":9`, 1), ""} {
		if text == stored {
			t.Fatalf("the report is not changed: %s", text)
		}
		if err := os.WriteFile(reportFile(h), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := sandboxRun(t, h, "shell", shellCall("make out")); !strings.Contains(r["call_0"], "Read-only file system") {
			t.Errorf("with the report %q: %s", text, r["call_0"])
		}
	}
	h.configure(t, `{"sandbox": false, "permissions": {"allow": ["command: make"]}}`)
	if r := sandboxRun(t, h, "shell", shellCall("make out")); !strings.HasSuffix(r["call_0"], "[exit 0]\n") {
		t.Errorf("without a sandbox: %s", r["call_0"])
	}
}

// The temporary files of the program, which it or a later command outside the sandbox uses,
// are where no command can write.
func TestCommandsCannotWriteTemporaryFilesOfTheProgram(t *testing.T) {
	t.Parallel()
	h := repository(t)
	dir := filepath.Join(h.dir, ".local", "state", "agent", "tmp")
	if err := os.MkdirAll(filepath.Join(dir, "agent-other"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.put(t, "write.sh", "echo x >"+dir+"/agent-other/start\n")
	results := sandboxRun(t, h, "shell", shellCall("cd . && sh write.sh"), "shell", shellCall("cd . && trap -p EXIT"))
	if !strings.Contains(results["call_0"], "Read-only file system") {
		t.Errorf("%q", results["call_0"])
	}
	if !strings.Contains(results["call_1"], dir+"/agent-") {
		t.Errorf("the trap writes elsewhere: %q", results["call_1"])
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
}

// Commands have a /tmp of their own. All tools mean the same file by a path in it, and what other
// programs keep in the temporary directory of the system cannot be changed, or read unless the
// text of the command names it.
func TestCommandsHaveATemporaryDirectoryOfTheirOwn(t *testing.T) {
	t.Parallel()
	h := repository(t)
	theirs, err := os.MkdirTemp("/tmp", "agent-theirs-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(theirs) })
	if err := os.WriteFile(filepath.Join(theirs, "data"), []byte("THEIRS\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.put(t, "spy.sh", "D=$(echo "+theirs+" | tr -d _); ls /tmp; cat $D/data; rm -rf $D; mkdir -p $D && echo planted >$D/data; find /tmp /var/tmp -name data -exec cat {} +; rm -rf $D")
	for _, mode := range []string{"auto", "all"} {
		results := sandboxRunAs(t, h, []string{"--mode", mode},
			"shell", shellCall("echo patch > /tmp/fix.patch && echo one > ${TMPDIR:-/tmp}/first && cat /tmp/first && pwd && echo v >/var/tmp/v"),
			"read", `{"path":"/tmp/first"}`,
			"write", `{"path":"/tmp/new/b","content":"two\n"}`,
			"edit", `{"path":"/tmp/new/b","edits":[{"old":"two","new":"three"}]}`,
			"search", `{"pattern":"three","path":"/tmp"}`,
			"shell", shellCall("cat /tmp/new/b && rm -r /tmp/new /tmp/first && f=$(mktemp) && echo made >$f && cat $f && ls /tmp/*.patch"),
			"shell", shellCall("sh spy.sh"),
			"read", `{"path":"/tmp/none"}`,
			"read", `{"path":"/var/tmp/v"}`,
			"edit", `{"path":"/var/tmp/none","edits":[{"old":"two","new":"three"}]}`,
		)
		for call, want := range map[string]string{
			"call_0": "one\n" + h.work + "\n[exit 0]\n", "call_1": "1\tone\n", "call_2": "created /tmp/new/b: it now has 1 line, 4 bytes.", "call_3": "changed /tmp/new/b: ",
			"call_4": "/tmp/new/b\n1: three\n", "call_5": "three\nmade\n/tmp/fix.patch\n[exit 0]\n", "call_6": "planted\n", "call_7": "/tmp/none does not exist. There is no none in directory /tmp.", "call_8": "1\tv\n",
			"call_9": "/var/tmp/none does not exist",
		} {
			if got := results[call]; !strings.Contains(got, want) || strings.Contains(got, "THEIRS") {
				t.Errorf("%s: %s: got %s, want %s", mode, call, got, want)
			}
		}
		if got, err := os.ReadFile(filepath.Join(theirs, "data")); err != nil || string(got) != "THEIRS\n" {
			t.Fatalf("%s: the file of another program: %q, %v", mode, got, err)
		}
	}
	// A command that names it to change it is not approved, and its script neither.
	for _, mode := range []string{"auto", "all"} {
		for call, got := range sandboxRunAs(t, h, []string{"--mode", mode}, "shell", shellCall("mkdir -p "+theirs+" && sh spy.sh"), "shell", shellCall("touch "+theirs+"; sh spy.sh"),
			"shell", shellCall("cp Makefile "+theirs), "shell", shellCall("ln -s "+theirs+" /tmp/link; true"), "shell", shellCall("mkdir -p /tmp/link/q; sh spy.sh")) {
			linked := call == "call_3" || call == "call_4" // to what is in the directory of the session
			if !linked && !strings.Contains(got, "denied: ") || strings.Contains(got, "THEIRS") {
				t.Errorf("%s: %s: %s", mode, call, got)
			}
		}
	}
	// A text that names the file shows it, and can change it only with approval.
	results := sandboxRunAs(t, h, []string{"--mode", "all"}, "shell", shellCall("wc -l "+theirs+"/data; echo x >"+theirs+"/new"), "shell", shellCall("grep -c THEIRS "+theirs+"/data"), "read", `{"path":"`+theirs+`/data"}`,
		"shell", shellCall("ls "+theirs+"; ls /tmp"), "shell", shellCall("rm -rf "+theirs+"; true"))
	if strings.Contains(results["call_3"], "data") || !strings.Contains(results["call_4"], "denied: ") {
		t.Errorf("a directory: %q", results)
	}
	if !strings.Contains(results["call_0"], "denied: ") || !strings.Contains(results["call_1"], "1\n[exit 0]") || !strings.Contains(results["call_2"], "THEIRS") {
		t.Errorf("named: %q", results)
	}
	results = sandboxRunAs(t, h, []string{"--mode", "auto"}, "shell", shellCall("grep -c THEIRS "+theirs+"/data"), "read", `{"path":"`+theirs+`/data"}`)
	if !strings.Contains(results["call_0"], "denied: ") || !strings.Contains(results["call_1"], "denied: ") {
		t.Errorf("in mode auto: %q", results)
	}
	results = sandboxRunAs(t, h, []string{"--allow", "command: grep"}, "shell", shellCall("grep -c THEIRS "+theirs+"/data"))
	if !strings.Contains(results["call_0"], "1\n[exit 0]") {
		t.Errorf("with a rule: %q", results)
	}
}

// The temporary directory of a session stays for its next run. The end of the session names it.
func TestTemporaryDirectoryStays(t *testing.T) {
	t.Parallel()
	h := repository(t)
	s := serve(t, call("shell", shellCall("echo kept >/tmp/kept")), say("written"), call("shell", shellCall("cat /tmp/kept; rm /tmp/kept")), say("read"))
	temp := h.env[len(h.env)-1][len("TMPDIR="):]
	h.env = append(h.env, "OPENAI_BASE_URL="+s.URL+"/v1", "OPENAI_API_KEY=k", "AGENT_MODEL=openai/m")
	a := h.open(t, 200, 30, "--mode", "all")
	a.wait("? help")
	a.send("go" + enter)
	a.wait("written", "? help")
	a.send(ctrlD)
	a.wait("Its /tmp is kept for 7 days:  " + temp)
	a.exit()
	out, code := h.agent(t, "run", "--mode", "all", "--continue", "go on")
	if results := s.seen()[3].results(t); code != 0 || !slices.Contains(slices.Collect(maps.Values(results)), "kept\n[exit 0]\n") {
		t.Errorf("%d, %s, %q", code, out, results)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "agent-*", "*")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// repositoryWithIncompleteSandbox is repository on a system that refuses namespaces.
func repositoryWithIncompleteSandbox(t *testing.T) home {
	t.Helper()
	h := repository(t)
	sandboxRun(t, h, "shell", shellCall("make out"))
	stored := strings.Replace(readText(t, reportFile(h)), completeForm, `"form":1,"reason":"namespaces are refused"`, 1)
	if err := os.WriteFile(reportFile(h), []byte(stored), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// The user learns once, with the first command, why the sandbox is incomplete.
func TestIncompleteSandboxIsReported(t *testing.T) {
	t.Parallel()
	h := repositoryWithIncompleteSandbox(t)
	s := serve(t, call("shell", shellCall("make out"), "shell", shellCall("make envrc")), say("done"))
	out, _ := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "--allow", "command: make", "go")
	if strings.Count(out, "The sandbox of commands is incomplete: namespaces are refused.") != 1 {
		t.Error(out)
	}
	results := s.seen()[1].results(t)
	if !strings.Contains(results["call_0"], "Permission denied") || !strings.Contains(results["call_1"], "the command created .envrc, which is protected (direnv runs it when you enter the directory); it was renamed") {
		t.Errorf("%q", results)
	}
}

// A command that succeeds runs once, although the sandbox refuses an update of the index. A
// second run begins without the changes of the first one.
func TestCommandsRunOnce(t *testing.T) {
	t.Parallel()
	watched(t)
	h := newRepository(t)
	s := serve(t, call("shell", shellCall("echo line >>log; touch -d 2001-01-01 src/a.go; sh -c 'git status'; git diff")), say("done"))
	out, code := h.agent(t, "run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go")
	if code != 0 || read(t, h, "log") != "line\n" || strings.Contains(out, "allow it with") || strings.Contains(s.seen()[1].results(t)["call_0"], "refused") {
		t.Errorf("exit %d:\n%s\n%q\n%q", code, out, read(t, h, "log"), s.seen()[1].results(t))
	}
	s = serve(t, call("shell", shellCall("echo line >>log; echo getaddrinfo EAI_AGAIN; exit 1")), say("done"))
	cmd := h.command("--plain", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto")
	cmd.Stdin = strings.NewReader("go\n1\n")
	plain, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(plain)), " "), "the changes of the first run are undone: log.") {
		t.Errorf("%v\n%s", err, plain)
	}
	if got := s.seen()[1].results(t)["call_0"]; !strings.Contains(got, "Its changes were undone: log.") {
		t.Error(got)
	}
}
