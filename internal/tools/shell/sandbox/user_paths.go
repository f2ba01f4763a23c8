package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// UserPaths finds the paths of a user that a Profile needs. Its methods return
// absolute paths that exist, unless they say otherwise; links are not resolved.
type UserPaths struct {
	Home string
	Env  func(name string) string // like os.Getenv
}

// Caches returns the caches of toolchains, which builds write to. Some contain
// programs: see Programs.
func (p UserPaths) Caches() []string {
	cache := p.or("XDG_CACHE_HOME", ".cache")
	cargo := p.or("CARGO_HOME", ".cargo")
	return existing(
		p.or("GOCACHE", filepath.Join(cache, "go-build")),
		p.or("GOMODCACHE", filepath.Join(p.goPath(), "pkg/mod")),
		filepath.Join(p.goPath(), "pkg/sumdb"),
		filepath.Join(cache, "golangci-lint"), filepath.Join(cache, "staticcheck"), filepath.Join(cache, "gopls"),
		p.or("npm_config_cache", ".npm"), filepath.Join(cache, "yarn"), filepath.Join(cache, "pnpm"), filepath.Join(p.Home, ".yarn/berry"),
		filepath.Join(p.Home, ".local/share/pnpm/store"),
		filepath.Join(cargo, "registry"), filepath.Join(cargo, "git"),
		p.or("PIP_CACHE_DIR", filepath.Join(cache, "pip")), p.or("UV_CACHE_DIR", filepath.Join(cache, "uv")),
		filepath.Join(cache, "pypoetry/cache"), filepath.Join(cache, "pypoetry/artifacts"),
		p.or("CCACHE_DIR", ".ccache"), filepath.Join(cache, "ccache"), filepath.Join(cache, "sccache"), filepath.Join(cache, "zig"),
		filepath.Join(p.Home, ".m2/repository"), filepath.Join(p.or("GRADLE_USER_HOME", ".gradle"), "caches"),
		filepath.Join(p.Home, ".nuget/packages"),
	)
}

// Downloads returns the directories that hold the dependencies and environments which
// toolchains download. They run later without a sandbox, and toolchains write to them only
// when they download.
func (p UserPaths) Downloads() []string {
	cache, cargo, gradle := p.or("XDG_CACHE_HOME", ".cache"), p.or("CARGO_HOME", ".cargo"), p.or("GRADLE_USER_HOME", ".gradle")
	downloads := []string{
		p.or("GOMODCACHE", filepath.Join(p.goPath(), "pkg/mod")), filepath.Join(cargo, "registry"), filepath.Join(cargo, "git"),
		filepath.Join(cache, "pypoetry/virtualenvs"), filepath.Join(cache, "pre-commit"), filepath.Join(p.Home, ".m2/wrapper"),
	}
	for _, part := range gradleParts[1:] { // caches are those of builds
		downloads = append(downloads, filepath.Join(gradle, part))
	}
	return existing(downloads...)
}

// MissingCaches returns those caches of the toolchains of projects that do not exist yet. A
// toolchain cannot create them in a sandbox. Toolchains have a file at the top of a project; with the
// network also in a directory there, or a program in $PATH.
func (p UserPaths) MissingCaches(projects []string, network bool) (missing []string) {
	cache, cargo, gradle := p.or("XDG_CACHE_HOME", ".cache"), p.or("CARGO_HOME", ".cargo"), p.or("GRADLE_USER_HOME", ".gradle")
	if !filepath.IsAbs(p.Home) {
		return nil
	}
	in := func(dir string, names ...string) []string {
		names = slices.Clone(names)
		for i, name := range names {
			names[i] = filepath.Join(dir, name)
		}
		return names
	}
	for _, toolchain := range []struct {
		program       string
		files, caches []string
	}{
		{"go", []string{"go.mod", "go.work"}, []string{p.or("GOCACHE", filepath.Join(cache, "go-build")), p.or("GOMODCACHE", filepath.Join(p.goPath(), "pkg/mod")), filepath.Join(p.goPath(), "pkg/sumdb")}},
		{"npm", []string{"package.json"}, []string{p.or("npm_config_cache", ".npm")}},
		{"yarn", []string{"yarn.lock"}, []string{filepath.Join(cache, "yarn"), filepath.Join(p.Home, ".yarn/berry")}},
		{"pnpm", []string{"pnpm-lock.yaml"}, []string{filepath.Join(cache, "pnpm"), filepath.Join(p.Home, ".local/share/pnpm/store")}},
		{"cargo", []string{"Cargo.toml"}, in(cargo, "registry", "git")},
		{"pip", []string{"pyproject.toml", "requirements.txt", "setup.py"}, []string{p.or("PIP_CACHE_DIR", filepath.Join(cache, "pip"))}},
		{"uv", []string{"pyproject.toml", "requirements.txt", "setup.py"}, []string{p.or("UV_CACHE_DIR", filepath.Join(cache, "uv"))}},
		{"poetry", []string{"poetry.lock"}, in(filepath.Join(cache, "pypoetry"), "cache", "artifacts", "virtualenvs")},
		{"pre-commit", []string{".pre-commit-config.yaml"}, []string{filepath.Join(cache, "pre-commit")}},
		{"mvn", []string{"pom.xml"}, []string{filepath.Join(p.Home, ".m2/repository"), filepath.Join(p.Home, ".m2/wrapper")}},
		{"gradle", []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}, in(gradle, gradleParts...)},
	} {
		programs := filepath.SplitList(p.Env("PATH"))
		if !network {
			programs = nil
		}
		used := func(project string) bool {
			return slices.ContainsFunc(toolchain.files, func(name string) bool { return has(project, name, network) })
		}
		if !slices.ContainsFunc(projects, used) &&
			!slices.ContainsFunc(programs, func(dir string) bool { return len(existing(filepath.Join(dir, toolchain.program))) > 0 }) {
			continue
		}
		for _, dir := range toolchain.caches {
			if len(existing(dir)) == 0 {
				missing = append(missing, dir)
			}
		}
	}
	return missing
}

// gradleParts are the directories in its home that Gradle writes to.
var gradleParts = []string{"caches", "wrapper", "daemon", "native", "notifications", "workers", ".tmp"}

// has reports whether a workspace contains a file at its top, or in a directory there if
// deep is set.
func has(workspace, name string, deep bool) bool {
	if len(existing(filepath.Join(workspace, name))) > 0 {
		return true
	}
	if !deep {
		return false
	}
	found, _ := filepath.Glob(filepath.Join(workspace, "*", name)) // the error is a malformed pattern
	return len(found) > 0
}

// Programs returns paths below Caches that contain programs which the user runs
// later without a sandbox. They belong to Profile.ReadOnly.
func (p UserPaths) Programs() []string {
	modules := p.or("GOMODCACHE", filepath.Join(p.goPath(), "pkg/mod"))
	toolchains, _ := filepath.Glob(filepath.Join(modules, "golang.org/toolchain@*")) // the error is a malformed pattern
	return existing(append(toolchains,
		filepath.Join(p.or("npm_config_cache", ".npm"), "_npx"),
		filepath.Join(p.or("UV_CACHE_DIR", filepath.Join(p.or("XDG_CACHE_HOME", ".cache"), "uv")), "environments-v2"),
	)...)
}

// Toolchains returns the paths below the home directory that commands may read
// when the rest of it is hidden.
func (p UserPaths) Toolchains() []string {
	paths := []string{
		".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes", ".config/go/env",
		"sdk", ".cargo/bin", ".rustup", ".nvm", ".fnm", ".volta", ".asdf", ".mise", ".local/share/mise", ".pyenv", ".rbenv",
		".sdkman", ".jenv", ".deno/bin", ".bun/bin", ".local/bin", ".local/lib", ".local/share/pnpm", ".local/share/uv", ".local/share/fnm",
		".gradle/wrapper", ".gradle/jdks", ".cache/coursier", ".ivy2/cache", ".sbt/boot", ".gem", ".local/share/gem", ".cargo/config.toml",
		".composer/vendor", ".config/composer/vendor", ".cabal/packages", ".cabal/store", ".cabal/bin", ".stack", ".mix", ".hex/packages",
		".julia", "miniconda3", "anaconda3", "miniforge3", ".conda/envs", ".local/share/pypoetry", ".rye", ".cache/pre-commit",
		".cache/ms-playwright", ".cache/Cypress", ".cache/node", ".cache/node-gyp", "Android/Sdk", ".tool-versions", ".config/mise/config.toml",
		".linuxbrew", ".nix-profile", ".ghcup", ".opam", ".dotnet", ".local/share/virtualenvs", ".virtualenvs",
		".local/share/pipx", ".local/pipx", ".cache/pypoetry", ".local/share/hatch", ".venvs", "venvs", ".yarn", ".bun/install",
		".pub-cache", ".rvm", ".pixi", ".micromamba", ".juliaup", ".elan", ".local/share/nvm", ".proto", "bin",
		".cache/puppeteer", ".cache/electron", ".cache/deno", ".cache/bazel",
		".editorconfig", ".pylintrc", ".prettierrc", ".config/yamllint", ".config/golangci-lint", ".config/black",
	}
	for i, path := range paths {
		paths[i] = filepath.Join(p.Home, path)
	}
	for _, dir := range filepath.SplitList(p.Env("PATH")) {
		if below(dir, p.Home) {
			paths = append(paths, dir)
		}
	}
	return existing(append(paths, filepath.Join(p.goPath(), "bin"), filepath.Join(p.goPath(), "pkg"))...) // src has other projects
}

// Linked returns the targets of links in directories of programs below the home directory,
// with the installations that contain them. Paths for which changed returns true do not count:
// a command may have created their links.
func (p UserPaths) Linked(changed func(path string) bool) (found []string) {
	home, err := filepath.EvalSymlinks(p.Home)
	if err != nil {
		return nil
	}
	dirs := []string{filepath.Join(p.Home, ".local/bin"), filepath.Join(p.Home, "bin")}
	for _, dir := range append(dirs, filepath.SplitList(p.Env("PATH"))...) {
		if !below(dir, p.Home) || changed(dir) {
			continue
		}
		entries, _ := os.ReadDir(dir) // without it there are no programs
		for _, entry := range entries {
			link := filepath.Join(dir, entry.Name())
			if entry.Type()&os.ModeSymlink == 0 || changed(link) {
				continue
			}
			if target, err := filepath.EvalSymlinks(link); err == nil && below(target, home) {
				found = append(found, installation(home, target))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// installation returns the directory of the packages of Node.js that contains a program, or
// the directory above its "bin". It returns the program itself if there is neither, or if
// that directory is one of all programs.
func installation(home, program string) string {
	if before, _, ok := strings.Cut(program, "/node_modules/"); ok && below(before, home) {
		return before + "/node_modules"
	}
	top := filepath.Dir(filepath.Dir(program))
	shared := []string{".local", ".local/share", ".config", ".cache"}
	if filepath.Base(filepath.Dir(program)) != "bin" || !below(top, home) ||
		slices.ContainsFunc(shared, func(dir string) bool { return top == filepath.Join(home, dir) }) {
		return program
	}
	return top
}

// Remote returns what commands with the network of the host need for SSH: the socket
// of the agent and the keys of known hosts.
func (p UserPaths) Remote() []string {
	return existing(p.Env("SSH_AUTH_SOCK"), filepath.Join(p.Home, ".ssh/known_hosts"), filepath.Join(p.Home, ".ssh/known_hosts2"))
}

// Private returns paths that commands never need: keys, credentials, profiles of
// browsers and mail programs, and sockets of programs that run commands for others.
func (p UserPaths) Private() []string {
	config := p.or("XDG_CONFIG_HOME", ".config")
	data := p.or("XDG_DATA_HOME", ".local/share")
	var paths []string
	for _, name := range []string{
		".ssh", ".gnupg", ".password-store", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".npmrc", ".pypirc",
		".pgpass", ".my.cnf", ".vault-token", ".terraform.d", ".oci", ".databrickscfg", ".boto", ".s3cfg", ".cargo/credentials.toml",
		".cargo/credentials", ".gem/credentials", ".local/share/gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml",
		".pub-cache/credentials.json", ".julia/servers", ".rye/credentials", ".local/share/uv/credentials", ".config/gh", ".mozilla", ".thunderbird", ".var/app", "snap/firefox",
		".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history", ".node_repl_history",
		"Library/Keychains", "Library/Application Support/Google/Chrome", "Library/Application Support/Firefox",
	} {
		paths = append(paths, filepath.Join(p.Home, name))
	}
	for _, name := range []string{
		"gcloud", "gh", "hub", "op", "doctl", "rclone", "google-chrome", "chromium", "BraveSoftware", "microsoft-edge", "vivaldi", "opera",
		"git/credentials", "containers/auth.json", "helm", "sops", "age",
	} {
		paths = append(paths, filepath.Join(config, name))
	}
	paths = append(paths, filepath.Join(data, "keyrings"), filepath.Join(data, "kwalletd"))
	return append(existing(paths...), p.Sockets()...)
}

// Sockets returns sockets, and directories of sockets, through which a command
// could have another program act for it.
func (p UserPaths) Sockets() []string {
	paths := []string{
		"/run/docker.sock", "/var/run/docker.sock", "/run/containerd", "/run/podman", "/run/crio", "/run/dbus", "/var/run/dbus",
		"/run/systemd/private", "/run/systemd/io.systemd.ManagedOOM", "/run/snapd.socket", "/run/libvirt", "/run/screen", "/run/tmux",
		"/run/nscd", "/run/avahi-daemon", "/run/systemd/resolve/io.systemd.Resolve",
		"/var/lib/lxd/unix.socket", "/var/snap/lxd/common/lxd/unix.socket", "/var/lib/incus/unix.socket",
		filepath.Join(p.Home, ".colima/default/docker.sock"), filepath.Join(p.Home, ".rd/docker.sock"), filepath.Join(p.Home, ".orbstack/run"),
		"/run/user", "/tmp/.X11-unix", "/tmp/.ICE-unix", "/var/lib/docker.sock",
	}
	for _, name := range []string{"SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "GPG_AGENT_INFO", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "KITTY_LISTEN_ON"} {
		path, _, _ := strings.Cut(strings.TrimPrefix(p.Env(name), "unix:"), ":")
		paths = append(paths, path)
	}
	for _, name := range []string{"DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS"} {
		_, path, _ := strings.Cut(p.Env(name), "unix:")
		path, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, "path="), "//"), ",")
		paths = append(paths, path)
	}
	if server, _, _ := strings.Cut(p.Env("TMUX"), ","); server != "" {
		paths = append(paths, filepath.Dir(server))
	}
	for _, pattern := range []string{"/tmp/ssh-*", "/tmp/tmux-*", "/tmp/dbus-*", "/tmp/vscode-*.sock", "/tmp/kitty-*", "/tmp/emacs*", "/tmp/nvim*", "/tmp/zellij-*", "/tmp/screens", "/tmp/uscreens", "/tmp/.ssh-*", "/tmp/ssh_*"} {
		found, _ := filepath.Glob(pattern) // the patterns are valid
		paths = append(paths, found...)
	}
	return existing(paths...)
}

// goPath returns the first directory of GOPATH.
func (p UserPaths) goPath() string {
	return p.or("GOPATH", "go")
}

// or returns the directory that a variable names, or a default, which may be
// relative to the home directory.
func (p UserPaths) or(name, path string) string {
	if list := filepath.SplitList(p.Env(name)); len(list) > 0 && filepath.IsAbs(list[0]) {
		return list[0]
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.Home, path)
}

// existing returns the absolute paths that exist.
func existing(paths ...string) (found []string) {
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			found = append(found, path)
		}
	}
	return found
}
