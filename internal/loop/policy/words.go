package policy

import (
	"runtime"
	"slices"
	"strings"
)

// maxNested is how many quoted scripts may stand in one another.
const maxNested = 6

// special are the characters that mean something to a shell within a word.
const special = " \t\r\n;&|<>(){}'\"\\$`"

// wordsOf returns the words of a shell command that may name a file: as a shell
// splits them, the words of what is quoted, which may be a script, and the parts
// of such as FILE=x. It errs on the side of too many. It reports false if the
// command may name files that its text does not show, as $NAME and $(command) do.
func wordsOf(command string) (words []string, known bool) {
	known = true
	positional, shell := false, false
	todo := []string{command}
	for depth := 0; len(todo) > 0; depth++ {
		if depth == maxNested || len(words) > maxWords {
			return nil, false
		}
		var quoted []string
		for _, text := range todo {
			s := splitShell(text)
			known = known && s.known && !(s.positional && depth == 0)
			positional = positional || s.positional
			loose := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(special+",=", r) })
			for _, w := range append(s.words, loose...) {
				if strings.ContainsAny(w, special) && w != text {
					quoted = append(quoted, w)
				}
				words = addVariants(words, w)
				shell = shell || slices.Contains(shells, programOf(w))
			}
		}
		todo = quoted
	}
	home := slices.ContainsFunc(words, func(w string) bool { return len(w) > 1 && w[0] == '~' && w[1] != '/' })
	return words, known && !home && !(positional && shell)
}

// shells are programs that read a script in an argument, in which $1 is not the
// $1 of awk.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "fish", "eval", "trap", "xargs", "parallel", "su", "ssh", "watch", "script", "flock"}

// splitter splits a command as a POSIX shell does.
type splitter struct {
	words      []string
	word       []byte
	quote      byte // ' or " inside of such quotes
	brace      int  // after the last unquoted brace of the word; 0 for none
	known      bool // no word depends on an expansion
	positional bool // one depends on $1, or what awk calls that
}

func splitShell(text string) splitter {
	s := splitter{known: true}
	for i := 0; i < len(text); {
		i += s.take(text[i:])
	}
	s.end()
	return s
}

// take reads what the rest of a command starts with and returns its length.
func (s *splitter) take(rest string) int {
	c := rest[0]
	switch {
	case s.quote == '\'' && c != '\'':
		s.word = append(s.word, c)
	case s.quote != 0 && c == s.quote:
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
		s.known = false
	case s.quote == 0 && strings.IndexByte(" \t\r\n;&|<>()", c) >= 0:
		s.end()
	default:
		s.takeBrace(c)
		s.word = append(s.word, c)
	}
	return 1
}

// takeBrace notices {a,b} and {1..3}, which name more than one file.
func (s *splitter) takeBrace(c byte) {
	switch {
	case s.quote != 0:
	case c == '{':
		s.brace = len(s.word) + 1
	case c == '}' && s.brace > 0:
		within := string(s.word[s.brace:])
		s.known = s.known && !strings.Contains(within, ",") && !strings.Contains(within, "..")
	}
}

// expansion takes a $ before next. What is put in its place is not known here.
func (s *splitter) expansion(next byte) {
	switch {
	case next == '(', next == '{', next == '_', next == '[', next == '\'' && s.quote == 0, 'a' <= next && next <= 'z', 'A' <= next && next <= 'Z':
		s.known = false
	case '0' <= next && next <= '9', next == '@', next == '*':
		s.positional = true
	}
	s.word = append(s.word, '$')
}

func (s *splitter) end() {
	if len(s.word) > 0 {
		s.words = append(s.words, string(s.word))
	}
	s.word, s.brace = nil, 0
}

// addVariants adds a word, and what it may name, to words.
func addVariants(words []string, w string) []string {
	for _, v := range variants(w) {
		if !slices.Contains(words, v) {
			words = append(words, v)
		}
	}
	return words
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
