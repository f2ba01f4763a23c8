package command

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
)

// Script returns the line as a script for bash, with every word in single quotes and
// wildcards expanded: bash then runs exactly the words that were judged. Each part with
// Git begins with the word git, which must run the other words without the configuration
// of the repository. Script reports false if the line is not a list of simple commands,
// or if a word is not known.
func (c *Command) Script(git string) (string, bool) {
	if c.Form != "" || len(c.Parts) == 0 {
		return "", false
	}
	var b strings.Builder
	for i := range c.Parts {
		p := &c.Parts[i]
		if p.Nested || len(p.Argv) == 0 || !p.plain() && !p.Edits || p.Reason != "" && !p.Edits && p.evaluates() {
			return "", false
		}
		switch p.Operator {
		case "":
		case ";":
			b.WriteString("; ")
		default:
			b.WriteString(" " + p.Operator + " ")
		}
		argv := p.Argv
		if p.Shows.Git {
			b.WriteString(git + " ")
			if argv[0] == "command" { // it is no program, and adds nothing here
				argv = argv[1:]
			}
		}
		for j, w := range argv {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(bash.Quote(w))
		}
		for _, re := range p.Redirs {
			if re.Text != nil {
				b.WriteString(" " + inputOf(re))
				continue
			}
			b.WriteString(" " + re.FD + re.Op)
			if re.Op == syntax.DplOut.String() {
				b.WriteString(re.Target.Text)
			} else {
				b.WriteString(bash.Quote(re.Target.Text))
			}
		}
	}
	return b.String(), true
}

// evaluating are builtins of bash that evaluate their words once more: an index such as
// a[$(rm x)] runs commands, even in quotes.
var evaluating = [...]string{"test", "[", "printf", "read", "unset", "wait", "mapfile", "readarray", "compgen", "complete", "let", "set"}

// evaluates reports whether bash may run a command in the words of p, although they are quoted.
func (p *Part) evaluates() bool {
	return slices.ContainsFunc(p.Argv, func(w string) bool { return slices.Contains(evaluating[:], w) }) &&
		slices.ContainsFunc(p.Argv, func(w string) bool { return strings.Contains(w, "$(") || strings.Contains(w, "`") })
}

// edits reports whether p sets no variables and, in addition to plain redirections, only
// writes its output to files whose names are known.
func (p *Part) edits() bool {
	return len(p.Assigns) == 0 && len(p.Writes) > 0 && !slices.ContainsFunc(p.Redirs, func(re bash.Redirect) bool {
		writes := slices.Contains([]string{">", ">>", ">|", "&>", "&>>"}, re.Op) && slices.Contains([]string{"", "1", "2"}, re.FD) && re.Target.Kind == bash.Literal
		return !writes && !isPlain(re)
	})
}

// InPlace returns the command of sed with which p edits files in place, itself or with
// xargs; nil if p does not, or may do more.
func (p *Part) InPlace() []string {
	words := p.Argv
	if len(words) > 0 && words[0] == "xargs" {
		w, _ := bash.WrapperOf(words[0])
		words = w.Command(words[1:])
	}
	if first(words) != "sed" || !given("-i", words[1:]) && !given("--in-place", words[1:]) || p.Traits&(Permanent|Undetermined|WritesOutside|Connects) != 0 || p.ReadsOptions() {
		return nil
	}
	return words
}

// inputOf returns the redirection of a Text. A here-string ends with a newline of its own.
func inputOf(re bash.Redirect) string {
	if *re.Text == "" {
		return "</dev/null"
	}
	return "<<<" + bash.Quote(strings.TrimSuffix(*re.Text, "\n"))
}

// plain reports whether p sets no variables, and redirects only to /dev/null, between
// standard output and standard error, and from a Text.
func (p *Part) plain() bool {
	return len(p.Assigns) == 0 && !slices.ContainsFunc(p.Redirs, func(re bash.Redirect) bool { return !isPlain(re) })
}

// isPlain reports whether a redirection is one of those that plain allows.
func isPlain(re bash.Redirect) bool {
	if re.Text != nil {
		return true
	}
	if !slices.Contains([]string{"", "0", "1", "2"}, re.FD) || re.Target.Kind != bash.Literal {
		return false
	}
	switch re.Op {
	case ">", ">>", "<", "&>", "&>>":
		return re.Target.Text == "/dev/null"
	case ">&":
		return re.Target.Text == "1" || re.Target.Text == "2"
	}
	return false
}

// Environment returns the variables of env that are safe for automatic commands.
// Others, such as LD_PRELOAD, PAGER or RIPGREP_CONFIG_PATH, can make a program that
// only reads run another one. Directories of PATH that are relative or for which
// inside returns true are left out.
func Environment(env []string, inside func(dir string) bool) []string {
	out := []string{"PAGER=cat", "GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "PATH":
			var dirs []string
			for _, dir := range filepath.SplitList(value) {
				if filepath.IsAbs(dir) && !inside(dir) {
					dirs = append(dirs, dir)
				}
			}
			out = append(out, "PATH="+strings.Join(dirs, string(filepath.ListSeparator)))
		case "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TERM", "TMPDIR", "PWD", "GOPATH", "GOROOT", "GOMODCACHE", "GOCACHE":
			out = append(out, v)
		case "TZ":
			if !strings.ContainsAny(value, ":/") {
				out = append(out, v)
			}
		default:
			if strings.HasPrefix(name, "LC_") {
				out = append(out, v)
			}
		}
	}
	return out
}
