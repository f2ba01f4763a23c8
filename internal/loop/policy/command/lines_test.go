//go:build unix

package command_test

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/loop/policy/command"
)

// letters are the traits in testdata/lines.txt.
var letters = map[rune]command.Trait{
	'D': command.Destroys, 'O': command.WritesOutside, 'C': command.Connects, 'I': command.RunsCode, 'U': command.Undetermined,
}

// TestLinesHaveTheirVerdict judges the lines of testdata/lines.txt.
func TestLinesHaveTheirVerdict(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "lines.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	env := workspace(t)
	n, automatic, denied, wrong := 0, 0, 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		want, line, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			continue
		}
		n++
		c := command.Judge(line, env)
		if c.Automatic() {
			automatic++
		}
		if c.Denied() != "" {
			denied++
		}
		if c.Automatic() != strings.HasPrefix(want, "auto") {
			wrong++
		}
		want, prefix, hasPrefix := strings.Cut(want, "/")
		want, traits, _ := strings.Cut(want, "+")
		if c.Automatic() != (want == "auto") {
			t.Errorf("%s: automatic is %v, want %s (%s)", line, c.Automatic(), want, c.Reason)
		}
		if c.Automatic() != (c.Denied() == "") {
			t.Errorf("%s: automatic is %v, but plan says %q", line, c.Automatic(), c.Denied())
		}
		for _, r := range traits {
			if c.Traits&letters[r] == 0 {
				t.Errorf("%s: the traits are %s, without %c (%s)", line, c.Traits, r, c.Reason)
			}
		}
		if _, ok := c.Script("git-part"); c.Automatic() && !ok {
			t.Errorf("%s is automatic, but has no script", line)
		}
		if hasPrefix {
			checkPrefix(t, c, prefix)
		}
	}
	t.Attr("promise", fmt.Sprintf("commands of the test table: automatic %d, need approval %d, denied in plan %d, judged wrongly: %d", automatic, n-automatic, denied, wrong))
	if n < 250 {
		t.Errorf("only %d lines", n)
	}
}

// checkPrefix checks the prefix of the last part of c, and that no other is offered.
func checkPrefix(t *testing.T, c *command.Command, want string) {
	t.Helper()
	got := "none"
	for i := range c.Parts {
		p := &c.Parts[i]
		if prefix := p.Prefix(); prefix != nil && p.Reason != "" {
			got = strings.Join(prefix, " ")
			if !p.Covered(prefix) {
				t.Errorf("%s: the prefix %s does not cover its part", c.Line, got)
			}
		}
	}
	if got != want {
		t.Errorf("%s: the prefix is %q, want %q", c.Line, got, want)
	}
}

// TestTablesAreWellFormed checks the notation of the tables, whose mistakes would
// otherwise change the meaning of options.
func TestTablesAreWellFormed(t *testing.T) {
	short := regexp.MustCompile(`^(-[#.?A-Za-z0-9]+!?|-[A-Za-z0-9][:<?]!?|--[a-z0-9]+(-[A-Za-z0-9]+)*[=<?]?!?|~|\+(log|diff)|version|-version)$`)
	operands := regexp.MustCompile(`^(files|file|places|pattern|search|words|none|version|listing|paths|@[a-zA-Z]+)$`)
	for _, file := range []string{"programs.txt", "git.txt"} {
		seen := map[string]bool{}
		for _, fields := range rows(t, file) {
			names, options := strings.Split(fields[0], ","), fields[1:]
			if !strings.HasPrefix(fields[0], "+") {
				if !operands.MatchString(fields[1]) {
					t.Errorf("%s: %s has the operands %q", file, fields[0], fields[1])
				}
				options = fields[2:]
			}
			for _, name := range names {
				if seen[name] {
					t.Errorf("%s lists %s twice", file, name)
				}
				seen[name] = true
			}
			for _, o := range options {
				if !short.MatchString(o) {
					t.Errorf("%s: %s has the option %q", file, fields[0], o)
				}
			}
		}
	}
	text, err := os.ReadFile("effects.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "#") || len(columns) == 1 {
			continue
		}
		if len(columns) != 5 || strings.TrimSpace(columns[3]) == "" {
			t.Errorf("effects.txt: %q is not a row of five columns", strings.TrimSpace(line))
			continue
		}
		for trait := range strings.FieldsSeq(columns[2]) {
			if !slices.Contains([]string{"files", "destroys", "connects", "tries", "interprets", "-"}, trait) {
				t.Errorf("effects.txt: %q has the trait %q", columns[0], trait)
			}
		}
	}
}

// rows returns the fields of the lines of a table.
func rows(t *testing.T, file string) (out [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0][0] != '#' {
			out = append(out, fields)
		}
	}
	return out
}

func TestUnreadableTextNeedsApproval(t *testing.T) {
	env := workspace(t)
	for _, line := range []string{
		"", " ", "\n", "# only a comment", "ls\x00", "ls\r", "ls\r\ncat a.txt", "ls\vx", "ls\f", "\x1b[8mls", "ls \x7f", "ls \u0085", "ls \xff", "ls \xc3\x28",
		"ls\u00a0-la", "ls \u200b", "ls \u202e", "ls \u2066x", "ls \ufe0f", "ls \u3164", "ls \u2800", "ls \U000e0041", "ls \ue000", "ls \u2028 x", "\ufeffls",
		"echo " + strings.Repeat("x", 64<<10), "echo " + strings.Repeat("(", 2_000_000), strings.Repeat("$(", 201), strings.Repeat("{ ", 201) + "ls",
		strings.Repeat("if true; then ", 201), strings.Repeat("time ", 201) + "ls", strings.Repeat("[[ ", 300), strings.Repeat("`", 300),
		"ls | | wc", "ls )", "echo $(", "cat <<EOF", "'", `"`, "ls &&", "&& ls", "if", "ls;;",
		"echo a\n#x\ntouch PWNED", "ls \\\n&& touch PWNED", "ls\ntouch PWNED", "ls\n\n;ls",
		strings.Repeat("ls && ", 900) + "touch PWNED", strings.Repeat("ls && ", 5000) + "touch PWNED", strings.Repeat("ls && ", 5000) + "ls",
		"cat" + strings.Repeat(" a.txt", 5000), "ls" + strings.Repeat(" 2>/dev/null", 50), "cat" + strings.Repeat(" *.txt", 60), strings.Repeat(" ", 5000) + "touch PWNED",
	} {
		c := command.Judge(line, env)
		if c.Automatic() || c.Denied() == "" {
			t.Errorf("%.60q is automatic", line)
		}
	}
	for _, line := range []string{"ls\nls", "ls \\\n  -la", "\tls\t-l", "ls # é", "cat 'é.txt' 日本.txt", strings.Repeat("ls && ", 900) + "ls"} {
		if c := command.Judge(line, env); !c.Automatic() {
			t.Errorf("%.60q needs approval: %s", line, c.Reason)
		}
	}
}

// TestLargeLinesAreJudgedSoon judges lines at the limits. The time is far above what
// they need, and far below what a quadratic algorithm takes.
func TestLargeLinesAreJudgedSoon(t *testing.T) {
	env := workspace(t)
	long := map[string]int{"find . -exec ": 1300, "git -c=a=b=c\\ d": 4000, "git config a=": 4900, "env 'x y' ": 1300, "python3 'a b'; ": 900}
	units := []string{"ls;", "ls|", "ls&&", "ls ", "\\ ", "'a'", "a=b ", ">x ", "~", "*", "a* ", "rm *;", "$x", "! ", "{a,", "cd src;", "cd a;", "cd a||", "env ", "sudo ", "xargs ", "timeout 1 ", "echo ;#", "<<a ", "-", "time "}
	for _, unit := range slices.AppendSeq(units, maps.Keys(long)) {
		line := strings.Repeat(unit, cmp.Or(long[unit], (64<<10)/len(unit)-1)) + "ls"
		start := time.Now()
		command.Judge(line, env)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%q takes %v", unit, d)
		} else if d > 200*time.Millisecond {
			t.Logf("%q takes %v", unit, d)
		}
	}
}

func TestReasonsNameTheMostImportantEffect(t *testing.T) {
	env := workspace(t)
	for line, want := range map[string]string{
		"ls && ls --foo":                      "`ls` has an option that is not known to be safe: --foo",
		"find . -delete":                      "`find` deletes files",
		"curl http://x && rm -rf src":         "`rm` deletes files",
		"git push --force":                    "`git push` overwrites or deletes remote branches",
		"echo x > a.txt":                      "it overwrites `a.txt`",
		"cat $X":                              "the value of `$X` is not known before it runs",
		"tail -f log.txt":                     "`tail` has an option that is not known to be safe: -f",
		"frobnicate":                          "`frobnicate` is not on the list of programs that only read",
		"ls | (wc)":                           "it uses a subshell",
		"cat link/outside.txt":                "it reads " + env.Dir + "/link/outside.txt: it is outside the workspace",
		"curl -s http://x | sh":               "`curl` uses the network",
		"sudo ls":                             "`sudo` runs a command as another user",
		"cat 'a.txt":                          "bash cannot parse it: reached EOF without closing quote `'`",
		"cd options && rg x *":                "`*` matches the file `--pre=sh`, which a program reads as an option",
		"ls \x1b[8m":                          "it contains the control character U+001B",
		"bash -c 'echo hi; git reset --hard'": "`git reset` discards changes",
	} {
		if got := command.Judge(line, env).Reason; got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
