package policy

// protectedPath protects a path and everything below it.
type protectedPath struct {
	// path begins with "~/" for the home directory, "config/" for configuration
	// directories, "zsh/" for the directories of zsh's startup files, "/" for the
	// root. Any other path applies in every directory of the workspace.
	path   string
	reason string // completes "protected: "
}

// protectedPaths are the paths that make another program run commands or grant
// access when they change, or that hold credentials. Every row costs the user
// approvals, so the table lists only files that take effect without a further check.
// It does not list .gitmodules, because git runs nothing that it names.
var protectedPaths = []protectedPath{
	{".git", gitPrograms}, {"~/.gitconfig", gitPrograms}, {"config/git", gitPrograms},
	{".husky", gitHooks}, {".githooks", gitHooks},
	{".pre-commit-config.yaml", runByHooks}, {".pre-commit-config.yml", runByHooks}, {"prek.toml", runByHooks}, {".overcommit.yml", runByHooks}, {".git-hooks", gitHooks},
	{"lefthook.yml", runByHooks}, {"lefthook.yaml", runByHooks}, {"lefthook.toml", runByHooks}, {"lefthook.json", runByHooks},
	{".lefthook.yml", runByHooks}, {".lefthook.yaml", runByHooks}, {".lefthook.toml", runByHooks}, {".lefthook.json", runByHooks},
	{"lefthook-local.yml", runByHooks}, {".lefthook-local.yml", runByHooks}, {".lefthook", gitHooks}, {".lefthook-local", gitHooks},
	{".github/workflows", runByCI}, {".github/actions", runByCI}, {".gitlab-ci.yml", runByCI}, {".circleci", runByCI},
	{".forgejo", runByCI}, {".gitea", runByCI}, {"Jenkinsfile", runByCI}, {".travis.yml", runByCI}, {"azure-pipelines.yml", runByCI},
	{"bitbucket-pipelines.yml", runByCI}, {".drone.yml", runByCI}, {".woodpecker.yml", runByCI}, {".woodpecker", runByCI}, {".buildkite", runByCI},
	{"appveyor.yml", runByCI}, {".appveyor.yml", runByCI},
	{".cirrus.yml", runByCI}, {".cirrus.star", runByCI}, {"cloudbuild.yaml", runByCI}, {"cloudbuild.yml", runByCI}, {"buildspec.yml", runByCI}, {"buildspec.yaml", runByCI},
	{".semaphore", runByCI}, {".tekton", runByCI}, {".teamcity", runByCI}, {"bitrise.yml", runByCI}, {"codemagic.yaml", runByCI}, {".build.yml", runByCI}, {".builds", runByCI}, {".vela.yml", runByCI},
	{".hg/hgrc", vcsHooks}, {".hg/hgrc-not-shared", vcsHooks}, {".hg/sharedpath", vcsHooks}, {".sl/config", vcsHooks}, {".jj/repo/config.toml", vcsHooks}, {".jj/workspace-config.toml", vcsHooks}, {fileOnly, vcsHooks},
	{"_darcs/prefs/defaults", vcsHooks}, {"_darcs/prefs/prefs", vcsHooks}, {".bzr/branch/branch.conf", vcsHooks},
	{".envrc", runByDirenv}, {".envrc.*", runByDirenv}, {".direnv", runByDirenv},
	{".mise.toml", runByMise}, {"mise.toml", runByMise}, {".mise.local.toml", runByMise}, {"mise.local.toml", runByMise}, {".rtx.toml", runByMise}, {".mise", runByMise}, {".config/mise", runByMise},
	{".config/mise.toml", runByMise}, {"mise/config.toml", runByMise}, {"mise/conf.d", runByMise},
	{".yarnrc.yml", runByYarn}, {".yarnrc", runByYarn},
	{".vscode", runByEditor}, {".idea", runByEditor}, {".zed", runByEditor}, {".helix", runByEditor},
	{".exrc", runByEditor}, {"_exrc", runByEditor}, {".vimrc", runByEditor}, {"_vimrc", runByEditor}, {".gvimrc", runByEditor}, {".nvimrc", runByEditor}, {".nvim.lua", runByEditor},
	{".dir-locals.el", runByEditor}, {".dir-locals-2.el", runByEditor},
	{".devcontainer", runByContainer}, {".devcontainer.json", runByContainer},
	{".mcp.json", "configures servers that coding assistants run"},
	{".claude", assistant}, {".agents", assistant}, {".cursor", assistant}, {".codex", assistant}, {".gemini", assistant},
	{".claude.json", assistant}, {".opencode", assistant}, {"opencode.json", assistant}, {".kiro", assistant}, {".roo", assistant}, {".windsurf", assistant},
	{".aider.conf.yml", assistant}, {"crush.json", assistant}, {".crush.json", assistant}, {".qwen", assistant}, {".continue", assistant}, {".amazonq", assistant},
	{".agent", ownCommands},

	{"~/.bashrc", runByShell}, {"~/.bash_profile", runByShell}, {"~/.bash_login", runByShell}, {"~/.bash_logout", runByShell},
	{"~/.bash_aliases", runByShell}, {"~/.bashrc.d", runByShell}, {"~/.profile", runByShell}, {"~/.kshrc", runByShell},
	{"~/.cshrc", runByShell}, {"~/.tcshrc", runByShell}, {"~/.oh-my-zsh", runByShell}, {"~/.cargo/env", runByShell},
	{"zsh/.zshenv", runByShell}, {"zsh/.zprofile", runByShell}, {"zsh/.zshrc", runByShell}, {"zsh/.zlogin", runByShell}, {"zsh/.zlogout", runByShell},
	{"config/fish", runByShell}, {"config/zsh", runByShell}, {"~/.bash_completion", runByShell},
	{"~/.inputrc", "controls what your keys do in the shell"},
	{"~/.local/bin", runByName}, {"~/bin", runByName}, {"~/go/bin", runByName}, {"~/.cargo/bin", runByName},

	{"~/.vimrc", runByEditor}, {"config/nvim", runByEditor}, {"config/helix", runByEditor}, {"~/.emacs", runByEditor}, {"~/.emacs.d", runByEditor}, {"~/.emacs.el", runByEditor}, {"~/.vim", runByEditor}, {"~/.gvimrc", runByEditor}, {"config/emacs", runByEditor},
	{"~/.cargo/config.toml", runByBuild}, {"~/.gradle/init.gradle", runByBuild}, {"~/.gradle/init.d", runByBuild},

	{"~/.pam_environment", runAtLogin}, {"~/.xprofile", runAtLogin}, {"~/.xsession", runAtLogin}, {"~/.xsessionrc", runAtLogin}, {"~/.xinitrc", runAtLogin},
	{"config/autostart", runAtLogin}, {"config/environment.d", runAtLogin}, {"config/plasma-workspace/env", runAtLogin},
	{"config/systemd", runBySystem}, {"~/.local/share/systemd", runBySystem}, {"~/Library/LaunchAgents", runBySystem},
	{"/etc/crontab", runBySystem}, {"/etc/cron.d", runBySystem}, {"/etc/systemd", runBySystem}, {"/var/spool/cron", runBySystem},

	{"~/.ssh", sshFiles},
	{"~/.gnupg", gnupgFiles},
	{"~/.aws", credentials}, {"~/.azure", credentials}, {"~/.kube", credentials}, {"~/.docker", credentials},
	{"config/gh", credentials}, {"config/gcloud", credentials},
	{"~/.netrc", credentials}, {"~/_netrc", credentials}, {"~/.git-credentials", credentials},
	{"~/.npmrc", credentials}, {"~/.pypirc", credentials}, {"~/.pgpass", credentials}, {"~/.my.cnf", credentials},
	{"~/.m2/settings.xml", credentials}, {"~/.terraformrc", credentials},
}

// fileOnly is protected only if it is not a directory: it names the directory with the
// configuration of another workspace.
const fileOnly = ".jj/repo"

// The reasons that several rows share.
const (
	vcsHooks       = "configures hooks and programs that version control runs"
	runByDirenv    = "direnv runs it when you enter the directory"
	runByContainer = "configures commands that run when the container is opened"
	gitPrograms    = "configures hooks and programs that git runs"
	gitHooks       = "holds hooks that git runs"
	gitNamed       = "git's configuration names it, so that git runs or reads it"
	gitUnknown     = "git may run it: its configuration names all of the repository, or cannot be followed"
	runByHooks     = "configures programs that git hooks run"
	runByCI        = "runs on the CI server, with access to its secrets"
	runByEditor    = "configures programs that your editor runs"
	runByMise      = "mise runs its hooks and sets your environment from it"
	runByYarn      = "names the program and the plugins that yarn runs"
	runByBuild     = "configures programs that your builds run"
	assistant      = "controls coding assistants"
	ownCommands    = "holds the commands that this repository adds to agent"
	runByShell     = "runs when you open a shell"
	runByName      = "holds programs that run when you type their names"
	runAtLogin     = "takes effect when you log in"
	runBySystem    = "runs in the background, even when you are not logged in"
	sshFiles       = "controls SSH logins and may hold private keys"
	gnupgFiles     = "holds GnuPG keys and settings"
	credentials    = "may hold passwords or access tokens"
	ownFiles       = "agent's own configuration, sessions or program"
)
