package command

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed git.txt
var gitText string

// gitCommands holds the rows of git.txt by subcommand.
var gitCommands = sync.OnceValue(func() map[string]program {
	groups, out := map[string][]string{}, map[string]program{}
	for line := range strings.Lines(gitText) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2 || fields[0] == "#":
		case fields[0][0] == '+':
			groups[fields[0]] = fields[1:]
		default:
			var options []string
			for _, f := range fields[2:] {
				if f[0] == '+' {
					options = append(options, groups[f]...)
				} else {
					options = append(options, f)
				}
			}
			p := newProgram(fields[1], options)
			for name := range strings.SplitSeq(fields[0], ",") {
				out[name] = p
			}
		}
	}
	return out
})

// versioning judges git. The caller runs it without the configuration of the
// repository, which can name programs.
func (v *prover) versioning(p *Part, args []string) string {
	why := v.subcommand(p, args)
	p.readsGit = why == ""
	if why == "" && p.Shows.Git {
		why = v.repositoryOf(p)
		p.Shows.Git = why == ""
	}
	return why
}

// repositoryOf returns why git must not read the repository of p.
func (v *prover) repositoryOf(p *Part) string {
	switch {
	case v.env.Git == nil:
		return "the configuration of the repository can make git run programs"
	case len(p.dirs) == 0:
		return "the directory of `git` is not known"
	}
	for _, dir := range p.dirs {
		repository, why := v.env.Git(dir)
		switch {
		case why != "":
			return "`git` needs approval: " + why
		case v.repository != "" && repository != v.repository:
			return "it reads several git repositories"
		}
		v.repository = repository
	}
	return ""
}

// subcommand judges the arguments of git. It sets p.Git if they only read a repository.
func (v *prover) subcommand(p *Part, args []string) string {
	for len(args) > 0 && (args[0] == "--no-pager" || args[0] == "-P" || args[0] == "--no-optional-locks") {
		args = args[1:]
	}
	if len(args) == 0 {
		return "`git` has no subcommand"
	}
	if args[0] == "--version" && len(args) == 1 {
		return ""
	}
	name := args[0]
	row, ok := gitCommands()[name]
	switch {
	case strings.HasPrefix(name, "-"):
		return "`git` has an option that is not known to be safe: " + shown(name)
	case !ok:
		return code("git", name) + " is not known to only read"
	}
	a, why := row.sort("git "+name, args[1:])
	if why != "" {
		return why
	}
	if slices.ContainsFunc(a.values["--sort"], func(key string) bool { return strings.Contains(key, "signature") }) {
		return code("git", name) + " may check signatures with another program"
	}
	for _, option := range []string{"--format", "--pretty"} {
		for _, format := range a.values[option] {
			if !plainFormat(format) {
				return code("git", name) + " may check signatures with another program"
			}
		}
	}
	p.opens(a.files...)
	if strings.HasPrefix(row.operands, "@") {
		why = nested(row.operands, name, first(args[1:]), a.operands)
	} else {
		why = v.gitOperands(p, row.operands, name, a)
	}
	if p.Shows.Git = why == ""; p.Shows.Git {
		p.Shows.Contents = max(p.Shows.Contents, v.contents(p, name, args[1:], a))
	}
	return why
}

// gitOperands judges the operands of a subcommand.
func (v *prover) gitOperands(p *Part, kind, name string, a arguments) string {
	unsafe := code("git", name, first(a.operands)) + " is not known to only read"
	switch kind {
	case "words", "search":
		for _, word := range append(a.values["-L"], a.operands...) { // HEAD:path, or a path
			if path := word[strings.LastIndexByte(word, ':')+1:]; path != "" && (path == word || path[0] != '/') {
				p.opens(path)
			}
		}
		return ""
	case "none":
		if len(a.operands) == 0 {
			return ""
		}
	case "paths": // git diff compares files outside the repository too
		p.opens(a.operands...)
		return ""
	case "listing":
		if len(a.operands) == 0 || a.pattern {
			return ""
		}
	}
	return unsafe
}

// nested judges a subcommand with subcommands of its own. next is the word after the
// name: an option there selects the subcommand that git assumes, such as push.
func nested(rule, name, next string, operands []string) string {
	ok := false
	switch rule {
	case "@reflog":
		ok = len(operands) == 0 || next == "show"
	case "@remote":
		ok = len(operands) == 0 || next == "get-url" && len(operands) == 2
	case "@stash":
		ok = next == "list" || next == "show"
	case "@symbolic":
		ok = len(operands) == 1
	}
	if ok {
		return ""
	}
	return code("git", name, first(operands)) + " is not known to only read"
}

// formats are the formats of git log with a name. Other names come from the
// configuration.
var formats = [...]string{"", "oneline", "short", "medium", "full", "fuller", "reference", "email", "raw", "mboxrd"}

// plainFormat reports whether a format of git checks no signature.
func plainFormat(format string) bool {
	if strings.Contains(format, "%G") || strings.Contains(format, "signature") {
		return false
	}
	return slices.Contains(formats[:], format) || strings.Contains(format, "%") || strings.HasPrefix(format, "format:") || strings.HasPrefix(format, "tformat:")
}
