// Package toolchain finds the directories in which compilers, interpreters and package
// managers keep sources and documentation. It runs no program: it looks in their usual
// places, and in those that environment variables name. Start reading at Sources.
package toolchain

import (
	"os"
	"path/filepath"
	"slices"
)

// Sources returns the directories with the sources of toolchains, libraries and
// dependencies, and with manual pages. They exist, are absolute and have no symbolic
// links. None of them contains home, the user's home directory, which may be empty.
func Sources(getenv func(string) string, home string) []string {
	f := finder{getenv: getenv, home: home}
	f.system()
	f.golang()
	f.python()
	f.node()
	f.rust()
	return f.found
}

// finder collects directories.
type finder struct {
	getenv func(string) string
	home   string
	found  []string
}

// add adds the directories that match a glob below dir, which is absolute or empty. It
// adds nothing if dir is empty.
func (f *finder) add(dir string, globs ...string) {
	if !filepath.IsAbs(dir) {
		return
	}
	for _, glob := range globs {
		matches, _ := filepath.Glob(filepath.Join(escape(dir), glob))
		for _, path := range matches {
			real, err := filepath.EvalSymlinks(path)
			if err != nil || slices.Contains(f.found, real) || f.containsHome(real) {
				continue
			}
			if info, err := os.Stat(real); err == nil && info.IsDir() {
				f.found = append(f.found, real)
			}
		}
	}
}

// escape returns dir as a glob that matches only dir.
func escape(dir string) string {
	var out []byte
	for i := range len(dir) {
		switch dir[i] {
		case '*', '?', '[':
			out = append(out, '[', dir[i], ']')
		default:
			out = append(out, dir[i])
		}
	}
	return string(out)
}

// containsHome reports whether dir is the root, the home directory or above it. A
// variable such as GOMODCACHE can name any directory.
func (f *finder) containsHome(dir string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	home, err := filepath.EvalSymlinks(f.home)
	if f.home == "" || err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, home)
	return err == nil && filepath.IsLocal(rel)
}

// inHome returns the directory name in the home directory; empty if that is unknown.
func (f *finder) inHome(name string) string {
	if f.home == "" {
		return ""
	}
	return filepath.Join(f.home, filepath.FromSlash(name))
}

// dir returns the directory that an environment variable names; if it is not set, the
// directory name in the home directory.
func (f *finder) dir(variable, name string) string {
	if dir := f.getenv(variable); dir != "" {
		return dir
	}
	return f.inHome(name)
}

// prefix returns the directory that contains bin/program, for the first of the programs
// on PATH; empty if there is none.
func (f *finder) prefix(programs ...string) string {
	for _, program := range programs {
		for _, dir := range filepath.SplitList(f.getenv("PATH")) {
			if !filepath.IsAbs(dir) {
				continue
			}
			if real, err := filepath.EvalSymlinks(filepath.Join(dir, program)); err == nil {
				return filepath.Dir(filepath.Dir(real))
			}
		}
	}
	return ""
}

// system adds manual pages, documentation and header files.
func (f *finder) system() {
	f.add("/usr", "share/man", "share/doc", "include", "local/share/man", "local/include")
}

// golang adds the standard library of Go and its module cache.
func (f *finder) golang() {
	f.add(f.getenv("GOROOT"), "src")
	f.add(f.prefix("go"), "src")
	f.add("/usr", "local/go/src", "lib/go*/src", "share/go*/src")
	f.add(f.getenv("GOMODCACHE"), ".")
	for _, dir := range filepath.SplitList(f.dir("GOPATH", "go")) {
		f.add(dir, "pkg/mod")
	}
}

// python adds the standard library of Python and installed packages.
func (f *finder) python() {
	const library = "lib/python3*"
	f.add("/usr", library, "local/"+library)
	f.add(f.prefix("python3", "python"), library)
	f.add(f.getenv("VIRTUAL_ENV"), library)
	f.add(f.getenv("CONDA_PREFIX"), library)
	f.add(f.inHome(".local"), library)
	f.add(f.dir("PYENV_ROOT", ".pyenv"), "versions/*/"+library)
	f.add(f.dir("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"), "*/"+library)
}

// node adds the global modules of Node.js.
func (f *finder) node() {
	const modules = "lib/node_modules"
	f.add("/usr", modules, "local/"+modules, "share/nodejs")
	f.add(f.prefix("node"), modules)
	f.add(f.getenv("NPM_CONFIG_PREFIX"), modules)
	f.add(f.dir("NVM_DIR", ".nvm"), "versions/node/*/"+modules)
}

// rust adds the standard library of Rust and the sources of crates.
func (f *finder) rust() {
	f.add("/usr", "lib/rustlib/src")
	f.add(f.dir("CARGO_HOME", ".cargo"), "registry/src", "git/checkouts")
	f.add(f.dir("RUSTUP_HOME", ".rustup"), "toolchains/*/lib/rustlib/src")
}
