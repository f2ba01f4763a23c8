package evidence

import (
	"slices"
	"strings"

	"agent/internal/loop/bash"
	"agent/internal/loop/event"
)

// manner is how a check runs.
type manner struct {
	ignores bool // it exits with 0 even if it finds something
	other   bool // it runs another program instead of the check: go test -exec true
	writes  bool // it may change files
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

// unwrapped returns a command without the programs that only run it, and with the
// name of its program as bash.Program returns it.
func unwrapped(words []string) []string {
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
	kind event.CheckKind
	all  string
}{
	{event.CheckTest, `go test|gotestsum|pytest|py.test|unittest|tox|nox|cargo test|cargo nextest|jest|vitest|mocha|ava|playwright test|
		cypress run|bun test|deno test|node --test|npm t|
		sbt test|dotnet test|swift test|mix test|rspec|rails test|phpunit|pest|composer test|ctest|bazel test|zig test|flutter test|
		dart test|stack test|cabal test|lein test|bats|busted|prove|xcodebuild test`},
	{event.CheckBuild, `go build|go install|cargo build|cargo check|tsc|vue-tsc|cmake --build|gcc|g++|cc|c++|clang|clang++|javac|rustc|sbt compile|dotnet build|
		swift build|mix compile|bazel build|zig build|stack build|cabal build|webpack|vite build|next build|xcodebuild build`},
	{event.CheckLint, `go vet|golangci-lint|staticcheck|revive|eslint|oxlint|ruff check|flake8|pylint|mypy|pyright|basedpyright|ty check|shellcheck|
		cargo clippy|rubocop|stylelint|hadolint|yamllint|markdownlint|markdownlint-cli2|actionlint|biome check|biome lint|biome ci|tflint|
		swiftlint|ktlint|detekt|phpstan|psalm|mix credo|dart analyze|flutter analyze|deno lint|deno check|govulncheck`},
	{event.CheckFormat, `gofmt|goimports|gofumpt|go fmt|prettier|black|ruff format|rustfmt|cargo fmt|isort|clang-format|shfmt|terraform fmt|zig fmt|
		biome format|dprint|yapf|deno fmt|mix format|dotnet format|dart format|swiftformat`},
}

// runners run the target or script that they are given.
var runners = []string{"make", "gmake", "ninja", "mvn", "mvnw", "gradle", "gradlew", "just", "task", "rake", "npm run", "npm run-script", "npm", "pnpm run", "pnpm", "yarn run", "yarn", "bun run", "deno task", "composer run", "mage"}

// classify returns the kind of check that a command is, empty if it is none, and how
// it runs.
func classify(words []string) (event.CheckKind, manner) {
	if len(words) == 0 || has(words, "--help", "-h", "--version", "--dry-run", "--collect-only", "--co", "--no-run", "--listTests", "--list", "-list", "--show-only") || checksNothing(words) {
		return "", manner{}
	}
	kind := kindOf(words)
	m := manner{
		ignores: has(words, "--exit-zero", "--if-present", "--ignore-errors", "--exit-code=0", "--issues-exit-code=0", "-Dmaven.test.failure.ignore", "-Dmaven.test.failure.ignore=true"),
		other:   words[0] == "go" && slices.ContainsFunc(words, replacesProgram),
		writes:  has(words, "--fix", "-fix", "--write", "-w", "-i", "--in-place", "-update", "--update", "-u", "--snapshot-update", "--update-snapshots", "--updateSnapshot", "-A", "--autocorrect", "--apply"),
	}
	switch {
	case kind == event.CheckTest && words[0] == "go" && has(words, "-c"):
		kind = event.CheckBuild
	case kind == event.CheckFormat:
		proves := has(words, "--check", "-check", "--list-different", "--check-only", "-Werror", "--Werror", "--verify-no-changes", "--set-exit-if-changed", "--check-formatted")
		m.ignores = m.ignores || !proves
		m.writes = m.writes || !proves && !has(words, "-l", "-d", "--diff", "-diff")
	case isMake(words[0]):
		m.writes = has(words, "update")
		m.ignores = m.ignores || has(words, "-i")
		if has(words, "-n", "-q", "-t", "--just-print", "--question", "--touch") {
			return "", manner{}
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

// has reports whether one of the options is among words.
func has(words []string, options ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(options, w) })
}

// installs reports whether a subcommand makes a package manager install packages: it is
// not the name of a script.
func installs(program, subcommand string) bool {
	return slices.Contains([]string{"npm", "pnpm", "yarn"}, program) && slices.Contains([]string{"ci", "install"}, subcommand)
}

// kindOf returns the kind of check that a command is; empty if it is none.
func kindOf(words []string) event.CheckKind {
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
			return event.CheckBuild
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
func kindOfTarget(name string) event.CheckKind {
	first, _, _ := strings.Cut(strings.ReplaceAll(strings.ReplaceAll(name, "-", ":"), "_", ":"), ":")
	switch first {
	case "test", "tests", "check", "spec", "unittest", "ci", "verify", "e2e":
		return event.CheckTest
	case "build", "all", "compile", "assemble", "package", "install", "typecheck", "types", "tsc":
		return event.CheckBuild
	case "lint", "vet", "eslint", "clippy":
		return event.CheckLint
	case "fmt", "format", "prettier":
		return event.CheckFormat
	}
	return ""
}

// readers are programs that change no files with any arguments.
var readers = strings.Fields(`ls cat head tail grep egrep fgrep rg wc echo printf pwd cd true false test [ [[ : which type date
	sleep kill wait lsof ss netstat nc http.server cut tr diff cmp stat file du df ps basename dirname realpath readlink seq whoami uname id exit return set export unset nl column less jq`)

// writesFile reports whether a word can be an option of curl that writes a file.
func writesFile(word string) bool {
	if long, ok := strings.CutPrefix(word, "--"); ok {
		return !slices.Contains(strings.Fields("silent show-error fail fail-with-body head include location verbose max-time connect-timeout retry request header data data-raw data-binary json user insecure get compressed globoff"), strings.SplitN(long, "=", 2)[0])
	}
	return word == "" || strings.HasPrefix(word, "-") && strings.ContainsAny(word[1:], "oOJcDKT")
}

// readOnly reports whether a command certainly changes no files of the workspace.
func readOnly(words []string) bool {
	if len(words) == 0 {
		return true
	}
	rest := words[1:]
	switch words[0] {
	case "uniq":
		return !slices.ContainsFunc(rest, func(w string) bool { return !strings.HasPrefix(w, "-") })
	case "sort":
		return !slices.ContainsFunc(rest, func(w string) bool { return w == "" || strings.HasPrefix(w, "-") && strings.Contains(w, "o") })
	case "sed":
		return len(rest) >= 2 && rest[0] == "-n" && rest[1] != "" && strings.Trim(rest[1], "0123456789,$;p ") == "" && !has(rest, "-i", "--in-place")
	case "find":
		return !slices.ContainsFunc(rest, func(w string) bool {
			return w == "" || w == "-delete" || strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") || strings.HasPrefix(w, "-f") && w != "-follow"
		})
	case "git":
		return len(rest) > 0 && slices.Contains([]string{"status", "diff", "log", "show", "rev-parse", "ls-files", "blame", "grep", "describe"}, rest[0]) && !slices.ContainsFunc(rest, func(w string) bool { return strings.HasPrefix(w, "--output") || strings.HasPrefix(w, "-O") })
	case "curl":
		return !slices.ContainsFunc(rest, writesFile)
	case "go":
		return len(rest) > 0 && (slices.Contains([]string{"version", "doc", "list"}, rest[0]) || rest[0] == "env" && !has(rest, "-w", "-u"))
	}
	return slices.Contains(readers, words[0])
}
