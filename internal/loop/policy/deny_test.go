package policy_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/sampling"
)

// If a random command makes a real shell run `git push`, a rule that denies it denies the
// command or requires approval, in mode all and despite rules that allow git.
func TestDeniedProgramNeverRuns(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	dir := project(t, "sub/x", "push")
	programs := t.TempDir()
	marker := filepath.Join(programs, "ran")
	fake := "#!" + bash + "\nfor a in \"$@\"; do [ \"$a\" = push ] && : >" + marker + "; done\nexit 0\n"
	if err := os.WriteFile(filepath.Join(programs, "git"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	at := policy.Paths{Workspace: dir, Home: dir, Sandbox: policy.SandboxFull}
	r := rand.New(rand.NewPCG(3, 3))
	ran, denied, broken := 0, 0, 0
	lines := 60
	if sampling.Whole() {
		lines = 300
	}
	for range lines {
		line := denySpelling(r, programs)
		_ = os.Remove(marker)
		cmd := exec.Command(bash, "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + programs + ":/usr/bin:/bin"}
		_ = cmd.Run() // some are not valid commands
		if _, err := os.Stat(marker); err != nil {
			continue
		}
		ran++
		p := policy.Policy{Mode: event.ModeAll, Rules: rules(t, "deny command: git push; allow command: git; allow network: git")}
		switch v := asks(&p, at, run(dir, line)); {
		case v.Refuse:
			denied++
		case !v.Ask:
			broken++
			t.Errorf("%q runs git push: %+v", line, v)
		}
	}
	if ran < lines/3 || denied < lines/6 {
		t.Errorf("only %d commands ran git push, %d of them were denied: the test says little", ran, denied)
	}
	t.Attr("promise", fmt.Sprintf("random commands that ran a denied program without approval: %d of %d", broken, ran))
}

// denySpelling returns a random command that usually runs git push. Programs is the
// directory of git.
func denySpelling(r *rand.Rand, programs string) string {
	h := hider{r}
	line := h.pick(h.word("git"), "git", programs+"/git", "g?t") + h.pick(" ", "  ", "\t", " \\\n") +
		h.pick("", "", "-C . ", "-C sub ", "-c a.b=c ", "--no-pager ", "--git-dir=x ") + h.pick(h.word("push"), "push", "pus[h]", "p*h") + h.pick("", " origin", " >/dev/null", " -- x")
	for range r.IntN(4) {
		line = h.pick(h.hide(line), h.hide(line), h.hide(line), "find push -exec "+line+" ';'", "printf 'push' | xargs git", "g=git; $g push", "xargs -a push git",
			"find push -maxdepth 0 -exec git {} +", `env -vS 'git\_push'`, `awk 'BEGIN{system("git " ARGV[1])}' push`, "cp push sub/push; cd sub; git pus?")
	}
	return line
}

// A rule that denies a command also applies to programs that may run their arguments,
// whether or not they are known.
func TestDeniedProgramInArguments(t *testing.T) {
	dir := project(t, "f")
	at := policy.Paths{Workspace: dir, Home: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	for line, free := range map[string]bool{
		"unknown git push": false, "unknown -- /usr/bin/git push": false, "unknown 'x; git push'": false, "unknown --run='git push'": false, "unknown $x": false,
		"sed '1e git push' f": false, "sed 's/x/git push/e' f": false, "ld.so /usr/bin/git push": false, "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push": false,
		"hyperfine 'git push'": false, "cmake -E env git push": false, "gcc -wrapper git,push x.c": false, "go build --toolexec 'git push' .": false,
		"make test 'CC=git push'": false, "tox -x 'testenv.commands=git push'": false, "split --filter='git push' f": false, "mise exec -- git push": false,
		"git commit -m 'explain git push'": true, "unknown git pull": true, "unknown push git": true, "go test ./...": true, "mkdir git push": true, "grep 'git push' f": true,
	} {
		p := policy.Policy{Mode: event.ModeAll, Rules: rules(t, "deny command: git push")}
		if v := asks(&p, at, run(dir, line)); (v.Ask || v.Refuse) == free {
			t.Errorf("%s: %+v", line, v)
		}
	}
}

// The text of a command names a denied command in other ways: behind an exclamation mark of
// an editor, in a variable, as an alias of git, or by a part of git that does its work.
func TestDeniedCommandInOtherWords(t *testing.T) {
	dir := project(t, "x")
	at := policy.Paths{Workspace: dir, Sandbox: policy.SandboxFull, Room: room(1 << 20)}
	for _, c := range []struct {
		rule string
		asks []string
		runs []string
	}{
		{"deny command: gizmo push", []string{
			"vim -es -c '!gizmo push' -c q", "ex -c '!gizmo push' -c q", "gdb -batch -ex '!gizmo push'", "git -c alias.x='!gizmo push' x", "EDITOR='gizmo push' git commit", "make R='gizmo push'",
			`find push -exec gizmo {} \;`, `find . -maxdepth 0 -exec gizmo -f {} +`, `find . -type f -execdir {} push \;`, `sudo find . -exec {} push \;`, `find . -exec env gizmo {} +`,
			`find . -exec env {} push \;`, `find . -exec sh -c 'gizmo {}' \;`, `find . -exec sh -c '{} push' \;`, "fd push -x gizmo", "fd . -x {} push", "fd push -X timeout 5 gizmo",
			`env -vS 'gizmo\_push'`, `env -S '-i gizmo\_push\c x'`, `env --split='gizmo -f' push`, `env -S 'timeout 5 gizmo' push`,
			"git grep --no-index -Ogizmo x push", "git grep --open-files-in-pager=gizmo x push", "git difftool --extcmd=gizmo HEAD push", "GIT_EXTERNAL_DIFF=gizmo git diff push",
			"vim -es -c '!gizmo %' -c q push", "vim -es -c '!gizmo -f #' -c q push", `awk 'BEGIN{system("gizmo " ARGV[1])}' push`, `timeout 5 awk 'BEGIN{system("gizmo " ARGV[1])}' push`,
			`awk 'BEGIN{print "push" | "xargs gizmo"}'`, `python3 -c "__import__('os').system('gizmo '+'push')"`, "make .SHELLFLAGS=push SHELL=gizmo -f - <<< 'x:;@x'",
			"cp x push; gizmo pus?", "mkdir q && cd q && touch push && gizmo p*", "cp x gizmo; env ./g* push", "gizmo p* $(touch push)", "for i in 1 2; do gizmo p*; touch push; done", "env gizmo *; touch push & gizmo *",
		}, []string{
			"git commit -m 'gizmo'", "make test", "find . -name '*.go' -exec gofmt -l {} +", `find . -exec gizmo pull {} \;`, "fd -x gofmt -l", "env -S 'gizmo pull'",
			"git grep -Oless gizmo", "touch y; gizmo x*", "touch y; gizmo pull p*", "touch y && env cat *", `awk 'BEGIN{system("gizmo pull " ARGV[1])}' x`, `awk '/gizmo/ {print}' x`, "perl -pe 's/gizmo/x/' x",
			`python3 -c "import subprocess; subprocess.run(['gizmo', '-v', 'pull'])"`, "make USE_GIZMO=1 test", "sh -c 'command -v gizmo || true'", "curl -d '{}' localhost",
		}},
		{"deny command: git push", []string{
			`GIT_CONFIG_PARAMETERS="'alias.x=push'" git x`, "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x", "git send-pack ../other main", "HOME=. git x", "git -C . x",
			`node -e "require('child_process').execFileSync('git',['push'])"`, `ruby -e 'system(*%w[git push])'`,
		}, []string{"git commit -m x", "git add .", "git gc --auto || true", "git stash", "git tag v1", "find . -exec git add {} +", "touch y && git add *", "git show 'HEAD@{}'"}},
		{"deny command: make deploy", []string{"make V=1 deploy", "make test V=1 deploy", "make -k all -- deploy", "gmake deploy", "/usr/bin/bmake all deploy", "sudo make all deploy", "sh -c 'make all deploy'", `node -e "spawn('make',['all','deploy'])"`},
			[]string{"make all", "make deployed", "make deploy.o", "make all && touch deploy", "mkdir make all deploy"}},
		{"deny command: gmake deploy", []string{"make deploy"}, nil},
		{"deny command: just deploy", []string{"just build deploy", "just x=1 deploy"}, []string{"just build"}},
		{"deny command: gradle publish", []string{"gradle clean publish", "gradle --tests X publish"}, nil},
	} {
		p := policy.Policy{Mode: event.ModeAll, Rules: rules(t, c.rule)}
		for _, line := range c.asks {
			if v := asks(&p, at, run(dir, line)); !v.Ask && !v.Refuse {
				t.Errorf("%s with %q runs: %s", line, c.rule, v.Decider)
			}
		}
		for _, line := range c.runs {
			if v := asks(&p, at, run(dir, line)); v.Refuse || v.Ask && v.ByRule {
				t.Errorf("%s with %q: %s (%s)", line, c.rule, v.Why, v.Decider)
			}
		}
	}
}
