package gitconfig

import (
	"os"
	"slices"
	"strings"
)

// split returns the words of a script in which expansions are replaced. A word "\n" ends a
// command. Without quoting, quotes separate words, and a backslash means nothing.
func split(text string, quoting bool) (words []string) {
	var word []byte
	var quote byte
	inWord := false
	end := func() {
		if inWord {
			words = append(words, string(word))
		}
		word, inWord = nil, false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'') && quoting:
			quote, inWord = c, true
		case c == '\\' && !quoting:
		case c == '\\' && i+1 < len(text) && quote != '\'':
			i++
			word, inWord = append(word, text[i]), true
		case quote == 0 && strings.IndexByte("\n;&|()", c) >= 0:
			end()
			words = append(words, "\n")
		case quote == 0 && strings.IndexByte(" \t<>\"'", c) >= 0:
			end()
		default:
			word, inWord = append(word, c), true
		}
	}
	end()
	return words
}

// expand returns a script with its expansions replaced: by their value if it is known,
// otherwise by a mark. It collects the files that the commands in them name.
func (n *naming) expand(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		rest := text[i+1:]
		switch {
		case text[i] == '`':
			inner, _, _ := strings.Cut(rest, "`")
			out.WriteString(n.substitution(inner))
			i += len(inner) + 1
		case text[i] == '$' && strings.HasPrefix(rest, "("):
			inner := enclosed(rest, '(', ')')
			out.WriteString(n.substitution(inner))
			i += len(inner) + 2
		case text[i] == '$' && strings.HasPrefix(rest, "{"):
			inner := enclosed(rest, '{', '}')
			name := variableName(inner)
			out.WriteString(n.variable(name))
			if _, value, found := strings.Cut(inner[len(name):], "-"); found { // ${x:-value}
				n.commandsIn(value, false)
			}
			i += len(inner) + 2
		case text[i] == '$' && rest != "":
			name := variableName(rest)
			if name == "" && strings.IndexByte("0123456789@*#?$!-", rest[0]) < 0 {
				out.WriteByte('$')
				continue
			}
			i += max(len(name), 1)
			out.WriteString(n.variable(name))
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// enclosed returns the text between a character and the one that closes it.
func enclosed(text string, open, closing byte) string {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return text[1:i]
			}
		}
	}
	return text[1:]
}

// substitution returns the output of a command, or a mark.
func (n *naming) substitution(command string) string {
	switch strings.Join(strings.Fields(command), " ") {
	case "git rev-parse --show-toplevel", "pwd", "pwd -P", "pwd -L":
		return "." // of all bases, the first is the worktree
	case "git rev-parse --show-cdup", "git rev-parse --show-prefix":
		return string(given)
	case "git rev-parse --git-dir", "git rev-parse --absolute-git-dir", "git rev-parse --git-common-dir":
		return ".git"
	}
	n.commandsIn(command, false)
	return string(output)
}

// variable returns the value of a variable, or a mark. An empty name is that of an argument.
func (n *naming) variable(name string) string {
	if slices.Contains(n.assigned, name) {
		return string(output)
	}
	switch name {
	case "", "GIT_PREFIX":
		return string(given)
	case "HOME":
		return "~"
	case "PWD", "GIT_WORK_TREE":
		return "."
	case "GIT_DIR":
		return ".git"
	}
	if value := os.Getenv(name); value != "" && !strings.ContainsAny(value, marks) {
		return value
	}
	return string(given)
}

// variableName returns the name of a variable at the beginning of a text.
func variableName(text string) string {
	for i := range len(text) {
		if c := text[i]; c != '_' && (!isKey(c) || c == '-' || i == 0 && '0' <= c && c <= '9') {
			return text[:i]
		}
	}
	return text
}

// assigns returns the variable that a word sets.
func assigns(word string) string {
	if name := variableName(word); strings.HasPrefix(word[len(name):], "=") {
		return name
	}
	return ""
}

// assignments returns the variables that a script sets.
func assignments(text string) (names []string) {
	words := split(text, false)
	for i, word := range words {
		if name := assigns(word); name != "" {
			names = append(names, name)
		}
		if word == "for" || word == "read" {
			for _, next := range words[i+1:] {
				if next == "in" || next == "\n" {
					break
				}
				names = append(names, next)
			}
		}
	}
	return names
}
