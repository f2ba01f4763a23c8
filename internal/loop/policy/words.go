package policy

import (
	"runtime"
	"slices"
	"strings"
)

// maxNested limits the nesting of quoted scripts.
const maxNested = 6

// special are the characters with a special meaning to a shell.
const special = " \t\r\n;&|<>(){}'\"\\$`"

// parsed is a parsed shell command.
type parsed struct {
	// words may name files: the words as a shell splits them, the words of quoted
	// text, which may be a script, and the parts of words like FILE=x. They may
	// include words that name no file.
	words []string
	// known is set if no word depends on an expansion such as $NAME or $(command).
	known bool
	// lines are the scripts that certainly run: the text itself and the quoted
	// arguments of shells.
	lines []splitter
}

// parse reads the text of a shell command.
func parse(command string) parsed {
	p := parsed{known: true}
	positional, shell := false, false
	type script struct {
		text string
		runs bool
	}
	todo := []script{{command, true}}
	for depth := 0; len(todo) > 0; depth++ {
		if depth == maxNested || len(p.words) > maxWords {
			p.known = false
			break
		}
		var quoted []script
		for _, t := range todo {
			s := splitShell(t.text)
			p.known = p.known && s.known && !(s.positional && depth == 0)
			positional = positional || s.positional
			if t.runs {
				p.lines = append(p.lines, s)
			}
			runs := t.runs && s.has(shells)
			loose := strings.FieldsFunc(t.text, func(r rune) bool { return strings.ContainsRune(special+",=", r) })
			for _, w := range append(s.words(), loose...) {
				if strings.ContainsAny(w, special) && w != t.text {
					quoted = append(quoted, script{w, runs})
				}
				p.words = addVariants(p.words, w)
				shell = shell || slices.Contains(shells, programOf(w))
			}
		}
		todo = quoted
	}
	home := slices.ContainsFunc(p.words, func(w string) bool { return len(w) > 1 && w[0] == '~' && w[1] != '/' })
	p.known = p.known && !home && !(positional && shell)
	return p
}

// shells are programs that run a script from an argument, in which $1 is a
// positional parameter.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "fish", "eval", "trap", "xargs", "parallel", "su", "ssh", "watch", "script", "flock"}

// splitter splits a command as a POSIX shell does.
type splitter struct {
	commands   []simple
	word       []byte
	open       bool     // a word has begun, perhaps an empty one
	quote      byte     // the open quote, ' or "; 0 outside quotes
	brace      int      // index after the last unquoted { of the word; 0 for none
	pipe       bool     // the next command is after a pipe
	target     bool     // the next word is the file of an output redirection
	begun      bool     // the last command continues
	known      bool     // no word depends on an expansion
	positional bool     // a word depends on $1, of the shell or of awk
	output     bool     // the output of a command is substituted
	document   bool     // there is a here-document
	written    []string // files of output redirections
}

// simple is one command of a script.
type simple struct {
	words []string
	piped bool // it reads from a pipe
}

func splitShell(text string) splitter {
	s := splitter{known: true}
	for i := 0; i < len(text); {
		i += s.take(text[i:])
	}
	s.end()
	return s
}

// words returns the words of all commands.
func (s splitter) words() (out []string) {
	for _, c := range s.commands {
		out = append(out, c.words...)
	}
	return out
}

// has reports whether a word is one of the programs.
func (s splitter) has(programs []string) bool {
	return slices.ContainsFunc(s.words(), func(w string) bool { return slices.Contains(programs, programOf(w)) })
}

// take consumes the first token of rest and returns its length.
func (s *splitter) take(rest string) int {
	c := rest[0]
	switch {
	case s.quote == '\'' && c != '\'':
		s.word = append(s.word, c)
	case s.quote != 0 && c == s.quote:
		s.quote = 0
	case s.quote == 0 && (c == '\'' || c == '"'):
		s.quote, s.open = c, true
	case c == '\\' && len(rest) > 1 && (s.quote == 0 || strings.IndexByte("$`\"\\\n", rest[1]) >= 0):
		if rest[1] != '\n' {
			s.word, s.open = append(s.word, rest[1]), true
		}
		return 2
	case c == '$' && len(rest) > 1:
		s.expansion(rest[1])
	case c == '`':
		s.known, s.output, s.open = false, true, true
	case s.quote == 0 && c == '#' && !s.open:
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return end
		}
		return len(rest)
	case s.quote == 0 && strings.IndexByte(" \t\r\n;&|<>()", c) >= 0:
		return s.operator(rest)
	default:
		s.takeBrace(c)
		s.word, s.open = append(s.word, c), true
	}
	return 1
}

// operator consumes a blank or an operator and returns its length.
func (s *splitter) operator(rest string) int {
	s.end()
	two := rest[:min(2, len(rest))]
	switch {
	case two == ">>", two == "||", two == "<<":
		s.document = s.document || two == "<<"
		s.begun = s.begun && two != "||"
		return 2
	case two == "<(", two == ">(":
		s.output = true
	case two == ">&" && len(rest) > 2 && strings.IndexByte("0123456789-", rest[2]) >= 0:
		return 2
	case two == "&>" && strings.HasPrefix(rest, "&>>"):
		return 3
	case two == "&>", two == ">|", two == ">&":
		s.target = true
		return 2
	case rest[0] == '>':
		s.target = true
	case rest[0] == '|':
		s.begun, s.pipe = false, true
		if two == "|&" {
			return 2
		}
	case strings.IndexByte("\n;&()", rest[0]) >= 0:
		s.begun = false
	}
	return 1
}

// takeBrace tracks brace expansions, {a,b} and {1..3}, whose words are not known.
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

// expansion consumes a $ before next. The word that it expands to is not known.
func (s *splitter) expansion(next byte) {
	switch {
	case next == '(', next == '{', next == '_', next == '[', (next == '\'' || next == '"') && s.quote == 0, 'a' <= next && next <= 'z', 'A' <= next && next <= 'Z':
		s.known = false
		s.output = s.output || next == '('
	case '0' <= next && next <= '9', next == '@', next == '*':
		s.positional = true
	}
	s.word, s.open = append(s.word, '$'), true
}

// end ends a word, if there is one.
func (s *splitter) end() {
	if len(s.word) > 0 {
		if !s.begun {
			s.commands = append(s.commands, simple{piped: s.pipe})
			s.begun, s.pipe = true, false
		}
		last := &s.commands[len(s.commands)-1]
		last.words = append(last.words, string(s.word))
		if s.target {
			s.written = append(s.written, string(s.word))
		}
	}
	if s.open {
		s.target = false
	}
	s.word, s.brace, s.open = nil, 0, false
}

// addVariants adds the variants of a word to words.
func addVariants(words []string, w string) []string {
	for _, v := range variants(w) {
		if !slices.Contains(words, v) {
			words = append(words, v)
		}
	}
	return words
}

// variants returns the file names that a word may contain, as in FILE=x, -fx, @x, a:b.
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
