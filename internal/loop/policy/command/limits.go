package command

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/bash"
)

// Limits of a line. A line that exceeds one of them needs approval. The parser has no
// recursion limit: deeply nested brackets would overflow the stack, which ends the
// program.
const (
	maxBrackets = 200
	maxParts    = 1000    // simple commands
	maxWords    = 4000    // words of a part, wildcards expanded
	maxRedirs   = 20      // redirections of a part
	maxPatterns = 50      // wildcards of a line
	maxMatches  = 1000    // files of one wildcard
	maxDirs     = 8       // directories in which a part may run
	maxWork     = 1 << 20 // bytes of text and words in arguments that are judged as commands
	maxDepth    = 3       // lines within a line: bash -c "bash -c '…'"
)

// openers are words that open a compound command.
var openers = [...]string{"if", "case", "while", "until", "for", "select", "time", "coproc", "function", "elif", "else", "!"}

// unfit returns why a line must not be parsed, as a clause; empty if it may be.
func unfit(line string) string {
	switch {
	case len(line) > bash.MaxLine:
		return fmt.Sprintf("it is longer than %d KiB", bash.MaxLine>>10)
	case !utf8.ValidString(line):
		return "it is not valid UTF-8 text"
	}
	if strings.Contains(line, "\\\\`") {
		return "it nests substitutions in backquotes"
	}
	if continuedComment(line) {
		return "a comment in it ends with a backslash"
	}
	brackets := 0
	for i, r := range line {
		switch {
		case r == '\n', r == '\t':
		case unicode.IsControl(r):
			return fmt.Sprintf("it contains the control character U+%04X", r)
		case r >= utf8.RuneSelf && hidden(r):
			return fmt.Sprintf("it contains the invisible or unusual character U+%04X", r)
		case strings.ContainsRune("({[`", r):
			brackets++
		case r < utf8.RuneSelf && (i == 0 || !wordByte(line[i-1])):
			if opens(line[i:]) {
				brackets++
			}
		}
	}
	if brackets > maxBrackets {
		return fmt.Sprintf("it nests too deeply: more than %d opening brackets", maxBrackets)
	}
	return ""
}

// continuedComment reports whether a line of text may be a comment and ends with a
// backslash. The parser continues such a comment on the next line; bash runs that line.
func continuedComment(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "#") && strings.HasSuffix(line, `\`) {
			return true
		}
	}
	return false
}

// hidden reports whether a character is invisible or ambiguous on the screen.
func hidden(r rune) bool {
	return !unicode.IsPrint(r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) || r == '\u2800' || r == '\ufffd'
}

// wordByte reports whether a byte continues a word.
func wordByte(b byte) bool {
	return b >= utf8.RuneSelf || b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// opens reports whether text begins with a word that opens a compound command.
func opens(text string) bool {
	for _, word := range openers {
		if strings.HasPrefix(text, word) && (len(text) == len(word) || !wordByte(text[len(word)])) {
			return true
		}
	}
	return false
}
