//go:build unix

package command_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/loop/policy/command"
)

// shell is the bash that runs scripts in tests.
const shell = "/bin/bash"

// bash runs a script in which the programs of c are functions that return code. It
// returns the words of the functions that ran, in a fixed order. Other programs are
// not found.
func bash(t testing.TB, c *command.Command, script, dir, code string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out := t.TempDir()
	var prelude strings.Builder
	for _, p := range c.Parts {
		name := p.Argv[0]
		prelude.WriteString("function " + name + " { builtin printf '%s\\0' '" + name + "' \"$@\" $'\\n' >>\"$OUT/$BASHPID\"; return $CODE; }\n")
	}
	cmd := exec.CommandContext(ctx, shell, "--norc", "--noprofile", "-c", prelude.String()+"\nPATH=\neval \"$LINE\"")
	cmd.Dir, cmd.Env = dir, []string{"CODE=" + code, "LINE=" + script, "OUT=" + out, "LC_ALL=C"}
	if _, err := cmd.Output(); ctx.Err() != nil { // the exit code is $CODE
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	for _, file := range files { // one of each process: the parts of a pipeline run at the same time
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for run := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00\n\x00"), "\x00\n\x00") {
			ran = append(ran, run)
		}
	}
	slices.Sort(ran)
	return ran
}

// judged returns the words of the parts of c that run if every program exits with
// code.
func judged(c *command.Command, code string) (ran []string) {
	status, runs := "0", true
	for _, p := range c.Parts {
		switch p.Operator {
		case "", ";":
			runs = true
		case "&&":
			runs = status == "0"
		case "||":
			runs = status != "0"
		}
		if runs {
			ran = append(ran, strings.Join(p.Argv, "\x00"))
			status = code
		}
	}
	slices.Sort(ran)
	return ran
}

// openEnv returns an environment in which paths need no approval.
func openEnv(t testing.TB) command.Env {
	env := workspace(t)
	env.Inside = func(string) bool { return false }
	env.LookPath = func(string) string { return "" }
	env.Readable = func(string) string { return "" }
	return env
}

// FuzzScript checks that bash runs exactly the words that were judged: in the line
// itself, and in its script.
func FuzzScript(f *testing.F) {
	for _, line := range []string{
		"ls", "ls -la 'a b' \"c\\\"d\" e\\ f", "echo 'it'\\''s' \"$\" a\"b\"'c'", "cat *.txt src/*.go [ab].txt no*thing", "ls && pwd || echo a; date | wc -l",
		"ls 2>&1 >/dev/null | cat; echo x >&2", "ls \\\n -l\npwd # c", "echo \\* '*' \"*\" a{b}c HEAD@{1} x~y !z a=b", "[ -f a.txt ] && test -d src", "echo é 日本 '\t'",
		"echo \"a\\b\\$c\\\\\"", "echo ''  \"\" a''", "ls options/* spaces/* it\\'s/*", "find . \\( -name a -o -name b \\) -type f -print0 | xargs -0 cat", "echo [a [!b]* ]",
		"ls<>/dev/null", "echo a\\\nb", "echo }", "echo { a", "echo a#b #c", "echo -n -- -e", "cd src && ls *", "echo $", "echo a$", "echo '\\''", "echo \"`\"", "echo ~a a~ a=~", "!", "echo a,{b}", ";ls", "ls;",
	} {
		f.Add(line)
	}
	if _, err := os.Stat(shell); err != nil {
		f.Skip("this system has no " + shell)
	}
	env := openEnv(f)
	f.Fuzz(func(t *testing.T, line string) {
		c := command.Judge(line, env)
		if !c.Automatic() {
			return
		}
		script, ok := c.Script("git-part")
		if !ok {
			t.Fatalf("%q is automatic, but has no script", line)
		}
		if again := command.Judge(script, env); len(again.Parts) != len(c.Parts) {
			t.Errorf("%q: the script %q has %d parts", line, script, len(again.Parts))
		}
		if strings.Contains(line, "cd") { // the probe of cd stays in its directory, and so do wildcards
			return
		}
		for _, code := range []string{"0", "1"} {
			want := judged(c, code)
			if got := bash(t, c, line, env.Dir, code); !slices.Equal(got, want) {
				t.Errorf("%q: bash runs %q, judged were %q", line, got, want)
			}
			if got := bash(t, c, script, env.Dir, code); !slices.Equal(got, want) {
				t.Errorf("%q: bash runs %q for the script %q, judged were %q", line, got, script, want)
			}
		}
	})
}

func TestScriptQuotesEveryWord(t *testing.T) {
	env := workspace(t)
	for line, want := range map[string]string{
		"ls -la":                            `'ls' '-la'`,
		"cat *.txt 2>/dev/null | head -n 2": `'cat' 'a.txt' 'b.txt' 'log.txt' 'victim.txt' 2>'/dev/null' | 'head' '-n' '2'`,
		"echo \"it's\" 2>&1; pwd":           `'echo' 'it'\''s' 2>&1; 'pwd'`,
		"ls no*thing || echo '*'":           `'ls' 'no*thing' || 'echo' '*'`,
		"ls \\\n -1\npwd # done":            `'ls' '-1'; 'pwd'`,
		"ls &>/dev/null && echo x >&2":      `'ls' &>'/dev/null' && 'echo' 'x' >&2`,
		"go test ./... 2>&1 | tail -5":      `'go' 'test' './...' 2>&1 | 'tail' '-5'`,
	} {
		got, ok := command.Judge(line, env).Script("git-part")
		if !ok || got != want {
			t.Errorf("%s: got %s, %v; want %s", line, got, ok, want)
		}
	}
	for _, line := range []string{"ls &", "(ls)", "ls $X", "X=1 ls", "ls > $x", "ls > x < y", "make > x", "! ls", "ls |& cat", "cat <<< $x", "ls 3>&1", "echo $(ls)", "if true; then ls; fi", ""} {
		if got, ok := command.Judge(line, env).Script("git-part"); ok {
			t.Errorf("%s has the script %s", line, got)
		}
	}
}

func TestGlobMatchesAsBashDoes(t *testing.T) {
	if _, err := os.Stat(shell); err != nil {
		t.Skip("this system has no " + shell)
	}
	env := openEnv(t)
	if err := os.MkdirAll(filepath.Join(env.Dir, "a[b", "c*d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{
		"*", "*.txt", ".*nv", "src/*", "src/*.go", "*/*", "*/", "**", "s?c/*e.go", "[am]*", "[!a]*", "[^a]*.txt", "[a-c].txt", "./*", "src//*.go", "nothing*", "*/nothing", "src/*/",
		"src/deep/../*.go", `a\[b/*`, `a\[b/c\*d*`, "*nv", "link/*.txt", ".h*", "src/d*/t*", "]*", "[]a]*.txt", "[a", "a.txt/*", `"*"*`, `'s'*`, `\**`, "options/*", "x/../*",
	} {
		c := command.Judge("ls "+pattern, env)
		if len(c.Parts) != 1 || c.Parts[0].Argv == nil {
			if !strings.Contains(pattern, "options") {
				t.Logf("%s needs approval: %s", pattern, c.Reason)
			}
			continue
		}
		want := bash(t, c, "ls "+pattern, env.Dir, "0")
		if got := judged(c, "0"); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, bash has %q", pattern, got, want)
		}
	}
}

func TestEnvironmentKeepsOnlySafeVariables(t *testing.T) {
	got := command.Environment([]string{
		"PATH=/usr/bin:.:/work/bin::/bin", "HOME=/home/ann", "LC_ALL=C", "TZ=:/work/x", "LD_PRELOAD=x", "GIT_EXTERNAL_DIFF=x", "RIPGREP_CONFIG_PATH=x", "BASH_ENV=x", "BASH_FUNC_ls%%=() { id; }",
		"GREP_OPTIONS=x", "NODE_OPTIONS=x", "PAGER=x", "CDPATH=/", "GLOBIGNORE=x", "IFS=x", "SHELLOPTS=x", "PS4=x", "GOFLAGS=-toolexec=x", "POSIXLY_CORRECT=1", "LESSOPEN=x", "OPENAI_API_KEY=x",
	}, func(dir string) bool { return strings.HasPrefix(dir, "/work") })
	want := []string{"PAGER=cat", "GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "PATH=/usr/bin:/bin", "HOME=/home/ann", "LC_ALL=C"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRulesCoverParts(t *testing.T) {
	env := workspace(t)
	for line, want := range map[string]string{
		"go test ./... && git commit -m x": "go test, git commit",
		"go test ./a; go test ./b | tail":  "go test",
		"ls":                               "",
		"go test ./... &":                  "",
		"(go test)":                        "",
		"go test && rm a.txt":              "",
		"go test && cat ../outside.txt":    "",
		"go test > out.txt":                "",
		"go test && python3 x.py":          "",
		"go test && git push --force":      "",
		"go test && go test -exec ./x":     "",
		"go test && X=1 go test":           "",
		"go test ./... $(ls)":              "",
		"go test ./... 2>&1 | tail -5":     "go test",
	} {
		c := command.Judge(line, env)
		var prefixes []string
		for _, p := range c.Prefixes(func(*command.Part) bool { return false }) {
			prefixes = append(prefixes, strings.Join(p, " "))
		}
		if got := strings.Join(prefixes, ", "); got != want {
			t.Errorf("%s: the prefixes are %q, want %q", line, got, want)
		}
		covered := c.Covered(func(p *command.Part) bool {
			return slices.ContainsFunc([][]string{{"go", "test"}, {"git"}, {"rm"}, {"python3"}}, p.Covered)
		})
		if _, ok := c.Script("git-part"); covered != (want != "" || c.Automatic()) || covered && !ok {
			t.Errorf("%s: covered is %v, and the script is %v", line, covered, ok)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	env := openEnv(b)
	for b.Loop() {
		command.Judge("cd src && grep -rn --include='*.go' 'func main' . | head -20; git log --oneline -5 2>/dev/null", env)
	}
}

// bash ends a comment at the end of a line, also after a backslash.
func TestCommentsThatSeemToContinue(t *testing.T) {
	env := workspace(t)
	for _, line := range []string{"touch x #c \\\nrm -rf src", "touch x #\\\nrm -rf src", "ls #x \\\n\\\nrm x", "ls; #\\\nrm x"} {
		if c := command.Judge(line, env); c.Automatic() || c.Traits&command.Undetermined == 0 {
			t.Errorf("%q is clear: %+v", line, c)
		}
	}
	if c := command.Judge("ls src \\\n  # done\nls", env); !c.Automatic() {
		t.Error(c.Reason)
	}
}

// bash evaluates quoted text in some places, which runs commands. No rule can allow such a line.
func TestEvaluatedTextHasNoScript(t *testing.T) {
	env := workspace(t)
	for _, line := range []string{
		"test -v 'a[$(rm x)]'", "[[ 'a[$(rm x)]' -eq 1 ]]", "[[ -v 'a[`rm x`]' ]]", "printf -v 'a[$(rm x)]' x", "read 'a[$(rm x)]' <<<x", "declare 'a[$(rm x)]=1'", "unset 'a[$(rm x)]'", "command read 'a[$(rm src)]' <<<x",
		"x='a[$(rm x)]'; echo $((x))", "x='$(rm x)'; echo ${x@P}", "PS4='$(rm x)'; set -x; :", "BASH_ENV=f bash -c :", "PROMPT_COMMAND='rm x' bash -i", "source <(printf 'rm x')", "let 'a[$(rm x)]'",
		"BASH_CMDS[ls]=/bin/rm; ls x", "declare BASH_CMDS[ls]=/bin/rm; ls x", ": ${BASH_CMDS[ls]:=/bin/rm}; ls x", "BASH_ALIASES+=([ls]=rm); ls x",
	} {
		if _, ok := command.Judge(line, env).Script("agent_git"); ok {
			t.Errorf("%q has a script", line)
		}
	}
	for _, line := range []string{"git commit -m 'see $(x)'", "grep 'a$(b)' main.go", "printf '%s' 'a`b`'", "printf '%s' 'a`b`' > out"} {
		if _, ok := command.Judge(line, env).Script("agent_git"); !ok {
			t.Errorf("%q has no script", line)
		}
	}
}
