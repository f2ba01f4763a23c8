// Package manifest knows the files that programs run, or read to find out what to run,
// although nobody gives them as arguments: the Makefile of make, the package.json of npm.
// It reads nothing. Start reading at Files.
package manifest

import (
	"path/filepath"
	"slices"
	"strings"
)

// tasks lists the files in which programs look for their tasks and scripts.
var tasks = map[string][]string{
	"make": {"GNUmakefile", "makefile", "Makefile"},
	"npm":  packageFiles, "npx": packageFiles, "bun": packageFiles,
	"pnpm":     {"package.json", "package.json5", "package.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"},
	"yarn":     {"package.json", ".yarnrc", ".yarnrc.yml"},
	"just":     {"justfile", "Justfile", ".justfile"},
	"task":     {"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"},
	"rake":     {"Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"},
	"ninja":    {"build.ninja"},
	"tox":      {"tox.ini", "pyproject.toml", "setup.cfg"},
	"mvn":      {"pom.xml"},
	"gradle":   {"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"},
	"gradlew":  {"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"},
	"composer": {"composer.json"},
}

var packageFiles = []string{"package.json"}

// settings lists the files that can name the shell or the programs with which a program
// runs scripts. They may also hold secrets, which the program does not show.
var settings = map[string][]string{"npm": npmSettings, "npx": npmSettings, "pnpm": npmSettings, "yarn": npmSettings}

var npmSettings = []string{".npmrc"}

// more lists further files that programs read by default and that can name what they run.
var more = map[string][]string{
	"bundle": {"Gemfile"}, "bunx": packageFiles, "cargo": {"Cargo.toml", "build.rs", ".cargo/config.toml", "rust-toolchain.toml"}, "cmake": {"CMakeLists.txt"},
	"deno": {"deno.json", "deno.jsonc"}, "doit": {"dodo.py"}, "grunt": {"Gruntfile.js"}, "gulp": {"gulpfile.js"},
	"eslint": {"eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json"},
	"go":     {"go.mod", "go.work"}, "hatch": pyproject, "invoke": {"tasks.py"}, "inv": {"tasks.py"}, "lefthook": {"lefthook.yml"}, "meson": {"meson.build"}, "mix": {"mix.exs"}, "nox": {"noxfile.py"},
	"pdm": pyproject, "poetry": pyproject, "pre-commit": {".pre-commit-config.yaml"}, "pytest": {"conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"},
	"scons": {"SConstruct"}, "tox": pyproject, "uv": pyproject, "uvx": pyproject,
}

var pyproject = []string{"pyproject.toml"}

// Program returns the name of a program without its directory. All variants of make
// have one name.
func Program(word string) string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(filepath.FromSlash(word))), ".exe")
	if name == "gmake" || name == "bmake" {
		return "make"
	}
	return name
}

// Tasks returns the files in which a program looks for its tasks and scripts, relative
// to the directory in which it runs. Word is its name or path, as in all functions.
func Tasks(word string) []string { return tasks[Program(word)] }

// Settings returns the files that can name the shell or the programs with which a
// program runs scripts, and that can also hold secrets.
func Settings(word string) []string { return settings[Program(word)] }

// Files returns all files that a program reads by default and that can name what it runs.
func Files(word string) []string {
	name := Program(word)
	return slices.Concat(tasks[name], settings[name], more[name])
}

// Modules returns the paths that a program can mean by the name of a module or of an
// installed program, as in python3 -m tool, node lint and npx lint. They have slashes.
func Modules(word string) (out []string) {
	if strings.HasPrefix(word, "-") || strings.ContainsAny(word, "*?") {
		return nil
	}
	for _, ext := range []string{".js", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".json", ".node", ".wasm", ".so", ".py", ".rb", ".pl", ".pm", ".php", ".lua", ".sh"} {
		out = append(out, word+ext)
	}
	for _, name := range []string{"package.json", "index.js", "index.mjs", "index.cjs", "index.ts", "index.json", "index.node", "__init__.py", "__main__.py"} {
		out = append(out, word+"/"+name)
	}
	if path := strings.ReplaceAll(word, ".", "/"); path != word {
		out = append(out, path+".py", path+"/__init__.py", path+"/__main__.py")
	}
	if !strings.Contains(word, "/") {
		out = append(out, "node_modules/.bin/"+word)
	}
	return out
}
