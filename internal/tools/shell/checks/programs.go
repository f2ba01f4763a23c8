package checks

import (
	"slices"
	"strings"

	"agent/internal/bash"
)

// Manner is how a check runs.
type Manner struct {
	Ignores bool // it exits with 0 even if it finds something
	Other   bool // it runs another program instead of the check: go test -exec true
	Writes  bool // it may change files
}

// launchers are package managers and interpreters that run the program in their arguments.
// Value options take an argument.
var launchers = []struct{ words, value []string }{
	{[]string{"uv", "run"}, []string{"--with", "--python", "-p", "--extra", "--group"}},
	{[]string{"poetry", "run"}, nil}, {[]string{"pipenv", "run"}, nil}, {[]string{"pdm", "run"}, nil},
	{[]string{"bundle", "exec"}, nil}, {[]string{"npx"}, nil}, {[]string{"bunx"}, nil},
	{[]string{"pnpm", "exec"}, nil}, {[]string{"pnpm", "dlx"}, nil}, {[]string{"yarn", "exec"}, nil},
	{[]string{"python", "-m"}, nil}, {[]string{"python3", "-m"}, nil}, {[]string{"go", "tool"}, nil},
}

// Unwrapped returns a command without the programs that only run it, and with the
// name of its program as bash.Program returns it.
func Unwrapped(words []string) []string {
	words = slices.Clone(words)
	for len(words) > 0 && words[0] != "" {
		if words[0] == "command" && has(words[1:min(len(words), 2)], "-v", "-V") { // it only finds a program
			return words[:1]
		}
		words[0] = bash.Program(words[0])
		inner := launched(words)
		if w, ok := bash.WrapperOf(words[0]); ok && w.Passes {
			inner = w.Command(words[1:])
		}
		if len(inner) == 0 {
			break
		}
		words = inner
	}
	return words
}

// launched returns the command that one of the launchers runs; empty if there is none.
func launched(words []string) []string {
	for _, l := range launchers {
		n := len(l.words)
		if len(words) <= n || !slices.Equal(words[:n], l.words) {
			continue
		}
		for words = words[n:]; len(words) > 0 && strings.HasPrefix(words[0], "-"); words = words[1:] {
			if slices.Contains(l.value, words[0]) && len(words) > 1 {
				words = words[1:]
			}
		}
		return words
	}
	return nil
}

// programs are the checks that are recognized, by kind: programs, some with their
// subcommand.
var programs = []struct {
	kind Kind
	all  string
}{
	{Test, `go test|gotestsum|pytest|py.test|unittest|tox|nox|cargo test|cargo nextest|jest|vitest|mocha|ava|playwright test|
		cypress run|bun test|deno test|node --test|npm t|
		sbt test|dotnet test|swift test|mix test|rspec|rails test|phpunit|pest|composer test|ctest|bazel test|zig test|flutter test|
		dart test|stack test|cabal test|lein test|bats|busted|prove|xcodebuild test`},
	{Build, `go build|go install|cargo build|cargo check|tsc|vue-tsc|cmake --build|gcc|g++|cc|c++|clang|clang++|javac|rustc|sbt compile|dotnet build|
		swift build|mix compile|bazel build|zig build|stack build|cabal build|webpack|vite build|next build|xcodebuild build`},
	{Lint, `go vet|golangci-lint|staticcheck|revive|eslint|oxlint|ruff check|flake8|pylint|mypy|pyright|basedpyright|ty check|shellcheck|
		cargo clippy|rubocop|stylelint|hadolint|yamllint|markdownlint|markdownlint-cli2|actionlint|biome check|biome lint|biome ci|tflint|
		swiftlint|ktlint|detekt|phpstan|psalm|mix credo|dart analyze|flutter analyze|deno lint|deno check|govulncheck`},
	{Format, `gofmt|goimports|gofumpt|go fmt|prettier|black|ruff format|rustfmt|cargo fmt|isort|clang-format|shfmt|terraform fmt|zig fmt|
		biome format|dprint|yapf|deno fmt|mix format|dotnet format|dart format|swiftformat`},
}

// runners run the target or script that they are given.
var runners = []string{"make", "gmake", "ninja", "mvn", "mvnw", "gradle", "gradlew", "just", "task", "rake", "npm run", "npm run-script", "npm", "pnpm run", "pnpm", "yarn run", "yarn", "bun run", "deno task", "composer run", "mage"}

// Classify returns the kind of check that a command is, empty if it is none, and how
// it runs.
func Classify(words []string) (Kind, Manner) {
	if len(words) == 0 || has(words, "--help", "-h", "--version", "--dry-run", "--collect-only", "--co", "--no-run", "--listTests", "--list", "-list", "--show-only") || checksNothing(words) {
		return "", Manner{}
	}
	kind := kindOf(words)
	m := Manner{
		Ignores: has(words, "--exit-zero", "--if-present", "--ignore-errors", "--exit-code=0", "--issues-exit-code=0", "-Dmaven.test.failure.ignore", "-Dmaven.test.failure.ignore=true"),
		Other:   words[0] == "go" && slices.ContainsFunc(words, replacesProgram),
		Writes:  has(words, "--fix", "-fix", "--write", "-w", "-i", "--in-place", "-update", "--update", "-u", "--snapshot-update", "--update-snapshots", "--updateSnapshot", "-A", "--autocorrect", "--apply"),
	}
	switch {
	case kind == Test && words[0] == "go" && has(words, "-c"):
		kind = Build
	case kind == Format:
		proves := has(words, "--check", "-check", "--list-different", "--check-only", "-Werror", "--Werror", "--verify-no-changes", "--set-exit-if-changed", "--check-formatted")
		m.Ignores = m.Ignores || !proves
		m.Writes = m.Writes || !proves && !has(words, "-l", "-d", "--diff", "-diff")
	case isMake(words[0]):
		m.Writes = has(words, "update")
		m.Ignores = m.Ignores || has(words, "-i")
		if has(words, "-n", "-q", "-t", "--just-print", "--question", "--touch") {
			return "", Manner{}
		}
	}
	return kind, m
}

// checksNothing reports whether the options of a program make it print something or
// skip its checks.
func checksNothing(words []string) bool {
	skips := map[string][]string{
		"go": {"-n"}, "ctest": {"-N"}, "pytest": {"-V", "--fixtures", "--markers", "--setup-plan"}, "mypy": {"-V"}, "shellcheck": {"-V"},
		"tsc": {"-v", "--init", "--showConfig"}, "gcc": {"-v"}, "g++": {"-v"}, "cc": {"-v"}, "c++": {"-v"}, "clang": {"-v"}, "clang++": {"-v"},
		"mvn": {"-DskipTests", "-DskipTests=true", "-Dmaven.test.skip", "-Dmaven.test.skip=true"}, "mvnw": {"-DskipTests", "-DskipTests=true", "-Dmaven.test.skip", "-Dmaven.test.skip=true"},
		"gradle": {"-m"}, "gradlew": {"-m"}, "rake": {"-n"}, "just": {"-n"}, "task": {"-n", "--dry"}, "tox": {"-l", "-a", "list"}, "nox": {"-l"},
		"vitest": {"list"}, "jest": {"--init", "--showConfig"}, "phpunit": {"--list-tests"}, "bats": {"-c", "--count"}, "bazel": {"--nobuild"},
	}
	rest := words[1:]
	if isMake(words[0]) {
		return slices.ContainsFunc(rest, func(w string) bool { // "-sn"
			return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Trim(w, "-Bikenqrstw") == "" && strings.ContainsAny(w, "nqt")
		})
	}
	return has(rest, skips[words[0]]...) || words[0] == "go" && slices.ContainsFunc(rest, func(w string) bool { return strings.HasPrefix(w, "-list=") })
}

// replacesProgram reports whether a word is an option of go that names a program to
// run instead of a test, the tools or the vet tool.
func replacesProgram(word string) bool {
	option, _, _ := strings.Cut(word, "=")
	return slices.Contains([]string{"-exec", "-toolexec", "-vettool", "--exec", "--toolexec", "--vettool"}, option)
}

// isMake reports whether a program is make.
func isMake(program string) bool { return program == "make" || program == "gmake" }

// takesTargets reports whether all arguments of a program are targets.
func takesTargets(program string) bool {
	return slices.Contains([]string{"make", "gmake", "ninja", "mvn", "mvnw", "gradle", "gradlew"}, program)
}

// installs reports whether a subcommand makes a package manager install packages: it is
// not the name of a script.
func installs(program, subcommand string) bool {
	return slices.Contains([]string{"npm", "pnpm", "yarn"}, program) && slices.Contains([]string{"ci", "install"}, subcommand)
}

// kindOf returns the kind of check that a command is; empty if it is none.
func kindOf(words []string) Kind {
	for _, r := range runners {
		run := strings.Fields(r)
		if len(words) < len(run) || !slices.Equal(words[:len(run)], run) {
			continue
		}
		for _, w := range words[len(run):] {
			if len(run) == 1 && installs(run[0], w) {
				return ""
			}
			if kind := kindOfTarget(w); kind != "" {
				return kind
			}
			if w == "" || !takesTargets(run[0]) && !strings.HasPrefix(w, "-") {
				return "" // another script, and its arguments
			}
		}
		if len(words) == len(run) && (isMake(words[0]) || words[0] == "ninja") { // the default target
			return Build
		}
	}
	for _, list := range programs {
		for row := range strings.SplitSeq(list.all, "|") {
			if p := strings.Fields(row); words[0] == p[0] && (len(p) == 1 || slices.Contains(subcommands(words[1:]), p[1])) {
				return list.kind
			}
		}
	}
	return ""
}

// subcommands returns the words that may be the subcommand of a program: the first
// option, and the first word that is no option.
func subcommands(words []string) []string {
	i := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") })
	switch {
	case i < 0:
		return words[:min(1, len(words))]
	case i == 0:
		return words[:1]
	}
	return []string{words[0], words[i]}
}

// kindOfTarget returns the kind of check that the name of a target promises.
func kindOfTarget(name string) Kind {
	first, _, _ := strings.Cut(strings.ReplaceAll(strings.ReplaceAll(name, "-", ":"), "_", ":"), ":")
	switch first {
	case "test", "tests", "check", "spec", "unittest", "ci", "verify", "e2e":
		return Test
	case "build", "all", "compile", "assemble", "package", "install", "typecheck", "types", "tsc":
		return Build
	case "lint", "vet", "eslint", "clippy":
		return Lint
	case "fmt", "format", "prettier":
		return Format
	}
	return ""
}
