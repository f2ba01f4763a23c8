package ink_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/ink"
	"agent/internal/tui/ink/inktest"
)

func TestSanitize(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"text", "plain text\nof two lines\n", "plain text\nof two lines\n"},
		{"style", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"cursor", "\x1b[2J\x1b[H", "␛[2J␛[H"},
		{"reset", "\x1bc", "␛c"},
		{"question", "\x1b[6n", "␛[6n"},
		{"clipboard", "\x1b]52;c;aGk=\a", "␛]52;c;aGk=␇"},
		{"link", "\x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\", `␛]8;;http://evil␛\x␛]8;;␛\`},
		{"title without end", "\x1b]0;title", "␛]0;title"},
		{"device control", "\x1bP1$r\x1b\\", `␛P1$r␛\`},
		{"application", "\x1b_Gx\x1b\\", `␛_Gx␛\`},
		{"paste end", "\x1b[201~", "␛[201~"},
		{"c1 as runes", "\u009b31m \u009d0;x\u009c", `\x9b31m \x9d0;x\x9c`},
		{"c1 as bytes", "\x9b31m", `\x9b31m`},
		{"no utf-8", "a\xff\xe2\x82b", `a\xff\xe2\x82b`},
		{"surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"nul, backspace, delete", "\x00a\bb\x7f", "␀a␈b␡"},
		{"line ends", "a\r\nb\rc", "a\nb␍c"},
		{"other line ends", "a\u2028b\u2029c\u0085d\vx\f", `a\u2028b\u2029c\x85d␋x␌`},
		{"bidi", "a\u202eb\u2066c\u200f\u061c", `a\u202eb\u2066c\u200f\u061c`},
		{"zero width", "a\u200bb\ufeffc\u2060d\u00ade", `a\u200bb\ufeffc\u2060d\u00ade`},
		{"joiner between letters", "a\u200db\u200cc", `a\u200db\u200cc`},
		{"fillers", "\u3164\u115f\u2800\u034f", `\u3164\u115f\u2800\u034f`},
		{"tags", "a\U000e0041\U000e0042", `a\U000e0041\U000e0042`},
		{"tags on a flag that spell nothing", "🏴\U000e0041\U000e007f", `🏴\U000e0041\U000e007f`},
		{"private use", "\ue000 \U000f0000", `\ue000 \U000f0000`},
		{"unassigned", "\u0378", `\u0378`},
		{"selector after a letter", "a\ufe0f\ufe01", `a\ufe0f\ufe01`},
		{"selector after nothing", "\ufe0f", `\ufe0f`},
		{"two selectors", "❤\ufe0f\ufe0f", "❤\ufe0f" + `\ufe0f`},
		{"ideographic selector", "葛\U000e0100", `葛\U000e0100`},

		{"accents", "e\u0301 ñ Å", "e\u0301 ñ Å"},
		{"mark on nothing", "\u0301a\n\u0301", `\u0301a` + "\n" + `\u0301`},
		{"too many marks", "a" + strings.Repeat("\u0301", 10), "a" + strings.Repeat("\u0301", 8) + `\u0301\u0301`},
		{"scripts", "日本語 한국어 עברית العربية ไทย हिन्दी", "日本語 한국어 עברית العربية ไทย हिन्दी"},
		{"persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"sinhala", "ශ්\u200dරී", "ශ්\u200dරී"},
		{"family", "👩\u200d👩\u200d👧\u200d👦", "👩\u200d👩\u200d👧\u200d👦"},
		{"heart on fire", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		{"skin", "👩🏽\u200d💻", "👩🏽\u200d💻"},
		{"flags", "🇩🇪 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🇩🇪 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"},
		{"keycap", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"joiner at the end", "👩\u200d", `👩\u200d`},
		{"joiner before an escape", "👩\u200d\U0001f269", `👩\u200d\U0001f269`},
		{"two joiners", "👩\u200d\u200d👩", `👩\u200d\u200d👩`},

		{"tab", "\ta\tbcd\tefgh\tx", "    a   bcd efgh    x"},
		{"tab after wide", "日\tx\n\ty", "日  x\n    y"},
		{"tab after escape", "\x1b\tx", "␛   x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ink.Sanitize(test.in)
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("(-got +want):\n%s", diff)
			}
			if again := ink.Sanitize(got); again != got {
				t.Errorf("not idempotent: %q became %q", got, again)
			}
		})
	}
}

func TestSanitizeLine(t *testing.T) {
	if diff := cmp.Diff(ink.SanitizeLine("a\nb\r\n\x1bc"), "a⏎b⏎␛c"); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func FuzzSanitize(f *testing.F) {
	for _, s := range []string{"\x1b]52;c;x\a", "👩\u200d👩", "a\tb\r\n", "\xe2\x82", "e\u0301\u200c", "🏴\U000e0067\U000e007f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ink.Sanitize(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for _, r := range got {
			if inktest.Control(r) && r != '\n' {
				t.Fatalf("%q is in %q", r, got)
			}
		}
		if again := ink.Sanitize(got); again != got {
			t.Fatalf("not idempotent: %q became %q", got, again)
		}
		if strings.Contains(ink.SanitizeLine(s), "\n") {
			t.Fatal("more than a line")
		}
	})
}

func TestEscapeControls(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\r\nc\n": "a\tb\r\nc\n", "👩\u200d💻 \u200b\u202e": "👩\u200d💻 \u200b\u202e", "a\rb\x1b[m\x00": "a␍b␛[m␀",
		"\u0085\u009f\u00a0": "\\x85\\x9f\u00a0", "\x9b\xff�": `\x9b\xff�`, "": "",
	} {
		if got := ink.EscapeControls(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
