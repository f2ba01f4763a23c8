package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// TestOnlyWesternTextIsConverted edits text in encodings that no byte order mark shows. Text that
// is not in ISO-8859-1 or Windows-1252 gets only ASCII, so that no byte of another encoding
// changes its meaning.
func TestOnlyWesternTextIsConverted(t *testing.T) {
	const polish, japaneseText = "Zażółć gęślą jaźń", "日本語テキスト"
	for name, c := range map[string]struct {
		charset encoding.Encoding
		text    string
		western bool
	}{
		"French":              {charmap.ISO8859_1, "« À la crèche, » l'été créé où ça naît", true},
		"French, typographic": {charmap.Windows1252, "“L’été” – l’œuvre… 5 €, «\u00a0déjà\u00a0»", true},
		"German":              {charmap.ISO8859_1, "Größe und Füße: ÄÖÜ äöüß, »süß« 20 °C, 5 m²", true},
		"German, quotes":      {charmap.Windows1252, "„Übermäßig“ heißt ‚groß‘", true},
		"Spanish":             {charmap.ISO8859_1, "¿Él? ¡Ándale! El niño, 1ª acción · Mª José", true},
		"Portuguese":          {charmap.ISO8859_1, "As ações não são más: CORAÇÃO", true},
		"Finnish":             {charmap.ISO8859_1, "hyvää päivää, yötyö", true},
		"Danish":              {charmap.ISO8859_1, "æøå på Ærø", true},
		"Icelandic":           {charmap.ISO8859_1, "Það er stúlka á Íslandi", true},
		"one letter":          {charmap.ISO8859_1, "café", true},
		"one sign":            {charmap.ISO8859_1, "© 2020 Me", true},
		"Cyrillic, Windows":   {charmap.Windows1251, "Привет мир", false},
		"Cyrillic, KOI8-R":    {charmap.KOI8R, "Привет мир", false},
		"Cyrillic, DOS":       {charmap.CodePage866, "Привет мир", false},
		"Cyrillic, two words": {charmap.Windows1251, "x = 1 # не он", false},
		"Greek":               {charmap.ISO8859_7, "Καλημέρα κόσμε", false},
		"Hebrew":              {charmap.ISO8859_8, "שלום עולם", false},
		"Polish, ISO":         {charmap.ISO8859_2, polish, false},
		"Polish, Windows":     {charmap.Windows1250, polish, false},
		"Macintosh":           {charmap.Macintosh, "café", false},
		"Macintosh, German":   {charmap.Macintosh, "schöne Mädchen", false},
		"DOS":                 {charmap.CodePage850, "café", false},
		"DOS, German":         {charmap.CodePage437, "schöne Mädchen", false},
		"DOS, boxes":          {charmap.CodePage437, "┌──┐\n│ x│\n└──┘", false},
		"DOS, line":           {charmap.CodePage437, "────────", false},
		"Shift JIS":           {japanese.ShiftJIS, japaneseText, false},
		"Shift JIS, a word":   {japanese.ShiftJIS, "日本", false},
		"Shift JIS, comment":  {japanese.ShiftJIS, "x = 1 # これは値です", false},
		"EUC-JP":              {japanese.EUCJP, japaneseText, false},
		"EUC-KR":              {korean.EUCKR, "안녕하세요 세계", false},
		"GBK":                 {simplifiedchinese.GBK, "中文文本内容", false},
		"GBK, one character":  {simplifiedchinese.GBK, "x = 1 # 中", false},
		"Big5":                {traditionalchinese.Big5, "繁體中文", false},
		"binary, NUL":         {charmap.ISO8859_1, "café\x00", false},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := c.charset.NewEncoder().String(c.text + "\nabc = 3\n")
			if err != nil {
				t.Fatal(err)
			}
			ws, dir := newWorkspace(t, map[string]string{"f": raw})
			for _, new := range []string{"xyz", "é"} {
				result := textOf(call(t, ws, "edit", obj{"path": "f", "old": "abc", "new": new}))
				got, err := os.ReadFile(filepath.Join(dir, "f"))
				if err != nil {
					t.Fatal(err)
				}
				want := raw
				if new == "xyz" || c.western {
					if want, err = c.charset.NewEncoder().String(c.text + "\n" + new + " = 3\n"); err != nil {
						t.Fatal(err)
					}
				} else if !strings.Contains(result, "it is in an unknown encoding, and the new text is not ASCII") {
					t.Errorf("edit to %q: %s", new, result)
				}
				if string(got) != want {
					t.Errorf("edit to %q: the file is %q, want %q", new, got, want)
				}
				if err := os.WriteFile(filepath.Join(dir, "f"), []byte(raw), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestDamagedUTF16 reads and changes UTF-16 that cannot be written back as it is.
func TestDamagedUTF16(t *testing.T) {
	for name, content := range map[string]string{
		"surrogate": "\xff\xfea\x00b\x00c\x00\n\x00\x00\xd8",
		"odd":       "\xff\xfea\x00b\x00c\x00\n\x00x",
	} {
		t.Run(name, func(t *testing.T) {
			ws, dir := newWorkspace(t, map[string]string{"f": content})
			if got, want := textOf(call(t, ws, "read", obj{"path": "f"})), "(decoded from UTF-16LE with invalid bytes, which are shown as \ufffd. Only write can change the file, and makes it UTF-8)\n"; !strings.Contains(got, want) {
				t.Errorf("read: %s", got)
			}
			const want = "f was not changed: it is UTF-16 with invalid bytes, so that a part of it cannot be changed. Replace all of it with write"
			for tool, args := range map[string]obj{
				"edit":  {"path": "f", "old": "abc", "new": "x"},
				"patch": {"patch": "*** Begin Patch\n*** Update File: f\n@@\n-abc\n+x\n*** End Patch"},
			} {
				if got := textOf(call(t, ws, tool, args)); !strings.Contains(got, want) {
					t.Errorf("%s: %s", tool, got)
				}
			}
			move := obj{"patch": "*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch"}
			if _, err := call(t, ws, "patch", move); err != nil {
				t.Error(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "g")); err != nil || string(got) != content {
				t.Errorf("moved: %q, %v", got, err)
			}
			if got := textOf(call(t, ws, "write", obj{"path": "g", "content": "é\n"})); !strings.Contains(got, "its encoding changes from UTF-16 with invalid bytes to UTF-8") {
				t.Errorf("write: %s", got)
			}
		})
	}
}

// TestMoveOfBinaryFile moves a file whose bytes happen to be characters, too.
func TestMoveOfBinaryFile(t *testing.T) {
	const content = "\x00\x01\xff\xc3\xa9"
	ws, dir := newWorkspace(t, map[string]string{"f": content})
	if _, err := call(t, ws, "patch", obj{"patch": "*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch"}); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "g")); err != nil || string(got) != content {
		t.Errorf("moved: %q, %v", got, err)
	}
}

// TestSearchShowsDecodedLines searches for ASCII in text that read decodes.
func TestSearchShowsDecodedLines(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{
		"a":    "d\xe9j\xe0\nneedle caf\xe9\n\xe9t\xe9\n",
		"sjis": "needle \x93\xfa\x96{\n",
	})
	got := textOf(call(t, ws, "search", obj{"pattern": "needle", "context": 1}))
	if want := "a\n1- déjà\n2: needle café\n3- été\n\nsjis\n1: needle \ufffd{\n"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
	got = textOf(call(t, ws, "search", obj{"pattern": "(?s)j.*needle", "multiline": true}))
	if want := "a\n1: déjà\n2: needle café\n"; !strings.Contains(got, want) {
		t.Errorf("multiline: got %q, want %q in it", got, want)
	}
}

// TestDecomposedText edits a file whose accents are characters of their own.
func TestDecomposedText(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"f": "a cafe\u0301\nb\n"})
	got := textOf(call(t, ws, "edit", obj{"path": "f", "old": "a café", "new": "x"}))
	if !strings.Contains(got, "differ in the composition of characters") {
		t.Error(got)
	}
	got = textOf(call(t, ws, "edit", obj{"path": "f", "old": "a cafés", "new": "x"}))
	if strings.Contains(got, "composition") {
		t.Error(got)
	}
}
