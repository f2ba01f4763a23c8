package trust

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/tools/manifest"
)

// searchPaths are variables with the directories in which programs look for programs,
// libraries, modules and settings that they run.
var searchPaths = []string{
	"PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "VIRTUAL_ENV", "NODE_PATH", "PERL5LIB", "PERLLIB", "RUBYLIB", "GEM_PATH", "GEM_HOME",
	"LUA_PATH", "LUA_CPATH", "CLASSPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "GCONV_PATH", "ZDOTDIR", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
	"GOPATH", "GOROOT", "HOME", "XDG_CONFIG_HOME", "PHP_INI_SCAN_DIR", "BUNDLE_PATH", "NPM_CONFIG_PREFIX", "npm_config_prefix",
}

// isNode reports whether a word names a program that loads JavaScript packages, or a
// variable with its options.
func isNode(word string) bool {
	switch programName(word) {
	case "node", "nodejs", "bun", "bunx", "deno", "tsx", "ts-node", "npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg", "node_options", "bun_options":
		return true
	}
	return false
}

// isPython reports whether a word names a program that loads Python modules, or a variable
// for it.
func isPython(word string) bool {
	name := programName(word)
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy") || name == "uv" || name == "uvx" || name == "pipx"
}

// programName returns the name of a program without its directory, in lower case.
func programName(word string) string { return strings.TrimSuffix(manifest.Program(word), ".cmd") }

// modules returns the paths that a word means as the name of a module: python3 -m tool,
// node lint. Some are patterns.
func modules(word string, python bool) (out []string) {
	if strings.HasPrefix(word, "-") || strings.ContainsAny(word, "*?[\\") {
		return nil
	}
	out = manifest.Modules(word)
	if !python {
		return out
	}
	out = append(out, word+"/pyproject.toml", word+"/setup.py")
	const maxParts = 8
	at := ""
	for _, part := range strings.SplitN(word, ".", maxParts) { // the packages above a module run first
		if part == "" || strings.Contains(part, "/") {
			break
		}
		at = path.Join(at, part)
		out = append(out, at+".py", at+".pyc", at+".*so", at+".pyd", at+"/__init__.*", at+"/__main__.*")
	}
	return out
}

// installed returns the files in node_modules of dir, and the program in the package dir,
// that the names of packages mean; for programs of Python those of a virtual environment.
func (l launch) installed(dir string) (out []string) {
	if l.python && !l.fetches {
		for _, word := range l.words {
			out = append(out, existing(dir, []string{".venv/bin/" + path.Base(word), "venv/bin/" + path.Base(word)})...)
		}
	}
	if !l.node {
		return out
	}
	own, store := readPackage(dir), filepath.Join(dir, "node_modules")
	_, err := os.Stat(store)
	for _, word := range l.packages {
		name := packageName(word)
		if name == "" {
			continue
		}
		if file, ok := own.programs[path.Base(name)]; ok { // npx runs it instead of a package with this name
			out = append(out, filepath.Join(dir, "package.json"), filepath.Join(dir, filepath.FromSlash(file)))
		}
		if err != nil {
			continue
		}
		p := readPackage(filepath.Join(store, filepath.FromSlash(name)))
		out = append(out, p.files()...)
		out = append(out, existing(store, modules(name, false))...)
		for program := range p.programs {
			out = append(out, binaries(store, program)...)
		}
		out = append(out, binaries(store, path.Base(name))...)
	}
	slices.Sort(out)
	return out
}

// binaries returns the files of a program in node_modules/.bin.
func binaries(store, name string) []string {
	name = ".bin/" + path.Base(name)
	return existing(store, []string{name, name + ".cmd", name + ".ps1", name + ".exe"})
}

// packageName returns the name in a word that may be a package with a version, such as
// @scope/name@1.2; empty if it is none.
func packageName(word string) string {
	if at := strings.LastIndex(word, "@"); at > 0 {
		word = word[:at]
	}
	if word == "" || strings.HasPrefix(word, "-") || strings.HasPrefix(word, ".") || strings.ContainsAny(word, "*?[\\") || filepath.IsAbs(word) || !filepath.IsLocal(filepath.FromSlash(word)) {
		return ""
	}
	return word
}

// nodePackage is what a package.json says about the files that run.
type nodePackage struct {
	dir      string
	modules  []string          // files, or names of modules
	programs map[string]string // files by the name of the program
}

// readPackage returns the package in dir; it is empty if there is none.
func readPackage(dir string) nodePackage {
	p := nodePackage{dir: dir, programs: map[string]string{}}
	b, err := readBelow(dir, "package.json", maxFile)
	if err != nil {
		return p
	}
	var file struct {
		Name, Main, Module, Bin, Exports any
	}
	if json.Unmarshal(b, &file) != nil {
		return p
	}
	p.modules = slices.Concat(texts(file.Main), texts(file.Module), texts(file.Exports))
	switch bin := file.Bin.(type) {
	case string:
		name, _ := file.Name.(string)
		p.programs[path.Base(name)] = bin
	case map[string]any:
		for name, value := range bin {
			for _, file := range texts(value) {
				p.programs[path.Base(name)] = file
			}
		}
	}
	return p
}

// files returns the existing files of a package that run when it is loaded or started.
func (p nodePackage) files() []string {
	names := slices.Clone(p.modules)
	for _, file := range p.programs {
		names = append(names, file)
	}
	slices.Sort(names)
	var all []string
	for _, name := range names {
		all = append(all, name)
		all = append(all, modules(strings.TrimSuffix(name, "/"), false)...)
	}
	return existing(p.dir, all)
}

// texts returns the strings in a decoded value.
func texts(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			all = append(all, texts(item)...)
		}
	case map[string]any:
		for _, item := range v {
			all = append(all, texts(item)...)
		}
	}
	slices.Sort(all)
	return all
}
