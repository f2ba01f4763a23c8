package page_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/charset"
	"agent/internal/tools/page"
)

// shown returns the page of a file for the model.
func shown(t *testing.T, content string, s page.Span, count bool) string {
	t.Helper()
	p, err := page.Read(context.Background(), strings.NewReader(content), len(content), s, count)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Err("f"); err != nil {
		return err.Error()
	}
	return p.Text(charset.UTF8, int64(len(content)))
}

// A note says how to read on, unless the page ends with the file or has the lines that were asked for.
func TestPositionOfAPage(t *testing.T) {
	const content = "a\nb\nc\nd\n"
	for _, c := range []struct {
		first, limit int
		count        bool
		want         string
	}{
		{1, 3, true, "1\ta\n2\tb\n3\tc\n[lines 1-3 of 4]\n"},
		{1, 3, false, "1\ta\n2\tb\n3\tc\n[lines 1-3 of a file of 8 bytes]\n"},
		{1, 4, true, "1\ta\n2\tb\n3\tc\n4\td\n"},
		{1, 4, false, "1\ta\n2\tb\n3\tc\n4\td\n"},
		{2, 2, true, "2\tb\n3\tc\n[lines 2-3 of 4]\n"},
		{2, 3, true, "2\tb\n3\tc\n4\td\n(end of the file)\n"},
		{4, 9, false, "4\td\n(end of the file)\n"},
		{5, 9, true, "f has 4 lines. Give an offset within the file"},
	} {
		if d := cmp.Diff(shown(t, content, page.Span{First: c.first, Limit: c.limit}, c.count), c.want); d != "" {
			t.Errorf("%d lines from line %d, count %v: got (-), want (+):\n%s", c.limit, c.first, c.count, d)
		}
	}
	if got := shown(t, "", page.Span{First: 1, Limit: 1}, true); got != "" {
		t.Errorf("an empty file: got %q", got)
	}
}

// A page has at most 50,000 bytes before the end of its last line, and at least one line.
func TestSizeOfAPage(t *testing.T) {
	var lines, numbered string
	for n := 1; n < 25; n++ {
		lines += strings.Repeat("a", 2000) + "\n"
		numbered += fmt.Sprintf("%d\t%s\n", n, strings.Repeat("a", 2000))
	}
	last := strings.Repeat("b", 50_000-len(numbered))
	all := page.Span{First: 1, Limit: page.MaxLines}
	if d := cmp.Diff(shown(t, lines+last+"\n", all, true), numbered+"25\t"+last+"\n"); d != "" {
		t.Errorf("longest page: got (-), want (+):\n%.500s", d)
	}
	const note = "[lines 1-24 of 26, limit 50 KB; continue with offset 25]\n"
	if d := cmp.Diff(shown(t, lines+last+"b\nc\n", all, true), numbered+note); d != "" {
		t.Errorf("longer page: got (-), want (+):\n%.500s", d)
	}
}

// Of a long line, 2000 characters are shown. A note counts the bytes after them without the
// line ending, also if the line is longer than a block of the file.
func TestLongLines(t *testing.T) {
	const more = "[truncated: 1 line after 2000 characters; use search to find text after that]\n"
	full := strings.Repeat("é", 2000)
	for _, c := range []struct{ name, content, want string }{
		{"longest", full + "\nb\n", "1\t" + full + "\n2\tb\n"},
		{"longer, of ASCII", strings.Repeat("a", 2001) + "\n", "1\t" + strings.Repeat("a", 2000) + "[truncated: 1 byte more]\n" + more},
		{"longer", full + "a\nb\n", "1\t" + full + "[truncated: 1 byte more]\n2\tb\n" + more},
		{"as long as a block", full + strings.Repeat("a", page.Block-4001) + "\nb\n", "1\t" + full + fmt.Sprintf("[truncated: %d bytes more]\n2\tb\n", page.Block-4001) + more},
		{"longer than a block", full + strings.Repeat("a", page.Block) + "\nb\n", "1\t" + full + fmt.Sprintf("[truncated: %d bytes more]\n2\tb\n", page.Block) + more},
		{"longer than two blocks", full + strings.Repeat("a", 2*page.Block) + "\nb\n", "1\t" + full + fmt.Sprintf("[truncated: %d bytes more]\n2\tb\n", 2*page.Block) + more},
		{"without a newline", "b\n" + full + strings.Repeat("a", page.Block), "1\tb\n2\t" + full + fmt.Sprintf("[truncated: %d bytes more]\n", page.Block) + more + "(no newline at the end of the file)\n"},
	} {
		if d := cmp.Diff(shown(t, c.content, page.Span{First: 1, Limit: page.MaxLines}, true), c.want); d != "" {
			t.Errorf("%s: got (-), want (+):\n%s", c.name, d)
		}
	}
}

// The notes on line endings and on a byte order mark are about the lines of the page.
func TestNotesOfAPage(t *testing.T) {
	const content = "\ufeffa\r\nb\nc\r\nd\xff\n"
	for _, c := range []struct {
		first, limit int
		want         string
	}{
		{1, 1, "1\ta\n(the file starts with a byte order mark)\n(these lines end in CRLF)\n[lines 1-1 of 4]\n"},
		{1, 2, "1\ta\n2\tb\n(the file starts with a byte order mark)\n(1 of these lines end in CRLF)\n[lines 1-2 of 4]\n"},
		{2, 1, "2\tb\n[lines 2-2 of 4]\n"},
		{4, 1, "4\td\xff\n(bytes that are not valid UTF-8 are shown as \ufffd)\n(end of the file)\n"},
	} {
		if d := cmp.Diff(shown(t, content, page.Span{First: c.first, Limit: c.limit}, true), c.want); d != "" {
			t.Errorf("%d lines from line %d: got (-), want (+):\n%s", c.limit, c.first, d)
		}
	}
}
