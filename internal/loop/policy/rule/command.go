package rule

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/bash"
	"agent/internal/loop/policy/command"
	"agent/internal/tools/manifest"
)

// Match says how surely a rule matches a command.
type Match int

const (
	No      Match = iota
	Maybe         // the text of the command does not show whether the rule matches
	Certain       // the rule matches
)

// MatchesLine returns whether a rule that denies or asks matches a command line. It
// also finds commands in substitutions and in the arguments of other programs. If a
// rule may match, the line must not run without approval.
func (r Rule) MatchesLine(c *command.Command) Match {
	found := No
	for i := range c.Parts {
		found = max(found, r.matchesPart(&c.Parts[i]))
	}
	if found == Certain || r.Kind == Network && c.Traits&(command.Connects|command.Undetermined) == 0 {
		return found
	}
	if c.Traits&command.Undetermined != 0 || c.Traits&command.RunsCode != 0 && r.anywhere(literals(command.Fields(c.Line))) != No {
		return Maybe
	}
	return found
}

// matchesPart is MatchesLine for one simple command.
func (r Rule) matchesPart(p *command.Part) Match {
	words := wordsToMatch(p)
	if len(words) == 0 || r.Kind == Network && p.Traits&(command.Connects|command.Undetermined) == 0 {
		return No
	}
	found := max(r.starts(words), r.mayBeGit(words), r.assigned(p))
	for _, run := range p.Runs {
		found = max(found, r.starts(literals(run)))
	}
	if !runsArguments(p, words[0].text) {
		if found == No && p.Reason != "" && !slices.Contains(inert[:], manifest.Program(words[0].text)) && r.mentioned(words[1:]) {
			return Maybe
		}
		return found
	}
	found = max(found, r.anywhere(words))
	code := readsCode(p)
	for _, w := range words[1:] {
		if !w.known || code && r.named(w.text) {
			found = max(found, Maybe)
		}
		if strings.ContainsAny(w.text, command.Separators+command.Mark) {
			found = max(found, r.anywhere(literals(command.Fields(w.text))))
		}
	}
	name, _, _ := strings.Cut(r.Pattern, " ")
	if readsCommands(p, words) || sameProgram(words[0].text, name) { // whose settings can run another command
		found = max(found, Maybe)
	}
	return found
}

// mayBeGit returns Maybe if the words run a command of git that is not known: it may be an
// alias for the command in the rule, or do a part of its work.
func (r Rule) mayBeGit(words []word) Match {
	program, sub, _ := strings.Cut(r.Pattern, " ")
	if sub == "" || !sameProgram(program, "git") || !sameProgram(words[0].text, program) {
		return No
	}
	var args []string
	for _, w := range words[1:] {
		args = append(args, w.text)
	}
	if command.IsGitCommand(command.Subcommand(args)) {
		return No
	}
	return Maybe
}

// assigned returns Maybe if a variable of a part names the command: a program may run it.
func (r Rule) assigned(p *command.Part) Match {
	if slices.ContainsFunc(p.Assigns, func(a string) bool { return r.named(a) || r.anywhere(literals(command.Fields(a))) != No }) {
		return Maybe
	}
	return No
}

// inert are programs that run no command in their arguments unless their traits say so.
// Any other program that is not known to only read may do so.
var inert = [...]string{
	"git", "gh", "glab", "echo", "printf", "test", "[", "cat", "tee", "touch", "mkdir", "mktemp", "cp", "mv", "rm", "rmdir", "ln", "chmod", "chown", "grep", "rg", "kill", "pkill",
	"killall", "curl", "wget", "which", "type", "apt", "apt-get", "brew", "pip", "pip3", "cd", "export",
}

// mentioned reports whether the rule matches a command somewhere in the arguments of a
// program.
func (r Rule) mentioned(words []word) bool {
	if r.anywhere(words) != No {
		return true
	}
	return slices.ContainsFunc(words, func(w word) bool {
		return strings.ContainsAny(w.text, command.Separators+command.Mark) && r.anywhere(literals(command.Fields(w.text))) != No
	})
}

// runsArguments reports whether a part runs code or a command that its arguments name.
func runsArguments(p *command.Part, program string) bool {
	return p.Traits&command.RunsCode != 0 || command.RunsArguments(filepath.Base(program))
}

// readsCommands reports whether a part runs commands that its text does not show: it runs
// a shell that reads a pipe or a file, a program like xargs that reads arguments of a
// command, or it stores commands for later.
func readsCommands(p *command.Part, words []word) bool {
	input := p.Operator == "|" || slices.ContainsFunc(p.Redirs, func(re bash.Redirect) bool { return strings.HasPrefix(re.Op, "<") })
	return slices.ContainsFunc(words, func(w word) bool {
		switch manifest.Program(w.text) {
		case "xargs", "gxargs", "parallel", "alias", "bind", "complete", "mapfile", "readarray", "sed", "gsed": // sed only with a script that runs its input
			return true
		case "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "source", ".":
			return input
		}
		return false
	})
}

// word is a word of a command.
type word struct {
	text    string
	known   bool // text is the value of the word, not its source
	pattern bool // text is a wildcard whose matches are not settled yet
}

// mayBe reports whether the word may become text when the command runs: a wildcard can match
// new files, and find replaces {} with the name of a file.
func (w word) mayBe(text string) bool {
	if w.pattern {
		matches, err := path.Match(strings.ReplaceAll(w.text, "[!", "[^"), text)
		return matches || err != nil
	}
	return strings.Contains(w.text, "{}")
}

// wordsOf returns the words of a part, with wildcards expanded if that is possible.
func wordsOf(p *command.Part) (out []word) {
	if p.Argv != nil {
		return literals(p.Argv)
	}
	for _, w := range p.Words {
		out = append(out, word{text: w.Text, known: w.Kind == bash.Literal})
	}
	return out
}

// wordsToMatch returns the words of a part for rules. A wildcard whose matches are not settled
// precedes its present matches.
func wordsToMatch(p *command.Part) (out []word) {
	if p.Argv == nil || !p.Unsettled {
		return wordsOf(p)
	}
	for _, w := range p.Words {
		out = append(out, word{text: w.Text, known: true, pattern: w.Kind == bash.Wildcard})
		out = append(out, literals(w.Matches)...)
	}
	return out
}

// literals returns a known word for each text.
func literals(texts []string) (out []word) {
	for _, text := range texts {
		out = append(out, word{text: text, known: true})
	}
	return out
}

// starts is begins for a complete command: the first word names its program.
func (r Rule) starts(words []word) Match {
	if strings.Contains(words[0].text, "{}") {
		return Maybe
	}
	return r.begins(words, Certain)
}

// anywhere returns whether a command that begins at any of the words matches.
func (r Rule) anywhere(words []word) Match {
	found := No
	for i := range words {
		found = max(found, r.begins(words[i:], Maybe))
	}
	return found
}

// begins returns whether words begin with those of the rule. Options between them, each
// with at most one value, do not count: "git -C dir push" begins with "git push". Neither do
// other targets: the result for "make test deploy" and the rule "make deploy" is amongTargets.
func (r Rule) begins(words []word, amongTargets Match) Match {
	want, found, otherwise := strings.Fields(r.Pattern), Certain, No
	switch {
	case !words[0].known:
		return Maybe
	case len(want) > 1 && sameProgram(words[0].text, want[0]+"-"+want[1]): // git-push
		want = want[1:]
	case !sameProgram(words[0].text, want[0]):
		return No
	}
	at, option := 1, false
	for _, w := range want[1:] {
		for ; ; at++ {
			switch {
			case at >= len(words):
				return otherwise
			case !words[at].known:
				return Maybe
			case words[at].mayBe(w):
				otherwise = Maybe
			}
			text := words[at].text
			if text == w {
				break
			}
			if !option && !strings.HasPrefix(text, "-") {
				if !command.Targets(manifest.Program(want[0])) {
					return otherwise
				}
				found = amongTargets
			}
			option = strings.HasPrefix(text, "-") // the next word may be its value
		}
		at, option = at+1, false
	}
	return found
}

// sameProgram reports whether two words name the same program, in any directory and on
// any file system.
func sameProgram(a, b string) bool { return manifest.Program(a) == manifest.Program(b) }

// AllowsPart reports whether an allow rule covers a part that runs in dir. It compares the
// literal words of the part, and covers a part that deletes data or runs other programs
// only if the words of the rule alone do so. It never covers a part that writes outside
// the workspace, or to files by redirections, or whose input may hold options. If inPlace is
// set, it covers editing in place.
func (r Rule) AllowsPart(p *command.Part, dir string, inPlace bool) bool {
	want := strings.Fields(r.Pattern)
	if p.Nested || p.Argv == nil || len(p.Argv) < len(want) || !slices.Equal(p.Argv[:len(want)], want) {
		return false
	}
	own := alone(want, dir)
	if inPlace {
		own.Traits |= command.Destroys
	}
	if p.Edits || p.ReadsOptions() || p.Traits&command.WritesOutside != 0 || p.Traits&^own.Traits&(command.Destroys|command.RunsCode|command.Undetermined) != 0 {
		return false
	}
	if p.Traits&command.Destroys == 0 || len(own.Parts) == 0 || len(own.Parts[0].Writes) == 0 {
		return true
	}
	for _, path := range p.Writes { // "rm -rf build" does not cover "rm -rf build src"
		if !slices.Contains(own.Parts[0].Writes, path) {
			return false
		}
	}
	return true
}

// NamesInPlace reports whether r, or r together with another allow rule, names the sed with
// which a part edits files in place: "command: sed" does, "command: xargs" only together
// with that.
func (r Rule) NamesInPlace(part *command.Part, all []Rule) bool {
	sed := part.InPlace()
	if sed == nil {
		return false
	}
	before := len(part.Argv) - len(sed)
	return len(strings.Fields(r.Pattern)) > before || AllowNames(all, sed)
}

// AllowNames reports whether words begin with those of an allow rule for commands.
func AllowNames(all []Rule, words []string) bool {
	return slices.ContainsFunc(all, func(r Rule) bool {
		want := strings.Fields(r.Pattern)
		return r.Action == Allow && (r.Kind == Command || r.Kind == Network) && len(want) <= len(words) && slices.Equal(words[:len(want)], want)
	})
}

// alone judges the words of a rule as a command of their own, without looking at files.
func alone(words []string, dir string) *command.Command {
	var line []string
	for _, w := range words {
		line = append(line, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return command.Judge(strings.Join(line, " "), textEnv(dir))
}

// textEnv returns an Env for commands that are judged by their text only, as if every
// program were installed and no file existed.
func textEnv(dir string) command.Env {
	return command.Env{
		Dir: dir, LookPath: func(string) string { return "" }, Inside: func(string) bool { return true },
		Readable: func(string) string { return "" }, Look: func(string) command.Entry { return command.Missing },
		Glob: func(string, string) ([]string, error) { return nil, nil },
	}
}
