package ink

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// TabStop is the distance between tab stops in columns.
const TabStop = 4

const maxMarks = 8 // combining marks drawn in one cell

// Sanitize makes s safe for the terminal: printable text and newlines. Tabs become
// spaces; characters that could move the cursor, or reorder, hide or restyle text,
// become visible escapes. Sanitize is idempotent.
func Sanitize(s string) string {
	if clean(s) {
		return s
	}
	z := sanitizer{rest: s}
	z.out.Grow(len(s) + len(s)/8)
	for z.rest != "" {
		z.step()
	}
	return z.out.String()
}

// SanitizeLine is Sanitize for text that must stay on one line: a newline becomes ⏎.
func SanitizeLine(s string) string {
	return strings.ReplaceAll(Sanitize(s), "\n", "⏎")
}

// EscapeControls returns s with its control characters as visible escapes, except for tabs
// and line ends. It is for files and pipes, which may reach a terminal later; all other text
// is unchanged. Text for a terminal needs Sanitize.
func EscapeControls(s string) string {
	if clean(s) {
		return s
	}
	var out strings.Builder
	for rest := s; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		c := rest[:n]
		rest = rest[n:]
		if (unicode.IsControl(r) || r == utf8.RuneError && n == 1) && r != '\t' && r != '\n' && (r != '\r' || !strings.HasPrefix(rest, "\n")) {
			c = Sanitize(c)
		}
		out.WriteString(c)
	}
	return out.String()
}

// Exact returns a command or a path with nothing hidden: every character that is
// not drawn as itself becomes an escape as in Go. It is stricter than Sanitize,
// which keeps joiners and special spaces in prose. Letters that look like others in
// their word, and right-to-left letters, become escapes too. Newlines stay.
func Exact(s string) string {
	if clean(s) {
		return s
	}
	z := sanitizer{rest: s, exact: true}
	z.out.Grow(len(s) + len(s)/8)
	for z.rest != "" {
		z.step()
	}
	return z.out.String()
}

// clean reports whether s is printable ASCII, which needs no replacement.
func clean(s string) bool {
	for i := range len(s) {
		if (s[i] < 0x20 || s[i] > 0x7e) && s[i] != '\n' {
			return false
		}
	}
	return true
}

// sanitizer writes rest to out. It remembers the preceding runes, because some
// invisible ones are harmless only in certain positions.
type sanitizer struct {
	rest  string
	exact bool // see Exact
	out   strings.Builder

	last  rune // the last rune written; 0 at the start of a line and after an escape
	base  rune // the rune that marks, selectors and joiners belong to
	marks int  // combining marks on base
	joins int  // joiners in the chain that ends here
	words words
	col   int // the column at byte upTo of out
	upTo  int
}

func (z *sanitizer) step() {
	r, n := utf8.DecodeRuneInString(z.rest)
	was := z.rest
	z.rest = was[n:]
	misleads := z.exact && z.words.next(was)
	switch {
	case r == utf8.RuneError && n == 1:
		z.escape(fmt.Sprintf(`\x%02x`, was[0]))
	case r == '\n':
		z.newline()
	case z.exact && (r < 0x20 || r == 0x7f || r > 0x7f && unicode.IsSpace(r)):
		z.escape(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	case misleads || z.exact && unicode.Is(unicode.Me, r):
		z.escape(EscapeRune(r))
	case r == '\r' && strings.HasPrefix(z.rest, "\n"):
	case r == '\t':
		z.tab()
	case r < 0x20:
		z.escape(string(0x2400 + r))
	case r == 0x7f:
		z.escape("␡")
	case r >= 0x80 && r < 0xa0:
		z.escape(fmt.Sprintf(`\x%02x`, r))
	case r == '🏴' && !z.exact && subdivision(z.rest) != "":
		tags := subdivision(z.rest)
		z.write(r)
		z.out.WriteString(tags)
		z.rest = z.rest[len(tags):]
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) || z.base != 0 && stacks(z.last, r):
		z.mark(r)
	case r == ZWJ || r == ZWNJ:
		z.joiner(r)
	case Drawn(r):
		z.write(r)
	default:
		z.escape(EscapeRune(r))
	}
}

func (z *sanitizer) write(r rune) {
	if z.last != ZWJ && !links(z.last) && (r < firstSkin || r > lastSkin) {
		z.joins = 0
	}
	z.out.WriteRune(r)
	z.last, z.base, z.marks = r, r, 0
}

// joiner writes a joiner if it joins two runes and the chain is not too long;
// otherwise it writes an escape.
func (z *sanitizer) joiner(r rune) {
	if z.exact || z.joins >= maxMarks || !z.joinsNext(r) {
		z.escape(EscapeRune(r))
		return
	}
	z.joins++
	z.out.WriteRune(r)
	z.last = r
}

// escape writes a visible escape, which no mark can combine with.
func (z *sanitizer) escape(s string) {
	z.out.WriteString(s)
	z.last, z.base, z.marks, z.joins = 0, 0, 0, 0
	z.words.escaped()
}

func (z *sanitizer) newline() {
	z.escape("\n")
	z.words = words{}
	z.col, z.upTo = 0, z.out.Len()
}

func (z *sanitizer) tab() {
	z.col += ansi.StringWidth(z.out.String()[z.upTo:])
	pad := TabStop - z.col%TabStop
	z.escape("    "[:pad])
	z.col, z.upTo = z.col+pad, z.out.Len()
}

// mark writes a combining mark if it has a base with not too many marks; otherwise
// it writes an escape. A variation selector needs a symbol before it: after a
// letter it is invisible and could hide data.
func (z *sanitizer) mark(r rune) {
	fits := z.base != 0 && z.marks < maxMarks && unicode.IsGraphic(r)
	switch {
	case r == textStyle || r == emojiStyle:
		fits = !z.exact && z.base != 0 && z.last == z.base && z.marks == 0 && styled(z.base)
	case invisible(r):
		fits = false
	case links(r):
		fits = fits && z.joins < maxMarks
		z.joins++
	}
	if !fits {
		z.escape(EscapeRune(r))
		return
	}
	z.out.WriteRune(r)
	z.last = r
	z.marks++
}

// stacks reports whether the letter r is drawn into the cell of the letter last
// before it, as a part of a decomposed Hangul syllable.
func stacks(last, r rune) bool {
	return r > 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff ||
		leads(r) && leads(last) || prepends(r) && prepends(last)
}

// links reports whether the mark r joins the letters around it in an Indic script.
func links(r rune) bool { return strings.ContainsRune("\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d", r) }

// prepends reports whether r is drawn into the letter that follows.
func prepends(r rune) bool {
	return r == 0x0d4e || r == 0x111c2 || r == 0x111c3 || r == 0x1193f || r == 0x11941 ||
		r >= 0x11a84 && r <= 0x11a89 || r == 0x11d46 || r == 0x11f02
}

// leads reports whether r is a leading consonant of a Hangul syllable.
func leads(r rune) bool { return r >= 0x1100 && r < 0x115f || r >= 0xa960 && r <= 0xa97c }

// joinsNext reports whether the joiner r joins the runes around it: two emoji, or
// two letters of a script that uses joiners.
func (z *sanitizer) joinsNext(r rune) bool {
	next, _ := utf8.DecodeRuneInString(z.rest)
	switch r {
	case ZWJ:
		return z.base != 0 && z.last != ZWJ && (picture(z.base) && picture(next) && Drawn(next) || UsesJoiners(z.last) && UsesJoiners(next))
	case ZWNJ:
		return UsesJoiners(z.last) && UsesJoiners(next)
	}
	return false
}

// ZWNJ and ZWJ are the zero-width non-joiner and joiner, which control whether the
// runes around them are drawn as one.
const (
	ZWNJ = '\u200c'
	ZWJ  = '\u200d'
)

// The variation selectors for the text and the emoji form of a symbol.
const (
	textStyle  = '\ufe0e'
	emojiStyle = '\ufe0f'
)

// The range of skin tone modifiers, which follow an emoji.
const (
	firstSkin = '\U0001f3fb'
	lastSkin  = '\U0001f3ff'
)

// EscapeRune returns the ASCII escape of r.
func EscapeRune(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Drawn reports whether r is a visible character or a space. It includes new emoji
// that package unicode does not know yet.
func Drawn(r rune) bool {
	if r >= 0x1f300 && r <= 0x1faff {
		return true
	}
	return unicode.IsGraphic(r) && !invisible(r)
}

// invisible reports whether r is invisible although Unicode classifies it as a
// letter, symbol or mark.
func invisible(r rune) bool {
	switch {
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x2800,
		r == 0x17b4, r == 0x17b5, r == 0x16fe4, r == 0x1d159, r >= 0x180b && r <= 0x180f,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r == 0xfffc:
		return true
	}
	return false
}

// styled reports whether r has a text and an emoji form, so that a variation
// selector can follow.
func styled(r rune) bool {
	return picture(r) || r == '#' || r == '*' || r >= '0' && r <= '9'
}

// picture reports whether r is, or may be, an emoji.
func picture(r rune) bool {
	switch {
	case r >= 0x1f1e6 && r <= 0x1f1ff: // regional indicators, halves of flags
		return false
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2190 && r <= 0x2bff:
		return true
	}
	return strings.ContainsRune("©®‼⁉™ℹ〰〽㊗㊙", r)
}

// UsesJoiners reports whether r belongs to a script whose spelling uses joiners.
func UsesJoiners(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
		unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar) &&
		unicode.IsGraphic(r)
}

// subdivision returns the tag sequence at the start of s that turns a black flag
// into the flag of England, Scotland or Wales. Other tag sequences are escaped.
func subdivision(s string) string {
	for _, region := range []string{"gbeng", "gbsct", "gbwls"} {
		var tags strings.Builder
		for _, c := range region {
			tags.WriteRune(0xe0000 + c)
		}
		tags.WriteRune(0xe007f)
		if strings.HasPrefix(s, tags.String()) {
			return tags.String()
		}
	}
	return ""
}
