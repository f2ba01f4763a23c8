package tui

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/tui/ink"
)

// spell writes a command, whole, so that nothing in it is hidden: what a
// terminal would not show as it is, or would show as something else, is escaped
// as in Go.
func spell(command string, width int) []string {
	var b strings.Builder
	for i := 0; i < len(command); {
		r, n := utf8.DecodeRuneInString(command[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(command[i])|0x100, 16)[1:])
		case r == '\n', r == ' ', plain(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += n
	}
	return ink.Wrap(b.String(), width)
}

// plain reports whether r shows as itself: no control, no direction mark, no
// joiner, no space of another kind.
func plain(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Variation_Selector, r)
}
