package policy

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agent/internal/bash"
	"agent/internal/loop/policy/command"
	"agent/internal/tools/manifest"
)

// match says how surely a rule matches a command.
type match int

const (
	noMatch      match = iota
	maybeMatch         // the text of the command does not show whether the rule matches
	certainMatch       // the rule matches
)

// separators end a word of a shell, or surround one. Editors and git run what follows
// commandMark.
const (
	separators  = " \t\r\n;&|<>(){}[]'\"\\$`=,"
	commandMark = "!"
)

// matchesLine returns whether a rule that denies or asks matches a command line. It
// also finds commands in substitutions and in the arguments of other programs. If a
// rule may match, the line must not run without approval.
func (r Rule) matchesLine(c *command.Command) match {
	found := noMatch
	for i := range c.Parts {
		found = max(found, r.matchesPart(&c.Parts[i]))
	}
	if found == certainMatch || r.Kind == RuleNetwork && c.Traits&(command.Connects|command.Undetermined) == 0 {
		return found
	}
	if c.Traits&command.Undetermined != 0 || c.Traits&command.RunsCode != 0 && r.anywhere(fields(c.Line)) != noMatch {
		return maybeMatch
	}
	return found
}

// matchesPart is matchesLine for one simple command.
func (r Rule) matchesPart(p *command.Part) match {
	words := wordsToMatch(p)
	if len(words) == 0 || r.Kind == RuleNetwork && p.Traits&(command.Connects|command.Undetermined) == 0 {
		return noMatch
	}
	found := max(r.starts(words), r.mayBeGit(words), r.assigned(p))
	for _, run := range p.Runs {
		found = max(found, r.starts(literals(run)))
	}
	if !runsArguments(p, words[0].text) {
		if found == noMatch && p.Reason != "" && !slices.Contains(inert[:], manifest.Program(words[0].text)) && r.mentioned(words[1:]) {
			return maybeMatch
		}
		return found
	}
	found = max(found, r.anywhere(words))
	code := readsCode(p)
	for _, w := range words[1:] {
		if !w.known || code && r.named(w.text) {
			found = max(found, maybeMatch)
		}
		if strings.ContainsAny(w.text, separators+commandMark) {
			found = max(found, r.anywhere(fields(w.text)))
		}
	}
	name, _, _ := strings.Cut(r.Pattern, " ")
	if readsCommands(p, words) || sameProgram(words[0].text, name) { // whose settings can run another command
		found = max(found, maybeMatch)
	}
	return found
}

// mayBeGit returns maybeMatch if the words run a command of git that is not known: it may be an
// alias for the command in the rule, or do a part of its work.
func (r Rule) mayBeGit(words []word) match {
	program, sub, _ := strings.Cut(r.Pattern, " ")
	if sub == "" || !sameProgram(program, "git") || !sameProgram(words[0].text, program) {
		return noMatch
	}
	var args []string
	for _, w := range words[1:] {
		args = append(args, w.text)
	}
	if command.IsGitCommand(command.Subcommand(args)) {
		return noMatch
	}
	return maybeMatch
}

// assigned returns maybeMatch if a variable of a part names the command: a program may run it.
func (r Rule) assigned(p *command.Part) match {
	if slices.ContainsFunc(p.Assigns, func(a string) bool { return r.named(a) || r.anywhere(fields(a)) != noMatch }) {
		return maybeMatch
	}
	return noMatch
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
	if r.anywhere(words) != noMatch {
		return true
	}
	return slices.ContainsFunc(words, func(w word) bool {
		return strings.ContainsAny(w.text, separators+commandMark) && r.anywhere(fields(w.text)) != noMatch
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

// fields splits text that may be a command into words. In a string of code, an escape such as
// \n can also stand for a character between two words.
func fields(text string) (out []word) {
	split := func(text string) {
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators+commandMark, r) }) {
			out = append(out, word{text: w, known: true})
		}
	}
	split(text)
	if blank := withoutEscapes(text); blank != text {
		split(blank)
	}
	return out
}

// withoutEscapes replaces the escapes of strings in code that can stand for white space or a
// separator of commands by a blank.
func withoutEscapes(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escapes().ReplaceAllString(text, " ")
}

var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\+([abefnrtv]|x[0-9A-Fa-f]{1,2}|x\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]+\}|[0-7]{1,3}|o[0-7]{1,3})`)
})

// starts is begins for a complete command: the first word names its program.
func (r Rule) starts(words []word) match {
	if strings.Contains(words[0].text, "{}") {
		return maybeMatch
	}
	return r.begins(words, certainMatch)
}

// anywhere returns whether a command that begins at any of the words matches.
func (r Rule) anywhere(words []word) match {
	found := noMatch
	for i := range words {
		found = max(found, r.begins(words[i:], maybeMatch))
	}
	return found
}

// begins returns whether words begin with those of the rule. Options between them, each
// with at most one value, do not count: "git -C dir push" begins with "git push". Neither do
// other targets: the result for "make test deploy" and the rule "make deploy" is amongTargets.
func (r Rule) begins(words []word, amongTargets match) match {
	want, found, otherwise := strings.Fields(r.Pattern), certainMatch, noMatch
	switch {
	case !words[0].known:
		return maybeMatch
	case len(want) > 1 && sameProgram(words[0].text, want[0]+"-"+want[1]): // git-push
		want = want[1:]
	case !sameProgram(words[0].text, want[0]):
		return noMatch
	}
	at, option := 1, false
	for _, w := range want[1:] {
		for ; ; at++ {
			switch {
			case at >= len(words):
				return otherwise
			case !words[at].known:
				return maybeMatch
			case words[at].mayBe(w):
				otherwise = maybeMatch
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

// allowsPart reports whether an allow rule covers a part that runs in dir. It compares the
// literal words of the part, and covers a part that deletes data or runs other programs
// only if the words of the rule alone do so. It never covers a part that writes outside
// the workspace, or to files by redirections, or whose input may hold options. If inPlace is set, it covers editing in place.
func (r Rule) allowsPart(p *command.Part, dir string, inPlace bool) bool {
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
