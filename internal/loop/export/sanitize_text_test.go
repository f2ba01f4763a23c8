package export

import (
	"strings"
	"testing"
	"unicode"
)

// A document has no invisible or private-use characters and at most 4 marks a character.
func TestCleanEscapesHiddenCharacters(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
			r >= 0x600 && r <= 0x8e2 && r != 0x61c { // visible signs
			continue
		}
		if strings.ContainsRune("\u200c\u200d\ufe0e\ufe0f", r) { // needed by words and emoji
			continue
		}
		if got := clean("a" + string(r) + "b"); strings.ContainsRune(got, r) {
			t.Errorf("%U stays in %q", r, got)
		}
	}
	if maxMarks > 4 {
		t.Errorf("a character keeps %d marks, want at most 4", maxMarks)
	}
	if got := clean("a" + strings.Repeat("\u0301", 100)); strings.Count(got, "\u0301") != maxMarks || strings.Count(got, `\u0301`) != 100-maxMarks {
		t.Errorf("got %q", got)
	}
	joined := "a" + strings.Repeat("\u0301\u200d", 100)
	if got := clean(joined); strings.Count(got, "\u0301") != maxMarks {
		t.Errorf("joiners let %d marks through: %q", strings.Count(got, "\u0301"), got)
	}
	for _, s := range []string{"日本語 한국어 עִבְרִית العَرَبِيَّة ไทย हिन्दी Tiếng Việt", "👩\u200d👩\u200d👧 ❤\ufe0f", "می\u200cخواهم"} {
		if got := clean(s); got != s {
			t.Errorf("got %q, want %q", got, s)
		}
	}
}

// Character references do not bring back the characters that clean escapes.
func TestReferencesHideNothing(t *testing.T) {
	const source = "a &#xe000; &#8238; &lrm; &amp; &eacute; `&#x202e;`"
	if got := string(newProse().html(source)); !strings.Contains(got, `\ue000 \u202e \u200e &amp; é <code>&amp;#x202e;</code>`) {
		t.Errorf("HTML: got %q", got)
	}
	if got, want := sanitizeMarkdown(source, false), "a &amp;#xe000; &amp;#8238; &amp;lrm; &amp; &eacute; `&#x202e;`"; got != want {
		t.Errorf("Markdown: got %q, want %q", got, want)
	}
}
