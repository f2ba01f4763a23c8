// Package manifest knows the files that programs run, or read to find out what to run,
// although nobody gives them as arguments: the Makefile of make, the package.json of npm.
// It reads nothing. Start reading at Files.
package manifest

import (
	"path/filepath"
	"slices"
	"strings"
)

// entry lists files of one program. The tables are no maps, which every process of the
// program, also a helper, would have to fill when it starts.
type entry struct {
	program string
	files   []string
}

// tasks lists the files in which programs look for their tasks and scripts.
var tasks = [...]entry{
	{"make", []string{"GNUmakefile", "makefile", "Makefile"}},
	{"npm", []string{"package.json"}},
	{"npx", []string{"package.json"}},
	{"bun", []string{"package.json"}},
	{"pnpm", []string{"package.json", "package.json5", "package.yaml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"}},
	{"yarn", []string{"package.json", ".yarnrc", ".yarnrc.yml"}},
	{"just", []string{"justfile", "Justfile", ".justfile"}},
	{"task", []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"}},
	{"rake", []string{"Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"}},
	{"ninja", []string{"build.ninja"}},
	{"tox", []string{"tox.ini", "pyproject.toml", "setup.cfg"}},
	{"mvn", []string{"pom.xml"}},
	{"gradle", []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}},
	{"gradlew", []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}},
	{"composer", []string{"composer.json"}},
}

// settings lists the files that can name the shell or the programs with which a program
// runs scripts. They may also hold secrets, which the program does not show.
var settings = [...]entry{
	{"npm", []string{".npmrc", "binding.gyp"}},
	{"npx", []string{".npmrc"}},
	{"pnpm", []string{".npmrc", "binding.gyp"}},
	{"yarn", []string{".npmrc", "binding.gyp"}},
}

// more lists further files that programs read by default and that can name what they run.
var more = [...]entry{
	{"bun", []string{".env", ".env.local", ".env.development", ".env.production", ".env.test"}},
	{"bundle", []string{"Gemfile"}},
	{"bunx", []string{"package.json", ".env", ".env.local", ".env.development", ".env.production", ".env.test"}},
	{"cargo", []string{"Cargo.toml", "build.rs", ".cargo/config.toml", "rust-toolchain.toml"}},
	{"clj", []string{"deps.edn"}},
	{"clojure", []string{"deps.edn"}},
	{"cmake", []string{"CMakeLists.txt"}},
	{"compose", []string{"compose.yaml", "compose.yml", "compose.override.yaml", "compose.override.yml", "docker-compose.yaml", "docker-compose.yml", "docker-compose.override.yaml", "docker-compose.override.yml", ".env"}},
	{"deno", []string{"deno.json", "deno.jsonc", "deno.lock", "package.json", ".npmrc"}},
	{"devbox", []string{"devbox.json"}},
	{"dnx", []string{"nuget.config", "NuGet.config", "NuGet.Config", ".config/dotnet-tools.json", "dotnet-tools.json", "global.json"}},
	{"doit", []string{"dodo.py"}},
	{"dotnet", []string{"nuget.config", "NuGet.config", "NuGet.Config", ".config/dotnet-tools.json", "dotnet-tools.json", "global.json"}},
	{"eslint", []string{"eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json"}},
	{"go", []string{"go.mod", "go.work"}},
	{"grunt", []string{"Gruntfile.js"}},
	{"gulp", []string{"gulpfile.js"}},
	{"hatch", []string{"pyproject.toml"}},
	{"inv", []string{"tasks.py"}},
	{"invoke", []string{"tasks.py"}},
	{"lefthook", []string{"lefthook.yml"}},
	{"meson", []string{"meson.build"}},
	{"mix", []string{"mix.exs"}},
	{"nix", []string{"flake.nix", "flake.lock"}},
	{"nix-shell", []string{"shell.nix", "default.nix"}},
	{"nox", []string{"noxfile.py"}},
	{"pdm", []string{"pyproject.toml"}},
	{"pixi", []string{"pixi.toml", "pixi.lock", "pyproject.toml"}},
	{"poetry", []string{"pyproject.toml"}},
	{"pre-commit", []string{".pre-commit-config.yaml"}},
	{"pytest", []string{"conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"}},
	{"r", []string{".Rprofile", ".Renviron"}},
	{"rscript", []string{".Rprofile", ".Renviron"}},
	{"scons", []string{"SConstruct"}},
	{"tox", []string{"pyproject.toml"}},
	{"ts-node", []string{"tsconfig.json"}},
	{"tsx", []string{"tsconfig.json"}},
	{"uv", []string{"pyproject.toml", "uv.toml", ".python-version", ".python-versions", ".env"}},
	{"uvx", []string{"pyproject.toml", "uv.toml"}},
}

// of returns the files that a table lists for a program.
func of(table []entry, program string) []string {
	for _, e := range table {
		if e.program == program {
			return e.files
		}
	}
	return nil
}

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
func Tasks(word string) []string { return of(tasks[:], Program(word)) }

// Settings returns the files that can name the shell or the programs with which a
// program runs scripts, and that can also hold secrets.
func Settings(word string) []string { return of(settings[:], Program(word)) }

// Files returns all files that a program reads by default and that can name what it runs.
func Files(word string) []string {
	name := Program(word)
	if strings.HasSuffix(name, "-compose") { // docker-compose
		name = "compose"
	}
	return slices.Concat(of(tasks[:], name), of(settings[:], name), of(more[:], name))
}

// Runs reports whether some program reads a file with that path by default and can run what the
// file names, as make does with a Makefile.
func Runs(path string) bool {
	path = filepath.ToSlash(path)
	for _, table := range [][]entry{tasks[:], settings[:], more[:]} {
		for _, e := range table {
			if slices.ContainsFunc(e.files, func(name string) bool { return path == name || strings.HasSuffix(path, "/"+name) }) {
				return true
			}
		}
	}
	return false
}

// Versions returns the files with which version managers such as asdf and mise choose what any
// program is that starts in a directory. Some are patterns.
func Versions() []string {
	return []string{
		".tool-versions", "mise.toml", ".mise.toml", "mise.*.toml", ".mise.*.toml", "mise/config*.toml", ".mise/config*.toml", ".config/mise.toml", ".config/mise/config*.toml", ".config/mise/conf.d/*.toml",
	}
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
