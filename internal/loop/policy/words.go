package policy

import (
	"runtime"
	"slices"
	"strings"
)

// wordsOf returns the words of a shell command that may name a file: as a shell
// splits them, and everything else that could be one, such as the parts of a
// quoted script and of FILE=x. It errs on the side of too many. It reports false
// if the command may name files that its text does not show.
func wordsOf(command string) (words []string, known bool) {
	s := splitter{known: true}
	for i := 0; i < len(command); {
		i += s.take(command[i:])
	}
	s.end()
	loose := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;&|<>(){}$,=", r) })
	for _, w := range append(s.words, loose...) {
		for _, v := range variants(w) {
			if !slices.Contains(words, v) {
				words = append(words, v)
			}
		}
	}
	return words, s.known
}

// splitter splits a command as a POSIX shell does.
type splitter struct {
	words []string
	word  []byte
	quote byte // ' or " inside of such quotes
	brace bool // the word has an unquoted brace
	known bool
}

// take reads what the rest of a command starts with and returns its length.
func (s *splitter) take(rest string) int {
	c := rest[0]
	switch {
	case s.quote == '\'' && c != '\'':
		s.word = append(s.word, c)
	case c == s.quote:
		s.quote = 0
	case s.quote == 0 && (c == '\'' || c == '"'):
		s.quote = c
	case c == '\\' && len(rest) > 1:
		if rest[1] != '\n' {
			s.word = append(s.word, rest[1])
		}
		return 2
	case c == '$' && len(rest) > 1:
		s.expansion(rest[1])
	case c == '`':
		s.end()
	case s.quote == 0 && strings.IndexByte(" \t\r\n;&|<>()", c) >= 0:
		s.end()
	default:
		s.brace = s.brace || s.quote == 0 && c == '{'
		s.word = append(s.word, c)
	}
	return 1
}

// expansion takes a $ before next. What a variable holds is not known here.
func (s *splitter) expansion(next byte) {
	switch {
	case next == '(':
		s.end()
	case next == '{', next == '\'', next == '_', 'a' <= next && next <= 'z', 'A' <= next && next <= 'Z':
		s.known = false
	default: // $?, $1: the $1 of awk is no variable of the shell
		s.word = append(s.word, '$')
	}
}

func (s *splitter) end() {
	w := string(s.word)
	if s.brace && (strings.Contains(w, ",") || strings.Contains(w, "..")) || len(w) > 1 && w[0] == '~' && w[1] != '/' {
		s.known = false
	}
	if w != "" {
		s.words = append(s.words, w)
	}
	s.word, s.brace = nil, false
}

// variants returns the names that a word may hold: FILE=x, -fx, @x, a:b.
func variants(w string) []string {
	out := []string{w}
	for i, c := range w {
		if strings.ContainsRune("=:,@", c) {
			out = append(out, w[i+1:])
		}
	}
	out = append(out, strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("=:,@", r) })...)
	if len(w) > 2 && w[0] == '-' && w[1] != '-' {
		out = append(out, w[2:])
	}
	return slices.DeleteFunc(out, func(v string) bool { return v == "" })
}

// programOf returns the name of the program that a word would run.
func programOf(w string) string {
	if i := strings.LastIndexAny(w, `/\`); i >= 0 && (w[i] == '/' || runtime.GOOS == "windows") {
		w = w[i+1:]
	}
	return strings.TrimSuffix(strings.ToLower(w), ".exe")
}

// destroyers are programs that delete, overwrite or take over more than a user
// expects of a command that is always allowed.
var destroyers = []string{
	"rm", "rmdir", "unlink", "shred", "dd", "truncate", "wipefs", "fdisk", "parted", "mkfs", "srm", "del", "erase", "rd",
	"sudo", "doas", "su", "pkexec", "runas", "shutdown", "reboot", "poweroff", "halt", "kill", "pkill", "killall",
	"chown", "chmod", "chattr", "crontab", "-delete", "remove-item",
}

// gitDestroyers are words of git commands that discard work or rewrite what
// others have.
var gitDestroyers = []string{
	"clean", "restore", "--hard", "--force", "-f", "--force-with-lease", "--mirror", "--delete", "-d", "filter-branch", "filter-repo",
	"gc", "prune", "drop", "clear", "expire", "update-ref",
}

// destructive reports whether one of the words of a command deletes or
// overwrites. It errs on the side of yes.
func destructive(words []string) bool {
	git := slices.ContainsFunc(words, func(w string) bool { return programOf(w) == "git" })
	return slices.ContainsFunc(words, func(w string) bool {
		name := programOf(w)
		return slices.Contains(destroyers, name) || strings.HasPrefix(name, "mkfs.") || git && slices.Contains(gitDestroyers, name)
	})
}
