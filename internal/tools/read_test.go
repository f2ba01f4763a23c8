package tools_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools"
	"agent/internal/tools/workspace"
)

// TestPagesCoverEveryLineOnce follows the notes from page to page.
func TestPagesCoverEveryLineOnce(t *testing.T) {
	for name, c := range map[string]struct{ lines, width, pages int }{
		"short lines": {lines: 4500, width: 3, pages: 3},
		"wide lines":  {lines: 200, width: 1500, pages: 7},
		"one page":    {lines: 2000, width: 3, pages: 1},
		"one more":    {lines: 2001, width: 3, pages: 2},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			for i := range c.lines {
				want = append(want, fmt.Sprintf("%d\t%s", i+1, strings.Repeat("x", c.width)))
			}
			ws, _ := newWorkspace(t, map[string]string{"f": strings.Repeat(strings.Repeat("x", c.width)+"\n", c.lines)})
			next := regexp.MustCompile(fmt.Sprintf(`\[lines \d+-\d+ of %d, limit (?:50 KB|2000 lines); continue with offset (\d+)\]\n$`, c.lines))
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
					if !strings.HasPrefix(l, "[lines ") && l != "(end of the file)\n" {
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

func TestReadUnusualFiles(t *testing.T) {
	const (
		latin  = ", in which changes are written, too)\n"
		wide   = ", in which changes are written, too)\n"
		broken = "(bytes that are not valid UTF-8 are shown as \ufffd)\n"
		binary = ". Use a suitable command in shell"
	)
	for name, c := range map[string]struct{ content, want string }{
		"crlf":             {"a\r\nb\r\n", "1\ta\n2\tb\n(these lines end in CRLF)\n"},
		"mixed":            {"a\r\nb\n", "1\ta\n2\tb\n(1 of these lines end in CRLF)\n"},
		"byte order mark":  {"\ufeffa\n", "1\ta\n(the file starts with a byte order mark)\n"},
		"unended":          {"a\nb", "1\ta\n2\tb\n(no newline at the end of the file)\n"},
		"latin-1":          {"caf\xe9\n", "1\tcafé\n(decoded from ISO-8859-1" + latin},
		"windows-1252":     {"\x93caf\xe9\x94 5\x80\n", "1\t“café” 5€\n(decoded from Windows-1252" + latin},
		"neither":          {"\x81\x9d\n", "1\t\ufffd\n(the encoding is unknown: bytes that are not valid UTF-8 are shown as \ufffd. Changes can add only ASCII)\n"},
		"one broken byte":  {"größer und süßer \xff\n", "1\tgrößer und süßer \ufffd\n" + broken},
		"colors":           {"\x1b[1mcaf\xe9\x1b[m\n", "1\t\x1b[1mcafé\x1b[m\n(decoded from ISO-8859-1" + latin},
		"utf-16le":         {"\xff\xfea\x00\x3d\xd8\x00\xde\n\x00", "1\ta😀\n(decoded from UTF-16LE" + wide + "(the file starts with a byte order mark)\n"},
		"utf-16be":         {"\xfe\xff\x00a\x00\r\x00\n\x00b", "1\ta\n2\tb\n(decoded from UTF-16BE" + wide + "(the file starts with a byte order mark)\n(1 of these lines end in CRLF)\n(no newline at the end of the file)\n"},
		"utf-16le, no bom": {"a\x00\n\x00\xe4\x00\n\x00", "1\ta\n2\tä\n(decoded from UTF-16LE" + wide},
		"utf-16be, no bom": {"\x00a\x00\n\x00b\x00\n", "1\ta\n2\tb\n(decoded from UTF-16BE" + wide},
		"utf-16, broken":   {"\xff\xfea\x00\x00\xd8b\x00\n\x00x", "1\ta\ufffdb\n2\t\ufffd\n(decoded from UTF-16LE with invalid bytes, which are shown as \ufffd. Only write can change the file, and makes it UTF-8)\n(the file starts with a byte order mark)\n(no newline at the end of the file)\n"},
		"utf-32":           {"\xff\xfe\x00\x00a\x00\x00\x00", "f is a binary file (text/plain; charset=utf-16le, 8 bytes)" + binary},
		"numbers":          {"\x01\x00\x02\x00\x03\x00a\x00", "f is a binary file (application/octet-stream, 8 bytes)" + binary},
		"no text, no nul":  {"\x1f\x8b\x01\x02\xff\xfe\x03", "f is a binary file (application/octet-stream, 7 bytes)" + binary},
		"no bitmap":        {"BMW builds cars\n", "1\tBMW builds cars\n"},
		"svg":              {"<svg width=\"1\"/>\n", "1\t<svg width=\"1\"/>\n"},
		"long line":        {strings.Repeat("é", 2010) + "\n", "1\t" + strings.Repeat("é", 2000) + "[truncated: 20 bytes more]\n[truncated: 1 line after 2000 characters; use search to find text after that]\n"},
		"pdf":              {"%PDF-1.4\n", "f is a PDF (9 bytes), which read cannot show. In shell, run pdftotext -layout FILE - for its text, or pdftoppm -png -r 80 FILE PREFIX for its pages as images (both from poppler-utils)"},
	} {
		t.Run(name, func(t *testing.T) {
			ws, _ := newWorkspace(t, map[string]string{"f": c.content})
			if diff := cmp.Diff(textOf(call(t, ws, "read", obj{"path": "f"})), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
		})
	}
}

// textOf returns the text that the model gets: the result or the error.
func textOf(r tools.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	return r.Text
}

// TestUnchangedReadsAreNotRepeated reads repeatedly with one ledger.
func TestUnchangedReadsAreNotRepeated(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{
		"f":        "1\n2\n3\n4\n",
		"one":      "1\n",
		"long":     strings.Repeat("line\n", 2500),
		"empty":    "",
		"nb.ipynb": `{"cells": [], "nbformat": 4}`,
	})
	known := workspace.NewLedger()
	step := 0
	read := func(args obj) tools.Result {
		t.Helper()
		step++
		r := reading(t, ws, known, args)
		known.Add(step, r.Reads...)
		return r
	}
	for _, c := range []struct {
		args obj
		want string
	}{
		{obj{"path": "f", "offset": 2, "limit": 2}, "2\t2\n3\t3\n[lines 2-3 of 4]\n"},
		{obj{"path": "f", "offset": 3, "limit": 1}, "unchanged since step 1: lines 3-3 of f are the same as shown there\n[lines 3-3 of 4]\n"},
		{obj{"path": "f", "offset": 3, "limit": 2}, "3\t3\n4\t4\n(end of the file)\n"},
		{obj{"path": "f", "offset": 2}, "2\t2\n3\t3\n4\t4\n(end of the file)\n"}, // not shown in one piece
		{obj{"path": "./f", "offset": 2}, "unchanged since step 4: lines 2-4 of f are the same as shown there\n(end of the file)\n"},
		{obj{"path": "one"}, "1\t1\n"},
		{obj{"path": "one"}, "unchanged since step 6: lines 1-1 of one are the same as shown there\n"},
		{obj{"path": "empty"}, "(the file is empty)\n"},
		{obj{"path": "empty"}, "(the file is empty)\n"},
		{obj{"path": "nb.ipynb"}, "(notebook of 0 cells. Line numbers are those of this text; edit and search work on the JSON file)\n"},
		{obj{"path": "nb.ipynb"}, "(notebook of 0 cells. Line numbers are those of this text; edit and search work on the JSON file)\n"},
	} {
		if diff := cmp.Diff(read(c.args).Text, c.want); diff != "" {
			t.Errorf("step %d, %v: got (-), want (+):\n%s", step, c.args, diff)
		}
	}

	read(obj{"path": "long"})
	r := read(obj{"path": "long"})
	if want := "unchanged since step 12: lines 1-2000 of long are the same as shown there\n[lines 1-2000 of 2500, limit 2000 lines; continue with offset 2001]\n"; r.Text != want || r.Reads != nil {
		t.Errorf("long: got %q with %v, want %q with no reading", r.Text, r.Reads, want)
	}

	// Different content is shown, even if it is similar.
	writeFile(t, filepath.Join(dir, "one"), "2\n")
	if r := read(obj{"path": "one"}); r.Text != "1\t2\n" {
		t.Errorf("changed: got %q, want it shown", r.Text)
	}
	writeFile(t, filepath.Join(dir, "one"), "1\n")
	if r := read(obj{"path": "one"}); r.Text != "1\t1\n" {
		t.Errorf("changed back: got %q, want it shown", r.Text)
	}
	known.Reset()
	if r := read(obj{"path": "f", "offset": 2}); !strings.HasPrefix(r.Text, "2\t2\n") {
		t.Errorf("forgotten: got %q, want it shown", r.Text)
	}
}

func TestReadingsRecordContent(t *testing.T) {
	big := strings.Repeat("0123456789abcde\n", 1<<16) + "x\n" // a little over 1 MB
	ws, dir := newWorkspace(t, map[string]string{"f": "caf\xe9\n2\n", "big": big})
	sum := func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
	for name, want := range map[string]workspace.Reading{
		"f":   {Path: "f", Sum: sum("café\n2\n"), First: 2, Last: 2, Content: []byte("café\n2\n")},
		"big": {Path: "big", Sum: sum(big), First: 2, Last: 2},
	} {
		r := reading(t, ws, nil, obj{"path": name, "offset": 2, "limit": 1})
		if diff := cmp.Diff(r.Reads, []workspace.Reading{want}); diff != "" {
			t.Errorf("%s: got (-), want (+):\n%s", name, diff)
		}
	}

	// A file too large to edit is identified by its time and size.
	huge := filepath.Join(dir, "huge")
	writeFile(t, huge, strings.Repeat(big, 17))
	known := workspace.NewLedger()
	r := reading(t, ws, known, obj{"path": "huge"})
	if len(r.Reads) != 1 || !strings.HasPrefix(r.Reads[0].Sum, "stat:") || r.Reads[0].Content != nil {
		t.Fatalf("huge: got %.200v, want one reading by stat", r.Reads)
	}
	known.Add(1, r.Reads...)
	if r := reading(t, ws, known, obj{"path": "huge"}); !strings.HasPrefix(r.Text, "unchanged since step 1: lines 1-2000 of huge are") {
		t.Errorf("huge again: got %.80q", r.Text)
	}
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(huge, at, at); err != nil {
		t.Fatal(err)
	}
	if r := reading(t, ws, known, obj{"path": "huge"}); !strings.HasPrefix(r.Text, "1\t") {
		t.Errorf("huge, touched: got %.80q, want it shown", r.Text)
	}
}

// reading runs the read tool with a ledger.
func reading(t *testing.T, ws *workspace.Workspace, known *workspace.Ledger, args obj) tools.Result {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tools.Files(ws, known)[0].Prepare(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(t.Context(), tools.Approved{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMissingFileIsFoundInOtherDirectories(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{
		"src/a.go": "", "lib/x/a.go": "", "lib/y/b.go": "", "node_modules/m/b.go": "", ".cache/c.go": "", "src/c.gone": "", "d.go": "",
	})
	for name, want := range map[string]string{
		"a.go":           "a.go does not exist. There is no a.go in the working directory. Of the same name: lib/x/a.go, src/a.go",
		"old/x/a.go":     "old/x/a.go does not exist. There is no old in the working directory. Of the same name: lib/x/a.go, src/a.go",
		"internal/b.go":  "internal/b.go does not exist. There is no internal in the working directory. Of the same name: lib/y/b.go",
		"c.go":           "c.go does not exist. There is no c.go in the working directory. Similar names: d.go",
		"src/nothing.go": "src/nothing.go does not exist. There is no nothing.go in directory src. Use glob or list to find the file",
	} {
		for _, c := range []obj{{"path": name}, {"path": name, "old": "a", "new": "b"}} {
			tool := "read"
			if len(c) > 1 {
				tool = "edit"
			}
			if _, err := call(t, ws, tool, c); err == nil || err.Error() != want {
				t.Errorf("%s %s: got %v, want %s", tool, name, err, want)
			}
		}
	}
}
