package command

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agent/internal/bash"
)

// tools are programs whose first argument is no subcommand.
var tools = [...]string{
	"mkdir", "touch", "pytest", "ruff", "mypy", "pyright", "black", "isort", "flake8", "pylint", "eslint", "prettier", "tsc", "jest", "vitest", "mocha", "oxlint",
	"stylelint", "markdownlint", "phpunit", "rspec", "rubocop", "shellcheck", "shfmt", "staticcheck", "gofmt", "gofumpt", "goimports", "clang-format",
	"clang-tidy", "cmake", "ninja", "ctest", "javac", "rustfmt", "rustc", "gcc", "g++", "clang", "clang++", "cc", "c++", "protoc", "tox", "nox", "pre-commit", "hadolint", "actionlint", "yamllint",
}

// families are programs whose first argument names what they do.
var families = [...]string{
	"git", "go", "npm", "pnpm", "yarn", "cargo", "make", "gmake", "just", "task", "pip", "pip3", "poetry", "uv", "gh", "glab", "dotnet", "mvn", "gradle", "composer",
	"bundle", "rails", "rake", "mix", "gem", "brew", "apt", "apt-get", "swift", "flutter", "dart", "zig", "buf", "nx", "turbo", "lerna", "hatch", "pdm", "meson", "bazel", "terraform", "kubectl", "helm", "golangci-lint", "biome",
}

// groups are subcommands whose own first argument names what they do.
var groups = [...]string{
	"npm run", "npm run-script", "pnpm run", "yarn run", "yarn workspace", "go mod", "go work", "go tool", "git stash", "git remote", "git worktree", "git submodule", "git notes", "git lfs", "git bisect",
	"turbo run", "gh pr", "gh issue", "gh run", "gh repo", "gh release", "gh workflow", "glab mr", "cargo nextest", "uv pip", "poetry env", "dotnet tool", "kubectl config", "terraform state",
}

// gitWrites are commands of git that change something. Other names may be aliases, which
// can run programs.
var gitWrites = [...]string{
	"add", "am", "apply", "bisect", "branch", "checkout", "cherry-pick", "clone", "commit", "fetch", "format-patch", "init", "lfs", "ls-remote", "merge", "mv", "notes", "pull", "push",
	"rebase", "remote", "reset", "restore", "revert", "rm", "sparse-checkout", "stash", "submodule", "switch", "tag", "worktree",
}

// IsGitCommand reports whether a subcommand of git is one that this package knows. Others
// may be aliases, or parts of known ones such as send-pack.
func IsGitCommand(sub string) bool {
	_, reads := gitCommands()[sub]
	return reads || sub == "" || slices.Contains(gitWrites[:], sub) || slices.Contains(gitReaders, sub) ||
		slices.ContainsFunc(allEffects().names["git"], func(e effect) bool { return e.subcommand == sub })
}

// plainWord matches a subcommand or a target.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9:_.+-]*$`) })

// Prefix returns the first words of the part that a standing permission may cover
// with further arguments: git commit, go test, npm run build. It returns nil if
// there is no such permission: for interpreters, shells and wrappers, for parts that
// destroy data or write outside, for parts with words that are not known, and for
// programs that the package does not know.
func (p *Part) Prefix() []string {
	if !p.coverable() {
		return nil
	}
	name, n := p.Argv[0], p.first()
	_, reads := gitCommands()[first(p.Argv[1:])]
	if n > 1 && !slices.Contains(families[:], name) || name == "git" && !reads && !slices.Contains(gitWrites[:], first(p.Argv[1:])) {
		return nil
	}
	if len(p.Argv) < n || slices.ContainsFunc(p.Words[:n], func(w Word) bool { return w.Kind != bash.Literal || !plainWord().MatchString(w.Text) }) {
		return nil
	}
	return slices.Clone(p.Argv[:n])
}

// Covered reports whether a standing permission for prefix covers the part. It never
// covers a part that destroys data, writes outside the workspace or runs other
// programs; the caller also needs the permission for network if the part Connects.
func (p *Part) Covered(prefix []string) bool {
	return len(prefix) > 0 && p.coverable() && len(p.Argv) >= len(prefix) && slices.Equal(p.Argv[:len(prefix)], prefix)
}

// Prefixes returns the prefixes that would have to be allowed so that the line needs
// no approval, in addition to what covers the parts for which covered returns true. It
// returns nil if the line always needs approval, or needs none.
func (c *Command) Prefixes(covered func(p *Part) bool) (out [][]string) {
	if c.Form != "" || len(c.Unreadable) > 0 {
		return nil
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		if p.Reason == "" || covered(p) {
			continue
		}
		prefix := p.Prefix()
		if prefix == nil {
			return nil
		}
		if !slices.ContainsFunc(out, func(other []string) bool { return slices.Equal(other, prefix) }) {
			out = append(out, prefix)
		}
	}
	return out
}

// Covered reports whether the line needs no approval if the user's rules cover the
// parts for which covers returns true. Run its Script then, not its Line.
func (c *Command) Covered(covers func(p *Part) bool) bool {
	if c.Form != "" || len(c.Unreadable) > 0 {
		return false
	}
	return !slices.ContainsFunc(c.Parts, func(p Part) bool { return p.Reason != "" && !covers(&p) })
}

//go:embed standing.txt
var standingText string

// standing holds the expressions of standing.txt by program, or by program and subcommand. They
// have \x00 for a space, and each one is compiled when it is first used.
var standing = sync.OnceValue(func() map[string]func() *regexp.Regexp {
	out := map[string]func() *regexp.Regexp{}
	var definitions []string
	expand := strings.NewReplacer()
	for line := range strings.Lines(standingText) {
		if name, value, defines := strings.Cut(line, " = "); defines && strings.HasPrefix(name, "$") {
			definitions = append([]string{strings.TrimSpace(name), expand.Replace(strings.TrimSpace(value))}, definitions...)
			expand = strings.NewReplacer(definitions...)
			continue
		}
		names, pattern, ok := strings.Cut(strings.TrimSpace(line), " (")
		if !ok || strings.HasPrefix(names, "#") {
			continue
		}
		source := `(?s)^` + strings.ReplaceAll(expand.Replace("("+pattern), " ", `\x00`) + `$`
		matches := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
		for name := range strings.SplitSeq(names, ",") {
			out[strings.TrimSpace(name)] = matches
		}
	}
	return out
})

// standingFor returns the expression for the arguments after the first words of a command; nil
// if standing.txt has none.
func standingFor(words []string) *regexp.Regexp {
	for n := len(words); n > 0; n-- {
		if covers, ok := standing()[strings.Join(words[:n], " ")]; ok {
			return covers()
		}
	}
	return nil
}

// Targets reports whether the operands of a program are all targets, so that a standing
// permission for "make test" is none for "make test deploy".
func Targets(program string) bool {
	covers, ok := standing()[program]
	return ok && !covers().MatchString("\x00x")
}

// TakesArguments reports whether a standing permission for the first words of a command covers
// some arguments after them.
func TakesArguments(words []string) bool {
	covers := standingFor(words)
	_, reads := gitCommands()[first(words[min(1, len(words)):])]
	return covers != nil && covers.String() != `(?s)^()$` || reads && words[0] == "git"
}

// coverable reports whether a standing permission may cover the part.
func (p *Part) coverable() bool {
	return len(p.Argv) > 0 && !p.Nested && p.plain() && p.Traits&(Destroys|WritesOutside|RunsCode|Undetermined) == 0 && !strings.Contains(p.Argv[0], "/") && p.covered()
}

// covered reports whether a standing permission for the first words of the part covers its
// other arguments.
func (p *Part) covered() bool {
	n := min(len(p.Argv), p.first())
	rest := p.Argv[n:]
	if len(rest) == 0 || p.readsGit {
		return true
	}
	covers := standingFor(p.Argv[:n])
	return covers != nil && covers.MatchString(strings.Join(append([]string{""}, rest...), "\x00"))
}

// first returns how many words of the part a standing permission names.
func (p *Part) first() int {
	switch {
	case slices.Contains(tools[:], p.Argv[0]):
		return 1
	case len(p.Argv) > 1 && slices.Contains(groups[:], p.Argv[0]+" "+p.Argv[1]):
		return 3
	}
	return 2
}
