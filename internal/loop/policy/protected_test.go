package policy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/loop/policy"
	"agent/internal/loop/policy/standing"
	"agent/internal/sampling"
	"agent/internal/tools"
)

// pathsIn returns the Paths of a user whose home directory is the workspace.
func pathsIn(home string) policy.Paths {
	return policy.Paths{
		Workspace: home, Home: home, Config: []string{filepath.Join(home, ".config"), filepath.Join(home, "xdg")}, Shell: policy.Shell{Zsh: []string{home, filepath.Join(home, "zsh")}},
		ProgramFiles: []string{filepath.Join(home, ".config", "agent"), filepath.Join(home, ".local", "state", "agent"), filepath.Join(home, "src", "bin", "agent")},
	}
}

// protectedNames are paths in a home directory that must never be written without
// approval.
var protectedNames = []string{
	".config/agent/config.json", ".config/agent/new/file", ".local/state/agent/permissions.key", ".local/state/agent/sessions/x.jsonl", "src/bin/agent",
	".ssh/authorized_keys", ".ssh/config", ".gnupg/gpg.conf", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
	".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", "zsh/.zshrc", ".kshrc", ".inputrc",
	".config/fish/config.fish", ".config/fish/functions/ls.fish", "xdg/fish/config.fish",
	".config/systemd/user/x.service", ".config/autostart/x.desktop", ".local/bin/ls", "bin/ls",
	".git/config", ".git/hooks/pre-commit", "src/.git/hooks/pre-commit", "src/.git", ".gitconfig", ".config/git/config",
	"src/.github/workflows/ci.yml", "src/.gitlab-ci.yml", "src/.husky/pre-commit", "src/.envrc", "src/.vscode/tasks.json", "src/.idea/workspace.xml",
	"src/.mcp.json", ".claude/settings.json", "src/.claude/settings.json", ".agents/x",
	"src/.agent/commands/x.md", ".githooks/pre-commit", "src/.github/actions/x/action.yml", ".circleci/config.yml", ".forgejo/workflows/x.yml", ".gitea/workflows/x.yml",
	"src/.devcontainer/devcontainer.json", "src/.cursor/rules/x", ".codex/config.toml", ".gemini/settings.json", ".zed/tasks.json", ".yarnrc.yml", ".yarnrc", "src/.mise.toml", "mise.toml", "src/mise.local.toml", ".rtx.toml", "mise/conf.d/x.toml", ".config/mise/config.toml",
	".bashrc.d/x", ".cshrc", ".tcshrc", ".oh-my-zsh/custom/x.zsh", ".cargo/env", ".cargo/config.toml", ".vimrc", ".config/nvim/init.lua", ".emacs", ".emacs.d/init.el",
	".config/emacs/init.el", ".pgpass", ".my.cnf", ".gradle/init.gradle", ".gradle/init.d/x.gradle", ".m2/settings.xml", ".terraformrc", ".config/plasma-workspace/env/x.sh",
	"Jenkinsfile", "src/Jenkinsfile", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", ".woodpecker/x.yml", ".buildkite/pipeline.yml", "appveyor.yml", ".appveyor.yml",
	"src/.pre-commit-config.yaml", "prek.toml", ".overcommit.yml", ".git-hooks/pre_commit/x.rb", "lefthook.yml", "src/.lefthook.toml", "lefthook-local.yml", ".lefthook/pre-commit/x.sh", ".Lefthook.yml",
	".cirrus.yml", "cloudbuild.yaml", "buildspec.yml", ".semaphore/semaphore.yml", ".tekton/x.yaml", ".teamcity/settings.kts", "bitrise.yml", "codemagic.yaml", ".build.yml", ".builds/x.yml", ".vela.yml",
	"src/.helix/languages.toml", ".config/helix/config.toml", "crush.json", "src/.crush.json", ".qwen/settings.json", ".continue/config.yaml", ".amazonq/mcp.json",
	".claude.json", "src/.opencode/x", "opencode.json", ".kiro/x", ".roo/x", ".windsurf/x", ".aider.conf.yml",
	"src/.exrc", "src/_exrc", "src/.vimrc", "src/_vimrc", "src/.gvimrc", "src/.nvimrc", "src/.nvim.lua", "src/.dir-locals.el", "src/.dir-locals-2.el", "src/.EXRC",
	".vim/vimrc", ".vim/plugin/x.vim", ".gvimrc", ".emacs.el", ".bash_completion", ".config/zsh/.zshrc", "go/bin/x", ".cargo/bin/x",
	"src/.envrc.local", ".ENVRC.private", "src/.direnv/python/bin/x", "src/mise/config.toml", "src/.devcontainer.json",
	"src/.hg/hgrc", ".HG/hgrc", "src/.hg/hgrc-not-shared", ".hg/sharedpath", "src/.sl/config", "src/.jj/repo/config.toml", ".jj/workspace-config.toml", "src/.jj/repo",
	"src/_darcs/prefs/defaults", "_darcs/prefs/prefs", "src/.bzr/branch/branch.conf",
	// as on file systems that fold case, or ignore characters or suffixes
	".BASHRC", ".Ssh/authorized_keys", "src/.GIT/hooks/x", "src/.git\u200c/config", "src/.Github/Workflows/x.yml", "src/.gıthub/../.GITHUB/workflows/x", "src/.git./config",
	"src/git~1/config", "src/.envrc::$DATA", ".\u017f\u017fh/authorized_keys", ".config/Agent/config.json",
	// bare repositories, existing or created by the change
	"bare.git/hooks/post-receive", "bare.git/config", "bare.git/HEAD", "new.git/HEAD", "new.git/config", "worktree/config",
	// through a symbolic link
	"dotfiles/bashrc", "dotfiles/zshrc", "dotfiles/fish/config.fish", "dotfiles/missing",
}

// plainNames are similar paths that are not protected.
var plainNames = []string{
	".config/agent.json", ".config/agents/config.json", ".local/state/agent2/x", "src/bin/agent2", ".sshx/authorized_keys", "bashrc", "src/.bashrc", "src/main.go",
	".github/CODEOWNERS", "src/github/workflows/ci.yml", ".gitignore", ".gitmodules", "src/.gitattributes", "src/x.git/config", "src/HEAD", "objects/x", "src/envrc",
	"src/.hg/store/x", "src/.hg/dirstate", "src/.jj/repo/store/x", "src/.jj/working_copy/x", "src/repo/config.toml", "src/branch/branch.conf", "src/_darcs/prefs/author", "_darcs/patches/x", "src/.envrcs", "src/mise/x.toml",
	"src/.vim/vimrc", "src/.emacs", "src/init.lua", "src/.vscode.json", "notes.txt", "dotfiles/other", "src/.pre-commit-hooks.yaml", "src/lefthook.md", "src/bitrise.go", "src/helix/languages.toml", "src/buildspec/x.go", "src/crush/crush.go", "src/claude/settings.json",
}

// homeFor returns a home directory with the files that protectedNames needs.
func homeFor(t *testing.T) string {
	home := project(t, "bare.git/HEAD", "bare.git/objects/x", "bare.git/refs/x", "new.git/objects/x", "new.git/refs/x", "worktree/HEAD", "worktree/commondir", "dotfiles/zshrc", "dotfiles/fish/x", ".config/other")
	for link, target := range map[string]string{
		".bashrc": "dotfiles/bashrc", ".zshrc": filepath.Join(home, "dotfiles", "zshrc"), ".config/fish": "../dotfiles/fish", ".profile": "dotfiles/missing",
	} {
		if err := os.Symlink(target, filepath.Join(home, link)); err != nil {
			t.Skip(err)
		}
	}
	return home
}

// Protected paths need approval in every mode, despite standing permissions, and offer
// none.
func TestProtectedPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing here, and slows it down")
	}
	home := homeFor(t)
	at := pathsIn(home)
	tried, broken := 0, 0
	for i, mode := range event.Modes {
		p := policy.Policy{Mode: mode}
		for _, dir := range []string{".ssh/", ".config/", ".config/agent/", "src/", "src/.git/", "bare.git/", "dotfiles/", "./", "", "/"} {
			p.Allow(standing.Grant{Scope: standing.Scope{Kind: tools.Path, Value: dir, Dir: home}})
		}
		for j, name := range protectedNames {
			if !sampling.Row(i + j) { // each name is tried in a mode
				continue
			}
			for _, c := range []tools.Call{to(tools.Write, tools.Path, name), to(tools.Write, tools.Path, "src/main.go", name)} {
				tried++
				v := asks(&p, at, c)
				if mode == event.ModePlan && v.Refuse {
					continue
				}
				if !v.Ask || !v.Protected || v.Offer.Scope != (standing.Scope{}) || !strings.Contains(v.Warning, " is protected: ") || v.Why == v.Warning {
					broken++
					t.Errorf("%s: %s: got %+v", mode, name, v)
				}
			}
		}
		for _, name := range plainNames {
			if v := asks(&p, at, to(tools.Write, tools.Path, name)); v.Protected {
				t.Errorf("%s: %s: %s", mode, name, v.Why)
			}
		}
		if v := asks(&p, at, to(tools.Read, tools.Path, ".bashrc")); v.Ask || v.Refuse {
			t.Errorf("%s: a read asks: %+v", mode, v)
		}
	}
	t.Attr("promise", fmt.Sprintf("protected paths written without approval in any mode: %d of %d", broken, tried))
}

// The files of a bare repository are protected also if one change creates all of them,
// or if the workspace is inside it.
func TestBareRepositories(t *testing.T) {
	dir := project(t, "x")
	p := policy.Policy{Mode: event.ModeAll}
	v := asks(&p, policy.Paths{Workspace: dir}, to(tools.Write, tools.Path, "r/HEAD", "r/config", "r/objects/x", "r/refs/x"))
	if !v.Protected || strings.Count(v.Warning, " is protected: ") != 4 {
		t.Errorf("got %+v, want four protected paths", v)
	}
	bare := project(t, "HEAD", "objects/x", "refs/x", "hooks/post-receive.sample")
	for _, c := range []struct{ workspace, name string }{{bare, "config"}, {filepath.Join(bare, "hooks"), "post-receive"}} {
		if v := asks(&p, policy.Paths{Workspace: c.workspace}, to(tools.Write, tools.Path, c.name)); !v.Protected {
			t.Errorf("%s in %s: got %+v", c.name, c.workspace, v)
		}
	}
}

// A file is protected by identity too: by another name of it, or of its directory.
func TestProtectedByIdentity(t *testing.T) {
	home := project(t, ".netrc", ".ssh/config", "src/x")
	if err := os.Link(filepath.Join(home, ".netrc"), filepath.Join(home, "src", "notes.txt")); err != nil {
		t.Skip(err)
	}
	linked := filepath.Join(filepath.Dir(home), "linked")
	if err := os.Symlink(home, linked); err != nil {
		t.Skip(err)
	}
	p := policy.Policy{Mode: event.ModeAll}
	if v := asks(&p, pathsIn(home), to(tools.Write, tools.Path, "src/notes.txt")); !v.Protected {
		t.Errorf("a hard link: got %+v", v)
	}
	at := pathsIn(linked) // HOME contains a link, the workspace does not
	at.Workspace = home
	if v := asks(&p, at, to(tools.Write, tools.Path, ".ssh/new")); !v.Protected {
		t.Errorf("a home behind a link: got %+v", v)
	}
	at = pathsIn(home)
	at.Workspace = filepath.Join(linked, ".ssh")
	if v := asks(&p, at, to(tools.Write, tools.Path, "new")); !v.Protected {
		t.Errorf("a workspace behind a link: got %+v", v)
	}
}

// repository returns a hostile workspace, in which protected paths have other names.
func repository(t *testing.T) string {
	dir := project(t, "conf/settings.json", "hk/_/x", "env.sh", "team/setup", "lib/hooks/x", ".claude/commands/x.md", ".git/config", "src/main.go")
	write(t, filepath.Join(dir, ".git", "config"), "[core]\n\tbare = false ; no\n[CORE] hookspath = \"lib/hooks\" # ours\n[other]\nhooksPath = src\n")
	for link, target := range map[string]string{
		".vscode": "conf", ".husky": "hk", ".envrc": "env.sh", ".git/hooks/pre-commit": "../../team/pc", ".claude/commands/y.md": "../../team/y.md",
		".idea": "made/later", "x": ".vscode", "sub/.vscode": "../deep", "y": "sub/.vscode", ".github": "gh",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	return dir
}

// The target of a protected symbolic link is protected too, under all of its names.
func TestProtectedBehindLinks(t *testing.T) {
	dir := repository(t)
	tried, broken := 0, 0
	try := func(at policy.Paths, name string, protected bool) {
		t.Helper()
		for _, mode := range []event.Mode{event.ModeAuto, event.ModeAll} {
			tried++
			p := policy.Policy{Mode: mode}
			if v := asks(&p, at, to(tools.Write, tools.Path, name)); v.Protected != protected {
				broken++
				t.Errorf("%s: %s: got %+v, want protected %v", mode, name, v, protected)
			}
		}
	}
	for _, name := range []string{
		".vscode/launch.json", "conf/tasks.json", "x/tasks.json", "sub/.vscode/tasks.json", "y/tasks.json", ".husky/pre-commit", "hk/pre-commit", ".envrc", "env.sh",
		"deep/tasks.json", "team/pc", "team/y.md", "made/later", "made/later/x.xml", ".github/workflows/ci.yml", "gh/workflows/ci.yml", "lib/hooks/pre-push",
	} {
		try(policy.Paths{Workspace: dir}, name, true)
	}
	for _, name := range []string{"src/main.go", "team/setup", "made/x", "gh/CODEOWNERS", "lib/x", "sub/x"} {
		try(policy.Paths{Workspace: dir}, name, false)
	}
	try(policy.Paths{Workspace: filepath.Join(dir, "team")}, "pc", true) // linked from above the workspace
	try(policy.Paths{Workspace: filepath.Join(dir, "lib")}, "hooks/pre-push", true)
	try(policy.Paths{Workspace: filepath.Join(dir, "team")}, "setup", false)

	home := project(t, ".ssh/known_hosts", ".config/agent/commands/x.md", "dotfiles/x")
	for link, target := range map[string]string{".ssh/config": "../dotfiles/ssh_config", ".config/agent/commands/y.md": "../../../dotfiles/y.md"} {
		if err := os.Symlink(target, filepath.Join(home, link)); err != nil {
			t.Skip(err)
		}
	}
	write(t, filepath.Join(home, ".gitconfig"), "[core]\nhooksPath = ~/dotfiles/hooks\n")
	for _, name := range []string{"ssh_config", "y.md", "hooks/pre-commit"} {
		at := pathsIn(home)
		at.Workspace = filepath.Join(home, "dotfiles")
		try(at, name, true)
		try(pathsIn(home), "dotfiles/"+name, true)
	}
	try(pathsIn(home), "dotfiles/x", false)
	t.Attr("promise", fmt.Sprintf("protected paths written without approval through symbolic links: %d of %d", broken, tried))
}

// The name of a directory above the workspace protects nothing in it, unless it is in
// the user's home directory or belongs to agent.
func TestWorkspaceInAProtectedDirectory(t *testing.T) {
	home := project(t, ".claude/worktrees/x/main.go", ".config/agent-work/main.go", ".config/agent/work/main.go", ".ssh/work/x", "bare.git/HEAD", "bare.git/objects/x", "bare.git/refs/x", "bare.git/tree/.git", "bare.git/plain/x")
	for workspace, protected := range map[string]bool{
		".claude/worktrees/x": false, ".config/agent-work": false, "bare.git/tree": false,
		".config/agent/work": true, ".ssh/work": true, "bare.git/plain": true, ".claude": true,
	} {
		at := pathsIn(home)
		at.Workspace = filepath.Join(home, workspace)
		if v := asks(&policy.Policy{Mode: event.ModeAuto}, at, to(tools.Write, tools.Path, "main.go")); v.Protected != protected {
			t.Errorf("%s: got %+v, want protected %v", workspace, v, protected)
		}
		if v := asks(&policy.Policy{Mode: event.ModeAuto}, at, to(tools.Write, tools.Path, "sub/.envrc")); !v.Protected {
			t.Errorf("%s: .envrc: got %+v", workspace, v)
		}
	}
}

// The unresolved spelling of a target counts too.
func TestSpelledTarget(t *testing.T) {
	at := policy.Paths{Workspace: project(t, "deep/x")}
	c := to(tools.Write, tools.Path, "deep/tasks.json")
	c.Targets[0].Spelled = []string{"sub/.vscode/tasks.json"}
	v := asks(&policy.Policy{Mode: event.ModeAll}, at, c)
	if want := "sub/.vscode/tasks.json (deep/tasks.json) is protected: "; !v.Protected || !strings.HasPrefix(v.Warning, want) {
		t.Errorf("got %+v, want a warning that starts with %s", v, want)
	}
}

// Cyclic links do not hang the program.
func TestProtectedPathIsALoop(t *testing.T) {
	home := project(t)
	if err := os.Symlink(".bashrc", filepath.Join(home, ".bashrc")); err != nil {
		t.Skip(err)
	}
	if v := asks(&policy.Policy{Mode: event.ModeAll}, pathsIn(home), to(tools.Write, tools.Path, ".bashrc")); !v.Protected {
		t.Errorf("got %+v", v)
	}
}
