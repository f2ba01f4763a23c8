package ink

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// TabStop is how many columns lie between two places to which a tab goes.
const TabStop = 4

const maxMarks = 8 // combining marks drawn in one cell

// Sanitize returns s fit for the terminal: printable text and newlines. Tabs
// become blanks; all that could move the cursor, reorder, hide or restyle text
// is drawn as a visible escape. What it returns it leaves as it is.
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

// SanitizeLine is Sanitize for what must stay on one line: a newline becomes ⏎.
func SanitizeLine(s string) string {
	return strings.ReplaceAll(Sanitize(s), "\n", "⏎")
}

// Exact returns s, a command or a path, as one piece of text in which nothing is
// hidden: every character that is not drawn as itself becomes an escape as in
// Go. It is stricter than Sanitize, which leaves joiners and other spaces where
// prose needs them. Letters that look like others in their word, and those
// written from right to left, become escapes too. Newlines stay.
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

// clean says whether s is plain ASCII with nothing to replace.
func clean(s string) bool {
	for i := range len(s) {
		if (s[i] < 0x20 || s[i] > 0x7e) && s[i] != '\n' {
			return false
		}
	}
	return true
}

// sanitizer writes rest to out. It looks back at the runes already written,
// because some invisible ones are harmless in one place alone.
type sanitizer struct {
	rest  string
	exact bool // see Exact
	out   strings.Builder

	last  rune // the rune written last; 0 at the start of a line and after an escape
	base  rune // the one that marks, selectors and joiners belong to
	marks int  // combining marks on base
	joins int  // joiners in the chain that ends here
	words words
	col   int // of the line, up to the byte at measured
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
		z.escape(Spelt(r))
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
		z.escape(Spelt(r))
	}
}

func (z *sanitizer) write(r rune) {
	if z.last != ZWJ && !links(z.last) && (r < firstSkin || r > lastSkin) {
		z.joins = 0
	}
	z.out.WriteRune(r)
	z.last, z.base, z.marks = r, r, 0
}

// joiner writes a joiner if it joins something, and not too many others did
// before it.
func (z *sanitizer) joiner(r rune) {
	if z.exact || z.joins >= maxMarks || !z.joinsNext(r) {
		z.escape(Spelt(r))
		return
	}
	z.joins++
	z.out.WriteRune(r)
	z.last = r
}

// escape writes a visible stand-in, on which nothing can be combined.
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

// mark writes a combining mark if there is something to combine it with and
// not too many are there. A variation selector must have a symbol before it:
// after a letter it is invisible, and may carry a message.
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
		z.escape(Spelt(r))
		return
	}
	z.out.WriteRune(r)
	z.last = r
	z.marks++
}

// stacks says whether r, a letter for Unicode, is drawn into the cell of the
// letter last before it: a part of a Hangul syllable that is spelt out.
func stacks(last, r rune) bool {
	return r > 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff ||
		leads(r) && leads(last) || prepends(r) && prepends(last)
}

// links says whether r, a mark, joins the letter before it with the next one in
// scripts of India.
func links(r rune) bool { return strings.ContainsRune("\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d", r) }

// prepends says whether r is drawn into the letter that follows.
func prepends(r rune) bool {
	return r == 0x0d4e || r == 0x111c2 || r == 0x111c3 || r == 0x1193f || r == 0x11941 ||
		r >= 0x11a84 && r <= 0x11a89 || r == 0x11d46 || r == 0x11f02
}

// leads says whether r is a consonant that begins a Hangul syllable.
func leads(r rune) bool { return r >= 0x1100 && r < 0x115f || r >= 0xa960 && r <= 0xa97c }

// joinsNext says whether r, invisible by itself, joins what is before it with what
// comes: two pictures into one, or two letters of a script that is written so.
func (z *sanitizer) joinsNext(r rune) bool {
	next, _ := utf8.DecodeRuneInString(z.rest)
	switch r {
	case ZWJ:
		return z.base != 0 && z.last != ZWJ && (picture(z.base) && picture(next) && Drawn(next) || Joinable(z.last) && Joinable(next))
	case ZWNJ:
		return Joinable(z.last) && Joinable(next)
	}
	return false
}

// ZWNJ and ZWJ are the joiners: they take no ink, and say whether what is on
// either side of them is drawn as one.
const (
	ZWNJ = '\u200c'
	ZWJ  = '\u200d'
)

// The variation selectors that have a symbol drawn as text or as a picture.
const (
	textStyle  = '\ufe0e'
	emojiStyle = '\ufe0f'
)

// The colours of skin, which belong to the picture before them.
const (
	firstSkin = '\U0001f3fb'
	lastSkin  = '\U0001f3ff'
)

// Spelt returns r as an escape of ASCII.
func Spelt(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Drawn says whether r is a character of its own that can be seen, or a blank.
// New pictures, which Go does not know yet, are among them.
func Drawn(r rune) bool {
	if r >= 0x1f300 && r <= 0x1faff {
		return true
	}
	return unicode.IsGraphic(r) && !invisible(r)
}

// invisible says whether r takes no ink though Unicode calls it a letter, a
// symbol or a mark.
func invisible(r rune) bool {
	switch {
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x2800,
		r == 0x17b4, r == 0x17b5, r == 0x16fe4, r == 0x1d159, r >= 0x180b && r <= 0x180f,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r == 0xfffc:
		return true
	}
	return false
}

// styled says whether a variation selector can follow r: it is a symbol that
// is drawn either as text or as a picture.
func styled(r rune) bool {
	return picture(r) || r == '#' || r == '*' || r >= '0' && r <= '9'
}

// picture says whether r is, or may be, an emoji.
func picture(r rune) bool {
	switch {
	case r >= 0x1f1e6 && r <= 0x1f1ff: // half a flag
		return false
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2190 && r <= 0x2bff:
		return true
	}
	return strings.ContainsRune("©®‼⁉™ℹ〰〽㊗㊙", r)
}

// Joinable says whether r is of a script in which joiners are part of spelling.
func Joinable(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
		unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar) &&
		unicode.IsGraphic(r)
}

// subdivision returns the tags with which s begins, if they make a black flag
// that of England, Scotland or Wales. Tags spell nothing else.
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
