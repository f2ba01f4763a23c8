package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// A command cannot change the programs that git runs in submodules, linked worktrees and other
// worktrees whose git directory is elsewhere, nor in a repository around an added directory.
func TestCommandsCannotChangeWhatGitRunsInWorktrees(t *testing.T) {
	t.Parallel()
	const (
		submodule = "git init -q m && git -C m commit -q --allow-empty -m x && git -c protocol.file.allow=always submodule -q add ./m sub && mkdir sub/tools && "
		linked    = "git commit -q --allow-empty -m x && git worktree add -q -b y sub && mkdir sub/tools && "
		bare      = "git commit -q --allow-empty -m x && git clone -q --bare . .bare && rm -rf .git && echo 'gitdir: ./.bare' >.git && git worktree add -q -b y sub && mkdir sub/tools && "
		outer     = "git init -q ../other && cd ../other && mkdir -p sub/tools && "
	)
	for name, c := range sampling.Rows(map[string]struct{ setup, dir, added string }{
		"submodule hooks directory":    {submodule + "git -C sub config core.hooksPath tools", ".", ""},
		"submodule program":            {submodule + "git -C sub config core.fsmonitor tools/pre-commit", ".", ""},
		"submodule in vendor":          {submodule + "git -C sub config core.hooksPath tools && mkdir vendor && git mv sub vendor/sub", ".", ""},
		"linked worktree":              {linked + "git config core.hooksPath tools", ".", ""},
		"configuration of a worktree":  {linked + "git config extensions.worktreeConfig true && git -C sub config --worktree core.fsmonitor tools/pre-commit", ".", ""},
		"bare repository":              {bare + "git config core.hooksPath tools", ".", ""},
		"separate git directory":       {"git init -q --separate-git-dir=gd sub && mkdir sub/tools && git -C sub config core.hooksPath tools", ".", ""},
		"linked git directory":         {"git init -q sub && mv sub/.git gd && ln -s ../gd sub/.git && mkdir sub/tools && git -C sub config core.hooksPath tools", ".", ""},
		"core.worktree":                {"git init -q meta && git -C meta config core.hooksPath tools && git -C meta config core.worktree ../../sub && mkdir -p sub/tools", ".", ""},
		"repository above":             {"mkdir -p sub/lib/tools && git init -q sub/lib && git config core.hooksPath sub/lib/tools", "sub/lib", ""},
		"added: repository above":      {outer + "git config core.hooksPath sub/tools", ".", "../other/sub"},
		"added: link of a hook":        {outer + "ln -s ../../sub/tools/pre-commit .git/hooks/pre-commit", ".", "../other/sub"},
		"added: included":              {outer + "git config include.path ../sub/tools/pre-commit", ".", "../other/sub"},
		"added: linked worktree":       {"git init -q ../main && cd ../main && git commit -q --allow-empty -m x && git worktree add -q -b y ../other/sub && mkdir ../other/sub/tools && git config core.hooksPath tools", ".", "../other/sub"},
		"added: submodule":             {"git init -q ../other && cd ../other && " + submodule + "git -C sub config core.hooksPath tools", ".", "../other/sub"},
		"added: inner repository":      {outer + "git init -q sub && git config core.fsmonitor sub/tools/pre-commit", ".", "../other/sub"},
		"added: directory of worktree": {"git init -q ../main && cd ../main && git commit -q --allow-empty -m x && git worktree add -q -b y ../other/sub && mkdir -p ../other/sub/lib/tools && git config core.hooksPath lib/tools", ".", "../other/sub/lib"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := repository(t)
			setup := exec.Command("sh", "-ec", c.setup)
			setup.Dir = h.work
			setup.Env = append(os.Environ(), "GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@h.test", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@h.test")
			if out, err := setup.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			programs := directories(t, filepath.Dir(h.work), "tools")
			if len(programs) != 1 {
				t.Fatalf("directories of programs: %q", programs)
			}
			program := filepath.Join(programs[0], "pre-commit")
			if err := os.WriteFile(program, nil, 0o755); err != nil {
				t.Fatal(err)
			}
			beside := filepath.Join(filepath.Dir(programs[0]), "new")
			h.put(t, filepath.Join(c.dir, "write.sh"), "echo x >"+beside+"\necho touch OWNED >"+program+"\n")
			s := serve(t, call("shell", shellCall("sh write.sh")), say("done"))
			args := []string{"run", "--model", "openai/m", "--base-url", s.URL + "/v1", "--mode", "auto"}
			if c.added != "" {
				args = append(args, "--add-dir", filepath.Join(h.work, c.added))
			}
			cmd := h.command(append(args, "go")...)
			cmd.Dir = filepath.Join(h.work, c.dir)
			out, _ := cmd.CombinedOutput()
			if got, err := os.ReadFile(program); err != nil || len(got) > 0 {
				t.Errorf("the command wrote %q (%v)\n%s", got, err, out)
			}
			if _, err := os.Stat(beside); err != nil {
				t.Errorf("the command did not run: %v\n%s", err, out)
			}
		})
	}
}

// directories returns the directories below dir that have a name.
func directories(t *testing.T, dir, name string) []string {
	t.Helper()
	out, err := exec.Command("find", dir, "-type", "d", "-name", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}
