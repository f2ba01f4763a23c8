package policy_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/sampling"
)

// No random command that deletes files or discards changes runs without approval, in modes
// ask and all. Bash runs the commands that need none, and some of the others.
func TestHiddenCommandsNeedApproval(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := project(t, "keep", "victim/a")
	start := "git init -q --template= && git add keep && git -c user.name=a -c user.email=a@example.org commit -qm First"
	variables := []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C.UTF-8"}
	execute := func(line string) {
		cmd := exec.Command(bash, "--norc", "--noprofile", "-c", line)
		cmd.Dir, cmd.Env = dir, variables
		_ = cmd.Run() // some are not valid commands
	}
	execute(start)
	// deletes runs a line and reports whether a file or a change is lost.
	deletes := func(line string) bool {
		write(t, filepath.Join(dir, "victim", "a"), "a")
		write(t, filepath.Join(dir, "keep"), "changed")
		execute(line)
		_, err := os.Stat(filepath.Join(dir, "victim", "a"))
		text, _ := os.ReadFile(filepath.Join(dir, "keep"))
		return err != nil || string(text) != "changed"
	}
	if !deletes("git reset --hard -q") {
		t.Fatal("the repository holds no change")
	}
	at := policy.Paths{Workspace: dir, Home: dir, Sandbox: policy.SandboxFull}
	h, free, sample, lost := hider{rand.New(rand.NewPCG(5, 6))}, 0, 0, 0
	lines := 100
	if sampling.Whole() {
		lines = 500
	}
	for i := range lines {
		line := h.deletion()
		for range h.IntN(4) {
			line = h.hide(line)
		}
		c := run(dir, line)
		f := at.Look(t.Context(), c)
		if v := (&policy.Policy{Mode: event.ModeAsk}).Judge(c, f); !v.Ask {
			t.Errorf("%q runs in mode ask: %+v", line, v)
		}
		if v := (&policy.Policy{Mode: event.ModeAll}).Judge(c, f); !v.Ask {
			free++
			if deletes(line) {
				t.Errorf("%q runs in mode all, and deletes", line)
			}
			continue
		}
		if i < lines/8 {
			sample++
			if deletes(line) {
				lost++
			}
		}
	}
	if lost*2 < sample {
		t.Errorf("only %d of %d commands delete: the test says little", lost, sample)
	}
	t.Logf("%d commands run without approval; %d of %d others delete", free, lost, sample)
}

// hider spells commands in ways that hide what they run.
type hider struct{ *rand.Rand }

func (h hider) pick(all ...string) string { return all[h.IntN(len(all))] }

// word spells one word.
func (h hider) word(text string) string {
	if h.IntN(3) == 0 {
		return h.pick(`"`+text+`"`, "$'"+text+"'", "${zz:-"+text+"}", "${PWD:+"+text+"}", "{"+text+",}", "$(echo "+text+")", "`echo "+text+"`", "$(cat <<<"+text+")")
	}
	var b strings.Builder
	for i, c := range text {
		switch h.IntN(16) {
		case 0:
			b.WriteString(`\` + string(c))
		case 1:
			b.WriteString(`"` + string(c) + `"`)
		case 2:
			b.WriteString(`'` + string(c) + `'`)
		case 3:
			b.WriteString(h.pick(`""`, "$zz", "$@", "${zz[@]}") + string(c))
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

// deletion returns a command that usually deletes victim/a, or the change in keep.
func (h hider) deletion() string {
	words := [][]string{{"rm", "-rf", "victim"}, {"rm", "-r", "--", "victim"}, {"git", "reset", "--hard"}, {"git", "-C", ".", "reset", "-q", "--hard"}, {"git", "checkout", "-f"}, {"find", "victim", "-delete"}}[h.IntN(6)]
	plain := strings.Join(words, " ")
	if h.IntN(3) > 0 {
		spelled := slices.Clone(words)
		for i := range spelled {
			if h.IntN(2) == 0 {
				spelled[i] = h.word(spelled[i])
			}
		}
		return strings.Join(spelled, h.pick(" ", " ", "\t", " \\\n", " 2>&1 ", " </dev/null ", "${IFS:0:1}"))
	}
	return h.pick("{"+strings.Join(words, ",")+"}", "a=("+plain+"); \"${a[@]}\"", "set -- "+plain+"; \"$@\"", "a='"+plain+"'; $a", "a=b b='"+plain+"'; ${!a}", "read -r a <<<'"+plain+"'; $a",
		"f() { "+words[0]+" \"$@\"; }; f "+strings.Join(words[1:], " "), "shopt -s expand_aliases\nalias z='"+plain+"'\nz", "xargs "+words[0]+" <<<'"+strings.Join(words[1:], " ")+"'", "xargs env <<<'"+plain+"'",
		"xargs -IX sh -c X <<<'"+plain+"'", "echo '"+plain+"' >s; sh s", "cat >s <<E\n"+plain+"\nE\n. ./s", "cp $(command -v "+words[0]+") z; ./z "+strings.Join(words[1:], " "), "git -c alias.z='!"+plain+"' z", "git config alias.z '!"+plain+"'; git z",
		"GIT_EXTERNAL_DIFF='"+plain+"' git diff", "find . -maxdepth 0 -exec "+plain+" ';'", "env -S '"+plain+"'", "cat <<E\n\\\nE\n"+plain+"\nE\n", "chrt -o 0 "+plain)
}

// hide returns a command that usually runs line.
func (h hider) hide(line string) string {
	q := quoted(line)
	index := quoted("a[$(" + line + ")]")
	return h.pick("true && "+line, "false || "+line, "ls; "+line, "echo x | "+line, line+" &\nwait", "("+line+")", "{ "+line+"; }", "if true; then "+line+"; fi",
		"echo \"$("+line+")\"", "echo `"+strings.ReplaceAll(line, "`", "")+"`", "cat <("+line+"); wait $!", "eval "+q, "bash -c "+q, "bash -c -- "+q, "sh -ec "+q, "echo "+q+" | bash", "builtin eval "+q, "x=$("+line+")",
		"bash <<'E'\n"+line+"\nE\n", "bash <<< "+q, "bash /dev/stdin <<<"+q, "source /dev/stdin <<<"+q, "X=1 "+line, "env X=1 "+line, "env -i PATH=\"$PATH\" "+line, "nice -n 1 "+line, "timeout 5 "+line, "nohup "+line, "command "+line,
		"exec "+line, "time "+line, "! "+line, "f() { "+line+"; }; f", "for x in 1; do "+line+"; done", "x="+q+"; eval \"$x\"", "trap "+q+" EXIT", "trap "+q+" DEBUG; ls", "cd sub; "+line, "env -S "+q, "setsid -w "+line,
		"printf '%s' "+q+" > s.sh; . ./s.sh", "case x in x) "+line+";; esac", "coproc "+line+"; wait", "cat <<E\n$("+line+")\nE\n", "((a[$("+line+")]))", "test -v "+index, "[[ "+index+" -eq 1 ]]", "command read "+index+" <<<x",
		"export 'BASH_FUNC_ls%%=() { :; }'; "+line, "env "+quoted("BASH_FUNC_ls%%=() { "+line+"; }")+" bash -c ls", "ls # x\n"+line, ": ${zz:=$("+line+")}", "find . -maxdepth 0 -exec sh -c "+q+" ';'", "/proc/self/exe -c "+q)
}
