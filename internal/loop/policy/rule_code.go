package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agent/internal/loop/policy/command"
	"agent/internal/tools/manifest"
)

// readsCode reports whether a part gives code or settings to a program that may run other
// programs, such as awk, make or git. The commands of shells and wrappers are parts or Runs of
// their own.
func readsCode(p *command.Part) bool {
	runs := func(words []string) bool {
		program := manifest.Program(words[0])
		return !command.RunsArguments(program) && (program == "git" || !slices.Contains(inert[:], program))
	}
	return runs([]string{wordsOf(p)[0].text}) || slices.ContainsFunc(p.Runs, runs)
}

// named reports whether code, a setting such as SHELL=x or the value of an option such as -Ox
// names the program of the rule, and does not show with which arguments it runs.
func (r Rule) named(text string) bool {
	name, _, more := strings.Cut(strings.ToLower(r.Pattern), " ")
	if !more { // a mention is a match
		return false
	}
	text = strings.ToLower(text)
	if len(text) > 2 && text[0] == '-' && text[1] != '-' && runsProgram(text[2:], name) {
		return true
	}
	return strings.ContainsAny(text, separators+commandMark) && runsProgram(text, name)
}

// runsProgram reports whether text contains the name of a program, without literal arguments.
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

// hasArgument matches text after the name of a program that shows its first argument: after
// options, a word of the same text or the next string of a list. It also matches the rest of
// another name.
var hasArgument = sync.OnceValue(func() *regexp.Regexp {
	const space = `(\s+|['"]\s*,\s*['"])`
	return regexp.MustCompile(`^([\w./@+:^~-]|(` + space + `-[^\s'"]*)*` + space + `[\w./])`)
})
