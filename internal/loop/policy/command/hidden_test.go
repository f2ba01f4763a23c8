//go:build unix

package command_test

import (
	"testing"

	"agent/internal/loop/policy/command"
)

// A line that hides which program runs is unclear or destructive.
func TestHiddenCommandsAreUnclear(t *testing.T) {
	env := workspace(t)
	for kind, lines := range map[string][]string{
		"option in an expansion":    {"git reset ${x:---hard}", "git reset \"$x\"", "git {reset,} -q --hard", "git -$'\\x43' . reset --hard", "git $x", "git checkout HEAD {main.go,}"},
		"program in an argument":    {"find . -exec $(command -v rm) -rf src ';'", "find . -exec {rm,-rf,src} ';'", "find . -exec /bin/r[m] src ';'", "env -i PATH=\"$PATH\" /bin/r[m] -rf \"${x}\"", "chrt -b 0 rm src", "chrt -o 0 $'rm' src"},
		"many wrappers":             {"nice env nohup timeout 5 command rm src", "find . -exec bash -c \"find . -exec bash -c 'find . -exec rm x' \\;\" {} +"},
		"script of a shell":         {"bash -c -- 'rm src'", "bash -o posix -c -e 'rm src'", "bash -c -o posix 'rm src'", "cat `bash -c \"\\$(command -v rm) src\"`", "trap 'xargs rm' EXIT"},
		"input of a shell":          {"/proc/self/exe -c 'rm src'"},
		"file that the line writes": {"printf 'rm src' | tee s; . ./s", "for x in 1; do ln -s $(command -v rm) z; PATH=.; z src; done"},
		"settings of git":           {"git -c alias.z='!rm src' z", "git -c alias.z='reset --hard' z", "git -calias.z='reset --hard' z", "git config alias.z '!git --git-dir=.git reset --hard'; git z", "git -c alias.z='!rm${IFS}src' z"},
		"variables":                 {"A='!/bin/r[m] src' git --config-env=alias.z=A z"},
		"nested backquotes":         {"echo `echo \\`\\\\\\`which rm\\\\\\` -rf src\\``"},
		"unknown directory":         {"let \"a[$(trap 'git checkout -q HEAD main.go' EXIT)]\""},
		"coprocess":                 {"coproc x=\"f() { rm src; }; trap f EXIT\" bash -c 'eval \"$x\"'", "coproc rm src", "coproc x=1 rm src", "coproc N { rm src; }"},
		"end of a here-document":    {"cat <<E\n\\\nE\nrm src\nE\n", "cat <<-E\nx\n\t\\\nE\nrm src\nE\n", "cat <<E\nE\\\n\nrm src\nE\n"},
	} {
		for _, line := range lines {
			if c := command.Judge(line, env); c.Traits&(command.Undetermined|command.Destroys) == 0 {
				t.Errorf("%s: %q is clear: %s", kind, line, c.Traits)
			}
		}
	}
	for _, line := range []string{
		"git commit -m \"$(cat <<'E'\nText\nE\n)\"", "git checkout -b \"$name\"", "git log \"$range\"", "git diff $(git merge-base main HEAD)", "find . -name \"$x\"", "find \"src/$x\" -type f", "timeout 60 go test $packages", "nice env X=1 go test",
		"bash build.sh \"$x\"", "chmod +x build.sh && ./build.sh", "bash main.go <a.txt", "bash -c 'go test ./...' x", "go test | xargs -I{} echo {}", "ls | xargs git add", "ls | xargs gofmt -l", "cat >s.py <<E\nx\nE\npython3 s.py", "cat >x <<E\nRUN a \\\n  b\nE\n", "git -c user.name='A B' commit -m x",
		"awk '$1 > 5 {print $2}' a.txt", "GOFLAGS='-count=1 -v' go test", "python3 -c 'print(1 > 0)'", "find src -name '*.go' | xargs -I{} find {} -size +1k", "for f in a b; do go vet \"./$f\"; done", "sed -n \"${a},${b}p\" main.go",
	} {
		if c := command.Judge(line, env); c.Traits&(command.Undetermined|command.Destroys) != 0 {
			t.Errorf("%q is %s: %s", line, c.Traits, c.Reason)
		}
	}
}
