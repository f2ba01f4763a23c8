//go:build unix

package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tools/shell"
)

// fakeGo puts a program "go" into PATH that exits with its last argument, or ends itself with the
// signal in it.
func fakeGo(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	const program = "#!/bin/sh\necho \"go $*\"\nfor last; do :; done\ncase $last in [0-9]*) exit $last;; [A-Z]*) kill -$last $$;; cat) cat;; env) env | sort | grep -v ^BASH_ENV; ls -l /proc/self/fd | wc -l;; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// A line behaves the same if its checks report their exit codes.
func TestReportsDoNotChangeACommand(t *testing.T) {
	if filepath.Base(shell.Program()) != "bash" {
		t.Skip("bash is not installed")
	}
	fakeGo(t)
	dir := t.TempDir()
	for _, line := range []string{
		"go test 1; echo $?", "go test 0 && go vet 2 || echo no $?", "set -e; go test 3; echo never", "set -eu; go test 0; go vet 1 | cat; echo $? ${PIPESTATUS[*]}",
		"go test 1 | { cat; go vet 2; } | cat; echo ${PIPESTATUS[*]}", "set -o pipefail; go test 4 | cat; echo $?", "x=$(go test 1) || echo $x $?", "for i in 0 1 2; do go test $i || break; done; echo $i $?",
		"if ! go test 1; then echo failed; fi; go test 0", "(cd / && go test 1); pwd", "echo text | go test cat; cat <<E\n$(go test 0)\nE", "go test cat <<'E'\ntext $x\nE\necho $?",
		"go test env; echo", "A=1 go test env | grep -c ^A=; echo", "go test TERM; echo $?", "go test 0 >out; cat out; go test 1 2>&1 >/dev/null", "timeout 5 go test 1; echo $?",
		"{ go test 1; go test 2; } | cat; echo", "go test \"a b\" 'c  d' $'e\\nf' 0; echo", "go test a\\\n  0; echo", "nohup go test 1; echo $?", "env A=2 go test env | grep ^A=; echo",
		"gotestsum 1; go test 0; echo $LINENO", "\n\ngotestsum; go test 0", "PATH=/none; go test 1; echo $?", "ulimit -n 64; go test 0; echo", "while go test 1; do :; done; echo $?", "until go test 0; do :; done; echo $?",
		"exec 5>out5; go test 0 >&5; cat out5", "go test 1 & wait $!; echo $?", "set -x; go test 1; echo", "ps | grep -c '[b]ash -c'; go test 0", "trap 'echo bye' EXIT; go test 1", "go() { echo mine; }; go test 1; echo",
		"cat <(go test 0); echo", "case $(go test 0) in go*) go test 1;; esac; echo $?", "exec go test 3", "yes | go test 0; echo ${PIPESTATUS[*]}", "go test 0; cd /; go test 1; true",
	} {
		plain := run(t, shell.Command{Line: line, Dir: dir})
		reporting := run(t, shell.Command{Line: line, Dir: dir, Checks: true})
		if plain.Output != reporting.Output || plain.Code != reporting.Code || plain.Dir != reporting.Dir || plain.Left != reporting.Left {
			t.Errorf("%s:\nplain %d %q %q\nreporting %d %q %q", line, plain.Code, plain.Dir, plain.Output, reporting.Code, reporting.Dir, reporting.Output)
		}
	}
}

func TestChecksReportTheirExitCodes(t *testing.T) {
	if filepath.Base(shell.Program()) != "bash" {
		t.Skip("bash is not installed")
	}
	fakeGo(t)
	dir := t.TempDir()
	for line, want := range map[string]string{
		"go test 1":                              "",
		"go test 1; echo":                        "go test: 1",
		"x=$(go test 2); echo":                   "go test: 2",
		"go test 1 > log; go vet 3; tail log":    "go test: 1, go vet: 3",
		"go test 1; go test 0; echo":             "go test 1: 1, go test 0: 0",
		"for i in 0 1; do go test p$i $i; done":  "go test p0 0: 0, go test p1 1: 1",
		"( go test 1 ) | cat":                    "go test: 1",
		"timeout 9 env A=1 go test 5 | tail":     "go test: 5",
		"cd / && { go test 1 || true; }":         "go test: 1",
		"go test 1 & wait":                       "",
		"false && go test 1; echo":               "",
		"set -x; go test 1; echo":                "",
		"go() { false; }; go test 1; echo":       "",
		"bash -c 'go test 1'; echo":              "",
		"gotestsum; echo":                        "",
		"echo 'go test 1; go test 0'; go test 1": "go test: 1",
	} {
		var got []string
		for _, e := range run(t, shell.Command{Line: line, Dir: dir, Checks: true}).Checks {
			got = append(got, fmt.Sprintf("%s: %d", e.Name, e.Code))
			if e.Dir == "" {
				t.Errorf("%s: no directory", line)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
