//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"agent/cmd/agent/command"
	"agent/cmd/agent/permit"
	"agent/cmd/agent/settings"
	"agent/internal/loop/event"
)

// permitted returns the verdict of `agent permit` on a command in a mode, with added directories,
// and its output.
func permitted(t *testing.T, line string, m event.Mode, dirs ...string) (verdict, output string) {
	t.Helper()
	var out bytes.Buffer
	f := &command.Factory{IO: command.IO{Out: command.Console{Writer: &out}, Err: command.Console{Writer: os.Stderr}}, Settings: command.ReadSettings}
	system := func() settings.SystemFile { return systemFile }
	cmd := permit.NewCmd(f, &permit.Flags{Mode: string(m)}, system, permitPaths(&dirs), nil)
	cmd.SetArgs([]string{"--", line})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	verdict, _, _ = strings.Cut(out.String(), "\n")
	return verdict, out.String()
}

// enterCases makes a workspace with the files that the cases name the working directory.
func enterCases(t *testing.T) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "work")
	for _, name := range []string{
		"main.go", "a.txt", "b.txt", "victim.txt", "log.txt", "evil.sh", "x.json", ".env", ".hidden", "src/one.go", "src/two.go", "src/deep/three.go",
		"options/--pre=sh", "options/a.txt", "spaces/a b.txt", "../outside.txt", "../work-evil/x.txt", "bin/ls",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(root, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	t.Chdir(dir)
}

// edited are the reasons for which mode auto runs commands that do not only read: undo can
// restore what they change, or they only change files in the workspace, like an edit.
var edited = regexp.MustCompile("mode auto: (commands in the complete sandbox need no approval: it refuses changes that undo cannot restore|file changes in the workspace need no approval)\n")

// TestPermitCases judges the commands of shell.tsv in the directory AGENT_CASES, in every
// permission mode.
func TestPermitCases(t *testing.T) {
	cases := os.Getenv("AGENT_CASES")
	if cases == "" {
		t.Skip("AGENT_CASES is not set")
	}
	f, err := os.Open(filepath.Join(cases, "shell.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	enterCases(t)
	total, auto := map[string]int{}, map[event.Mode]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text, rest, ok := strings.Cut(lines.Text(), "\t")
		if !ok || strings.HasPrefix(text, "# command") {
			continue
		}
		want, why, _ := strings.Cut(rest, "\t")
		line, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(text, `\"`, `"`), `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		total[want]++
		for _, m := range event.Modes {
			verdict, output := permitted(t, line, m)
			switch {
			case want == "auto" && verdict == "auto":
				auto[m]++
			case want == "auto":
				t.Logf("mode %s: %s: %s (%s)", m, text, output, why)
			case m == event.ModeAuto && verdict == "auto" && edited.MatchString(output):
			case want != "either" && m != event.ModeAll && verdict == "auto", want == "deny-ro" && m == event.ModePlan && verdict != "deny":
				t.Errorf("mode %s: %s must be %s (%s), but:\n%s", m, text, want, why, output)
			}
		}
	}
	for _, m := range event.Modes {
		t.Logf("mode %s: %d of %d automatic", m, auto[m], total["auto"])
		if auto[m]*20 < total["auto"]*19 || total["auto"] == 0 || total["deny-ro"] == 0 {
			t.Errorf("mode %s: only %d of %d automatic commands run, of %v", m, auto[m], total["auto"], total)
		}
	}
}

// agent permit prints no control characters of the command, and judges long and damaged
// commands.
func TestPermitHostileCommands(t *testing.T) {
	enterCases(t)
	for name, line := range map[string]string{
		"escape": "echo \x1b]0;title\a", "bidi": "echo \u202egnp.exe", "quoted": "rm 'a\x1b[31m\nauto'", "invalid UTF-8": "ls \xff", "NUL": "ls \x00",
		"long": "echo " + strings.Repeat("x", 200_000), "deep": strings.Repeat("(", 5000) + "ls", "lines": "ls\nrm x\n",
	} {
		verdict, output := permitted(t, line, event.ModeAsk)
		if verdict != "ask" || strings.ContainsAny(output, "\x1b\a\x00\u202e") || !utf8.ValidString(output) || strings.Count(output, "\nauto") > 0 {
			t.Errorf("%s: got %q", name, output[:min(len(output), 400)])
		}
	}
}

// Permit judges with the directories that --add-dir adds, as a session does.
func TestPermitWithAddedDirectories(t *testing.T) {
	enterCases(t)
	other := t.TempDir()
	line := "echo x > " + filepath.Join(other, "f")
	_, before := permitted(t, line, event.ModeAuto)
	_, after := permitted(t, line, event.ModeAuto, other)
	if !strings.Contains(before, "outside the workspace") || strings.Contains(after, "outside the workspace") {
		t.Errorf("without the directory:\n%s\nwith it:\n%s", before, after)
	}
	if _, err := pathsWith(".", settings.Settings{}, []string{filepath.Join(other, "none")}); err == nil || !strings.Contains(err.Error(), "--add-dir") {
		t.Errorf("a directory that is missing: %v", err)
	}
}
