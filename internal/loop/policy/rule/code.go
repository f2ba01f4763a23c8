package rule

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agent/internal/loop/policy/command"
	"agent/internal/tools/manifest"
)

// readsCode reports whether a part passes code or settings to a program that may run other
// programs, such as awk, make or git. Shells and wrappers do not count: their commands are
// separate parts or Runs.
func readsCode(p *command.Part) bool {
	runs := func(words []string) bool {
		program := manifest.Program(words[0])
		return !command.RunsArguments(program) && (program == "git" || !slices.Contains(inert[:], program))
	}
	return runs([]string{wordsOf(p)[0].text}) || slices.ContainsFunc(p.Runs, runs)
}

// named reports whether text names the program of the rule without showing its arguments.
// Text is code, a setting such as SHELL=x, or an option with its value such as -Ox.
func (r Rule) named(text string) bool {
	name, _, more := strings.Cut(strings.ToLower(r.Pattern), " ")
	if !more { // a mention is a match
		return false
	}
	text = strings.ToLower(text)
	if len(text) > 2 && text[0] == '-' && text[1] != '-' && runsProgram(text[2:], name) {
		return true
	}
	return strings.ContainsAny(text, command.Separators+command.Mark) && (runsProgram(text, name) || runsProgram(command.WithoutEscapes(text), name))
}

// runsProgram reports whether text contains the name of a program without a literal argument
// after it.
func runsProgram(text, name string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		before, after := text[:at+i], text[at+i+len(name):]
		if !strings.ContainsAny(before[max(0, len(before)-1):], nameBytes) && !hasArgument().MatchString(after) {
			return true
		}
		at += i + len(name)
	}
}

// nameBytes are characters in front of the name of a program that make it another name.
const nameBytes = "abcdefghijklmnopqrstuvwxyz0123456789_.@+-$"

// hasArgument matches the text after the name of a program if it shows the first argument:
// options and then a word of the same text, or the next string of a list. It also matches the
// rest of a longer name.
var hasArgument = sync.OnceValue(func() *regexp.Regexp {
	const space = `(\s+|['"]\s*,\s*['"])`
	return regexp.MustCompile(`^([\w./@+:^~-]|(` + space + `-[^\s'"]*)*` + space + `[\w./])`)
})
