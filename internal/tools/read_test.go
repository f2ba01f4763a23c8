package tools_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadingOnGivesEveryLineOnce follows the notes from page to page.
func TestReadingOnGivesEveryLineOnce(t *testing.T) {
	for name, c := range map[string]struct{ lines, width, pages int }{
		"short lines": {lines: 4500, width: 3, pages: 3},
		"wide lines":  {lines: 200, width: 1500, pages: 7},
		"one page":    {lines: 2000, width: 3, pages: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			for i := range c.lines {
				want = append(want, fmt.Sprintf("%d\t%s", i+1, strings.Repeat("x", c.width)))
			}
			ws, _ := workspace(t, map[string]string{"f": strings.Repeat(strings.Repeat("x", c.width)+"\n", c.lines)})
			next := regexp.MustCompile(fmt.Sprintf(`\(lines \d+-\d+ of %d; read on with offset (\d+)\)\n$`, c.lines))
			var got []string
			offset, pages := 1, 0
			for offset > 0 && pages < 20 {
				r, err := call(t, ws, "read", obj{"path": "f", "offset": offset})
				if err != nil {
					t.Fatal(err)
				}
				if pages++; len(r.Text) > 60_000 {
					t.Errorf("a page of %d bytes", len(r.Text))
				}
				offset = 0
				if m := next.FindStringSubmatch(r.Text); m != nil {
					offset, _ = strconv.Atoi(m[1])
				}
				for l := range strings.Lines(r.Text) {
					if !strings.HasPrefix(l, "(") {
						got = append(got, strings.TrimSuffix(l, "\n"))
					}
				}
			}
			if diff := cmp.Diff(got, want); diff != "" || pages != c.pages {
				t.Errorf("%d pages, want %d; got (-), want (+):\n%.1000s", pages, c.pages, diff)
			}
		})
	}
}

func TestWhatReadSaysOfOddFiles(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"crlf":            {"a\r\nb\r\n", "1\ta\n2\tb\n(the lines end in CRLF)\n"},
		"mixed":           {"a\r\nb\n", "1\ta\n2\tb\n(1 of the lines end in CRLF)\n"},
		"byte order mark": {"\ufeffa\n", "1\ta\n(the file begins with a byte order mark)\n"},
		"unended":         {"a\nb", "1\ta\n2\tb\n(no newline at the end of the file)\n"},
		"latin-1":         {"caf\xe9\n", "1\tcaf\ufffd\n(some bytes are not valid UTF-8 and shown as \ufffd)\n"},
		"long line":       {strings.Repeat("é", 2010) + "\n", "1\t" + strings.Repeat("é", 2000) + "… (20 bytes more)\n(1 line cut after 2000 characters; use search to find something further on in one)\n"},
		"png":             {"\x89PNG\r\n\x1a\n\x00\x00", "f is binary (image/png, 10 bytes), so there are no lines to show: use a command in the shell that understands it"},
		"utf-16":          {"\xff\xfea\x00\n\x00", "f is binary (text/plain; charset=utf-16le, 6 bytes), so there are no lines to show: use a command in the shell that understands it"},
	} {
		t.Run(name, func(t *testing.T) {
			ws, _ := workspace(t, map[string]string{"f": c.content})
			r, err := call(t, ws, "read", obj{"path": "f"})
			got := r.Text
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(got, c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}
