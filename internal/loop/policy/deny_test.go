package policy_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
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
	for range 300 {
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
	if ran < 100 || denied < 50 {
		t.Errorf("only %d commands ran git push, %d of them were denied: the test says little", ran, denied)
	}
	t.Attr("promise", fmt.Sprintf("random commands that ran a denied program without approval: %d of %d", broken, ran))
}

// denySpelling returns a random command that usually runs git push. Programs is the
// directory of git.
func denySpelling(r *rand.Rand, programs string) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	word := func(text string) string {
		var b strings.Builder
		for i, c := range text {
			switch r.IntN(16) {
			case 0:
				b.WriteString(`\` + string(c))
			case 1:
				b.WriteString(`"` + string(c) + `"`)
			case 2:
				b.WriteString(`'` + string(c) + `'`)
			case 3:
				b.WriteString(`""` + string(c))
			case 4:
				b.WriteString("\\\n" + string(c))
			case 5:
				fmt.Fprintf(&b, `$'\x%02x'`, c)
			case 6:
				fmt.Fprintf(&b, "$(printf %c)", c)
			case 7:
				if i > 0 {
					fmt.Fprintf(&b, "{%c,}", c)
				} else {
					b.WriteRune(c)
				}
			default:
				b.WriteRune(c)
			}
		}
		return b.String()
	}
	line := pick(word("git"), "git", programs+"/git", "g?t") + pick(" ", "  ", "\t", " \\\n") +
		pick("", "", "-C . ", "-C sub ", "-c a.b=c ", "--no-pager ", "--git-dir=x ") + pick(word("push"), "push", "pus[h]", "p*h") + pick("", " origin", " >/dev/null", " -- x")
	for range r.IntN(4) {
		line = pick("true && "+line, "false || "+line, "ls; "+line, "echo x | "+line, line+" &\nwait", "("+line+")", "{ "+line+"; }", "if true; then "+line+"; fi",
			"echo \"$("+line+")\"", "echo `"+strings.ReplaceAll(line, "`", "")+"`", "cat <("+line+"); wait $!", "eval "+quoted(line), "bash -c "+quoted(line), "sh -c "+quoted(line), "echo "+quoted(line)+" | bash",
			"bash <<'E'\n"+line+"\nE\n", "bash <<< "+quoted(line), "X=1 "+line, "env X=1 "+line, "env -i PATH=\"$PATH\" "+line, "nice -n 1 "+line, "timeout 5 "+line, "nohup "+line, "command "+line, "exec "+line, "time "+line, "! "+line,
			"f() { "+line+"; }; f", "for x in 1; do "+line+"; done", "x="+quoted(line)+"; eval \"$x\"", "find push -exec "+line+" ';'", "printf 'push' | xargs git", "trap "+quoted(line)+" EXIT", "cd sub; "+line, "env -S "+quoted(line), "setsid -w "+line,
			"printf '%s' "+quoted(line)+" > s.sh; . ./s.sh", "g=git; $g push", "case x in x) "+line+";; esac", "xargs -a push git")
	}
	return line
}

// A rule that denies a command also applies to programs that may run their arguments,
// whether or not they are known.
func TestDeniedProgramInArguments(t *testing.T) {
	dir := project(t, "f")
	at := policy.Paths{Workspace: dir, Home: dir, Sandbox: policy.SandboxFull}
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
