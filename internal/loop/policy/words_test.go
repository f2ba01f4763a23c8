package policy_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/policy"
	"agent/internal/loop/policy/standing"
)

// If a command makes a real shell run a script, by any spelling, then the script is
// among the files of the permission, or no permission is offered.
func TestWhatRunsIsNamed(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	dir := project(t, "sub/x")
	script, marker := filepath.Join(dir, "build.sh"), filepath.Join(dir, "ran")
	write(t, script, "#!/bin/sh\n: >"+marker+"\n")
	write(t, filepath.Join(dir, "words"), "./build.sh\n")
	r := rand.New(rand.NewPCG(1, 2))
	at, ran, offered := policy.Paths{Workspace: dir, Home: dir}, 0, 0
	for range 150 {
		command := spelled(r)
		_ = os.Remove(marker)
		cmd := exec.Command(bash, "-c", command)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}
		_ = cmd.Run() // some are not valid commands
		if _, err := os.Stat(marker); err != nil {
			continue
		}
		ran++
		f := at.Look(t.Context(), run(dir, command))
		if !f.Unbound {
			offered++
		}
		if !f.Unbound && !slices.ContainsFunc(f.Files, func(f standing.File) bool { return f.Path == script }) {
			t.Errorf("%q runs build.sh, which is not among %v", command, f.Files)
		}
	}
	if ran < 50 || offered < 12 {
		t.Errorf("only %d commands ran the script, %d with an offer: the test says little", ran, offered)
	}
}

// spelled returns a random command that usually runs build.sh.
func spelled(r *rand.Rand) string {
	var b strings.Builder
	for _, c := range "./build.sh" {
		switch r.IntN(14) {
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
		default:
			b.WriteRune(c)
		}
	}
	words := []string{b.String(), b.String(), "./build.*", "./b?ild.sh", "./[a-c]uild.sh", "./{build,other}.sh", "~/build.sh", `$PWD/build.sh`,
		`./$'\x62'uild.sh`, "./$(echo build.sh)", "sub/../build.sh", "././build.sh", ".//build.sh", `$(cat words)`, "X=./build.sh; $X"}
	command := words[r.IntN(len(words))]
	for range r.IntN(3) {
		switch r.IntN(13) {
		case 0:
			command = "true && " + command
		case 1:
			command = "echo x | " + command
		case 2:
			command = "(" + command + ")"
		case 3:
			command = "{ " + command + "; }"
		case 4:
			command = "echo \"$(" + command + ")\""
		case 5:
			command = "echo `" + command + "`"
		case 6:
			command = "if true; then " + command + "; fi"
		case 7:
			command = "eval " + quoted(command)
		case 8:
			command = "bash -c " + quoted(command)
		case 9:
			command = "env A=b " + command
		case 10:
			command = "cd sub; cd ..; " + command
		case 11:
			command = "bash <<E\n" + command + "\nE\n"
		case 12:
			command = "A=b " + command + " >out 2>&1 # done"
		}
	}
	return command
}

// quoted returns text as one shell word.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
