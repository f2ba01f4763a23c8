package trust

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// unquoted returns a shell command without quotes and backslashes, and with the escapes in
// $'…' decoded, so that the words in it are as the shell passes them.
func unquoted(line string) string {
	var b strings.Builder
	for line != "" {
		if escaped, ok := strings.CutPrefix(line, "$'"); ok {
			line = decode(&b, escaped)
			continue
		}
		if !strings.ContainsRune(`'"\`, rune(line[0])) {
			b.WriteByte(line[0])
		}
		line = line[1:]
	}
	return b.String()
}

// escapes holds pairs: a character after a backslash in $'…', and the character that the two
// stand for.
const escapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v"

// decode writes the value of text, which follows $' in a shell command, up to the closing quote
// to b, and returns the rest.
func decode(b *strings.Builder, text string) (rest string) {
	for text != "" && text[0] != '\'' {
		if text[0] != '\\' || len(text) == 1 {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		c := text[1]
		switch at := strings.IndexByte(escapes, c); {
		case c >= '0' && c <= '7':
			n, digits := number(text[1:], 8, 3)
			b.WriteByte(byte(n))
			text = text[1+digits:]
			continue
		case strings.IndexByte("xuU", c) >= 0:
			n, digits := number(text[2:], 16, map[byte]int{'x': 2, 'u': 4, 'U': 8}[c])
			if c == 'x' {
				b.WriteByte(byte(n))
			} else {
				b.WriteRune(rune(n))
			}
			text = text[2+digits:]
			continue
		case at >= 0 && at%2 == 0:
			b.WriteByte(escapes[at+1])
		default:
			b.WriteByte(c)
		}
		text = text[2:]
	}
	return strings.TrimPrefix(text, "'")
}

// number returns the number at the beginning of text, and how many digits it has. It reads at
// most most digits.
func number(text string, base, most int) (n uint64, digits int) {
	for digits < min(most, len(text)) {
		next, err := strconv.ParseUint(text[:digits+1], base, 64)
		if err != nil || text[digits] == '_' || text[digits] == '+' {
			break
		}
		n, digits = next, digits+1
	}
	return n, digits
}

// beforeExpansion matches a directory that precedes an expansion in a path, as in lib/$name.sh.
var beforeExpansion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("([^\\s$`=:;|&<>(){},*?\\[]*/)[^\\s/$`=:;|&<>(){},*?\\[]*[$`{]")
})

// composed returns words of a command that may name a directory in a path that the command
// computes: words before an expansion, and words in a substitution, as in
// $(printf lib/a).sh. Text is an unquoted command.
func composed(text string) (words []string) {
	for _, m := range beforeExpansion().FindAllStringSubmatch(text, -1) {
		words = append(words, m[1])
	}
	for _, inner := range substitutions(text) {
		for command := range strings.FieldsFuncSeq(inner, func(r rune) bool { return strings.ContainsRune("|;&\n", r) }) {
			all := strings.FieldsFunc(command, notInName)
			if len(all) == 0 || slices.Contains(readers, programName(all[0])) {
				continue
			}
			for _, word := range all {
				words = append(words, word)
				if strings.Contains(word, "/") {
					words = append(words, path.Dir(word))
				}
			}
		}
	}
	return words
}

// readers are programs that print the contents of files or of a repository. Their arguments are
// not part of the path that a substitution prints.
var readers = []string{"git", "cat", "head", "tail", "jq", "yq", "grep", "egrep", "fgrep", "rg", "wc", "cut", "sort", "uniq", "date", "stat", "curl", "test", "["}

// substitutions returns the text in $(…), <(…) and backquotes of a command. A nested
// substitution is a piece of its own, and so is the text after it. In a command with case,
// whose patterns end in a parenthesis, all text after the first substitution belongs to it.
func substitutions(text string) (out []string) {
	open, start, quoted := 0, 0, false
	patterns := strings.Contains(text, "esac")
	inside := func() bool { return open > 0 || quoted }
	piece := func(end, next int) {
		if inside() {
			out = append(out, text[start:end])
		}
		start = next
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '`':
			piece(i, i+1)
			quoted = !quoted || patterns
		case c == '(' && i > 0 && strings.IndexByte("$<>", text[i-1]) >= 0:
			piece(i-1, i+1)
			open++
		case c == '(' && open > 0:
			open++
		case c == ')' && open > 0 && !patterns:
			piece(i, i+1)
			open--
		}
	}
	piece(len(text), 0)
	return out
}
