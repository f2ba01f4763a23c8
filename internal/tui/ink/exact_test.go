package ink_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/ink"
	"agent/internal/tui/ink/inktest"
)

// hides reports whether a character is invisible on its own.
func hides(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == 0x2800
}

// All invisible characters of Unicode are escaped, in prose and in commands.
func TestEveryHiddenCharacterIsEscaped(t *testing.T) {
	tried, raw := 0, 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !hides(r) && (r >= ' ' && r < 0x7f || unicode.IsGraphic(r) && !unicode.IsMark(r)) {
			continue
		}
		if r >= 0x1f300 && r <= 0x1faff { // emoji, including new ones that package unicode does not know
			continue
		}
		if !utf8.ValidRune(r) || unicode.IsMark(r) && !hides(r) || r == '\n' {
			continue
		}
		for name, f := range map[string]func(string) string{"Sanitize": ink.Sanitize, "Exact": ink.Exact} {
			tried++
			if got := f("a" + string(r) + "b"); strings.ContainsRune(got, r) && !unicode.IsGraphic(r) || hides(r) && strings.ContainsRune(got, r) {
				raw++
				t.Errorf("%s leaves %U in %q", name, r, got)
			}
		}
	}
	t.Attr("promise", fmt.Sprintf("hidden characters drawn raw, in a question or elsewhere: %d of %d", raw, tried))
}

// Ordinary text of all scripts is unchanged.
func TestProseStays(t *testing.T) {
	for name, s := range map[string]string{
		"arabic":     "العَرَبِيَّةُ السَّلَامُ عَلَيْكُمْ",
		"hebrew":     "בְּרֵאשִׁית בָּרָא אֱלֹהִים",
		"persian":    "می\u200cخواهم کتاب\u200cها",
		"hindi":      "क्षत्रिय स्त्र्य विद्यार्थी",
		"sinhala":    "ශ්\u200dරී ලංකාව ක්\u200dෂේත්\u200dරය",
		"malayalam":  "മലയാളം ന്\u200dറെ",
		"khmer":      "ភាសាខ្មែរ",
		"tibetan":    "བོད་སྐད",
		"thai":       "ภาษาไทย กำลัง น้ำ",
		"vietnamese": "Tiếng Việt e\u0302\u0301 a\u0306\u0300",
		"jamo":       "\u1112\u1161\u11ab\u1100\u116e\u11a8 \u1100\u1100\u1161",
		"old korean": "\u1107\u1109\u1103\u119e\u11af",
		"emoji":      "👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏽 🏳\ufe0f\u200d🌈 👨\u200d👩\u200d👧\u200d👦 🇻🇳🇩🇪 1\ufe0f\u20e3",
		"japanese":   "日本語　全角",
		"zalgo lite": "Z\u0351\u036b\u0343a\u0310\u0301lgo",
	} {
		if diff := cmp.Diff(ink.Sanitize(s), s); diff != "" {
			t.Errorf("%s (-got +want):\n%s", name, diff)
		}
	}
}

// The number of characters in one cell is limited.
func TestCellsAreLimited(t *testing.T) {
	for _, unit := range []string{"\u0301", "क्", "ක්\u200d", "\u1100", "\u1161", "\u11a8", "👩\u200d", "👩🏽\u200d", "\u0d4e", "\U000111c2", "\ufe0f", "\u20e3", "\u0e47", "\u0903", "\U000e0067"} {
		for name, f := range map[string]func(string) string{"Sanitize": ink.Sanitize, "Exact": ink.Exact} {
			for rest := f("x" + strings.Repeat(unit, 300)); rest != ""; {
				cell, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
				if n := utf8.RuneCountInString(cell); n > 40 {
					t.Errorf("%s: a cell of %q holds %d characters", name, unit, n)
				}
				rest = rest[len(cell):]
			}
		}
	}
}

func TestExact(t *testing.T) {
	for _, c := range [][2]string{
		{"ls -l | wc", "ls -l | wc"},
		{"a\tb\nc\r\nd", `a\tb` + "\n" + `c\r` + "\nd"},
		{"\x1b[2J\x00\x7f", `\x1b[2J\x00\x7f`},
		{"a\u00a0b\u3000c\u2003d\u2028e\u0085f", `a\u00a0b\u3000c\u2003d\u2028e\u0085f`},
		{"\u3164\u115f\u1160\u2800\uffa0", `\u3164\u115f\u1160\u2800\uffa0`},
		{"👩\u200d👩 ❤\ufe0f می\u200cخ", `👩\u200d👩 ❤\ufe0f \u0645\u06cc\u200c\u062e`},
		{"🏴\U000e0067\U000e0062\U000e007f", `🏴\U000e0067\U000e0062\U000e007f`},
		{"\u202eexe.\u2066", `\u202eexe.\u2066`},
		{"\ue000\U000f0000", `\ue000\U000f0000`},
		{"\xff", `\xff`},
		{"ünï 日本語 ไทย", "ünï 日本語 ไทย"},
		{"привет мир Ελλάδα-ok 日本語test 2го e\u0301", "привет мир Ελλάδα-ok 日本語test 2го e\u0301"},
		{"раypal gοοgle.com ѕudo", `\u0440\u0430ypal g\u03bf\u03bfgle.com \u0455udo`},
		{"rm_а а_rm а1b", `rm_\u0430 \u0430_rm \u04301b`},
		{"a\u05d0 \u0627\u07c0\ufb1d\U00010800\U0001e900", `a\u05d0 \u0627\u07c0\ufb1d\U00010800\U0001e900`},
		{"𝐫𝐦 ｒｍ ~∕x a；b", `\U0001d42b\U0001d426 \uff52\uff4d ~\u2215x a\uff1bb`},
		{"a\u20dd\u0489b\U00016fe4\U0001d159", `a\u20dd\u0489b\U00016fe4\U0001d159`},
		{"\u3164рас рас\u3164та", `\u3164\u0440\u0430\u0441 рас\u3164\u0442\u0430`},
	} {
		if diff := cmp.Diff(ink.Exact(c[0]), c[1]); diff != "" {
			t.Errorf("%q (-got +want):\n%s", c[0], diff)
		}
	}
}

// HasConfusables reports what Exact escapes, except for tabs and line ends.
func TestMisleads(t *testing.T) {
	for s, want := range map[string]bool{
		"make\ttest\r\nls": false, "日本語 привет é": false, "раypal": true, "a\u200bb": true, "\x1b[2J": true, "\u05d0": true, "": false,
	} {
		if got := ink.HasConfusables(s); got != want {
			t.Errorf("HasConfusables(%q) = %v", s, got)
		}
	}
}

func FuzzExact(f *testing.F) {
	for _, s := range []string{"\x1b]52;c;x\a", "👩\u200d👩", "a\tb\r\n", "\xe2\x82", "e\u0301\u200c", "\u3164\u115f", "क्क्", "раypal \u3164рас", "б\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301ж", "a\tб\xffб"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ink.Exact(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if r != '\n' && (inktest.Control(r) || hides(r) || r != ' ' && unicode.IsSpace(r)) {
				t.Fatalf("%q is in %q", r, got)
			}
		}
		if again := ink.Exact(got); again != got {
			t.Fatalf("not idempotent: %q became %q", got, again)
		}
	})
}
