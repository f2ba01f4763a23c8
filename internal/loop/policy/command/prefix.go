package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// tools are programs for which a rule may cover all arguments.
var tools = [...]string{
	"mkdir", "touch", "pytest", "ruff", "mypy", "pyright", "black", "isort", "flake8", "pylint", "eslint", "prettier", "tsc", "jest", "vitest", "mocha", "biome", "oxlint",
	"stylelint", "markdownlint", "phpunit", "rspec", "rubocop", "shellcheck", "shfmt", "staticcheck", "golangci-lint", "gofmt", "gofumpt", "goimports", "clang-format",
	"clang-tidy", "cmake", "ninja", "ctest", "javac", "rustfmt", "rustc", "gcc", "g++", "clang", "clang++", "protoc", "tox", "nox", "pre-commit", "hadolint", "actionlint", "yamllint",
}

// families are programs whose first argument names what they do.
var families = [...]string{
	"git", "go", "npm", "pnpm", "yarn", "cargo", "make", "gmake", "just", "task", "pip", "pip3", "poetry", "uv", "gh", "glab", "dotnet", "mvn", "gradle", "composer",
	"bundle", "rails", "rake", "mix", "gem", "brew", "apt", "apt-get", "swift", "flutter", "dart", "zig", "buf", "nx", "turbo", "lerna", "hatch", "pdm", "meson", "bazel", "terraform", "kubectl", "helm",
}

// groups are subcommands whose own first argument names what they do.
var groups = [...]string{
	"npm run", "npm run-script", "pnpm run", "yarn run", "yarn workspace", "go mod", "go work", "go tool", "git stash", "git remote", "git worktree", "git submodule", "git notes", "git lfs", "git bisect",
	"gh pr", "gh issue", "gh run", "gh repo", "gh release", "gh workflow", "glab mr", "cargo nextest", "uv pip", "poetry env", "dotnet tool", "kubectl config", "terraform state",
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
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9:_.-]*$`) })

// Prefix returns the first words of the part that a standing permission may cover
// with any further arguments: git commit, go test, npm run build. It returns nil if
// there is no such permission: for interpreters, shells and wrappers, for parts that
// destroy data or write outside, for parts with words that are not known, and for
// programs that the package does not know.
func (p *Part) Prefix() []string {
	if !p.coverable() {
		return nil
	}
	name := p.Argv[0]
	if slices.Contains(tools[:], name) {
		return []string{name}
	}
	if !slices.Contains(families[:], name) {
		return nil
	}
	if _, reads := gitCommands()[first(p.Argv[1:])]; name == "git" && !reads && !slices.Contains(gitWrites[:], first(p.Argv[1:])) {
		return nil
	}
	n := 2
	if len(p.Argv) > 1 && slices.Contains(groups[:], name+" "+p.Argv[1]) {
		n = 3
	}
	if len(p.Argv) < n || slices.ContainsFunc(p.Words[:n], func(w Word) bool { return w.Kind != Literal || !plainWord().MatchString(w.Text) }) {
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
	for i := range c.Parts {
		if p := &c.Parts[i]; p.Reason != "" && !covers(p) {
			return false
		}
	}
	return true
}

// several reports whether the part names more than one target of a program whose operands
// are all targets: a permission for "make test" is none for "make test deploy".
func (p *Part) several() bool {
	switch p.Argv[0] {
	case "make", "gmake", "rake", "gradle", "mvn", "task":
	default:
		return false
	}
	for i, w := range p.Argv[1:] {
		value := i > 0 && slices.Contains([]string{"--tests", "-x", "-pl", "-P"}, p.Argv[i])
		if i > 0 && !value && plainWord().MatchString(w) {
			return true
		}
	}
	return false
}

// coverable reports whether a standing permission may cover the part.
func (p *Part) coverable() bool {
	return len(p.Argv) > 0 && !p.Nested && p.plain() && p.Traits&(Destroys|WritesOutside|Interprets|Unclear) == 0 && !strings.Contains(p.Argv[0], "/") && !p.several()
}
