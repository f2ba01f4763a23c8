package edit_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/edit"
)

// TestFits has texts for every degree of fit, with the bytes that must be kept.
func TestFits(t *testing.T) {
	for name, c := range map[string]struct {
		before, old, new string
		fit              edit.Fit
		want             string
	}{
		"endings": {"a\r\nb\r\nc\r\n", "a\nb\n", "A\nx\nb\n", edit.LineEndings, "A\r\nx\r\nb\r\nc\r\n"},
		"endings, from the middle of a line to that of another": {
			"if (a) {\r\n  b();\r\n}\r\n", "(a) {\n  b()", "(c) {\n  d();\n  b()", edit.LineEndings, "if (c) {\r\n  d();\r\n  b();\r\n}\r\n"},
		"endings, without the last newline":        {"a\r\nb", "a\nb", "x\ny\n", edit.LineEndings, "x\r\ny\r\n"},
		"endings, CRLF only in old":                {"a\nb\nc\n", "a\r\nb\r\n", "x\r\ny\r\n", edit.LineEndings, "x\ny\nc\n"},
		"endings, a mixed span keeps what stays":   {"a\r\nb\nc\r\nd\n", "a\nb\nc\n", "a\nb\nx\nc\n", edit.LineEndings, "a\r\nb\nx\r\nc\r\nd\n"},
		"endings, the span decides":                {"1\n2\n3\n4\na\r\nb\r\n", "a\nb\n", "x\ny\n", edit.LineEndings, "1\n2\n3\n4\nx\r\ny\r\n"},
		"endings, a lone CR":                       {"a\rb\rc", "a\nb", "x\ny", edit.LineEndings, "x\ry\rc"},
		"endings, begins with one":                 {"a\r\nb\r\n", "\nb", "\nc", edit.LineEndings, "a\r\nc\r\n"},
		"endings, deleted lines":                   {"a\r\nb\r\nc\r\n", "a\nb\n", "", edit.LineEndings, "c\r\n"},
		"endings, lines are joined":                {"a\r\nb\r\nc\r\n", "a\nb\n", "ab", edit.LineEndings, "abc\r\n"},
		"endings, part of a line becomes several":  {"one two\r\nthree\r\n", "two", "2\n2b", edit.LineEndings, "one 2\r\n2b\r\nthree\r\n"},
		"endings, part of a line, the file has LF": {"one two\r\nthree\n", "two", "2\n2b", edit.Exact, "one 2\n2b\r\nthree\n"},
		"endings, the model means LF":              {"a\r\nb\r\n", "a\r\nb\r\n", "a\nb\n", edit.Exact, "a\nb\n"},
		"endings, none is cut in two":              {"a\r\nb\nb\n", "\nb\nb", "c", edit.LineEndings, "ac\n"},
		"no last newline":                          {"a\nb", "b\n", "c\n", edit.LineEndings, "a\nc"},
		"no last newline, more lines":              {"a\nb", "a\nb\n", "a\nb\nc\n", edit.LineEndings, "a\nb\nc"},
		"no last newline, deleted":                 {"a\nb", "b\n", "", edit.LineEndings, "a\n"},
		"byte order mark and CRLF":                 {"\ufeffa\r\nb\r\n", "a\nb", "x\ny", edit.LineEndings, "\ufeffx\r\ny\r\n"},

		"blanks in the file":               {"a \t\nb\t\nc\n", "a\nb\n", "a\nB\n", edit.TrailingBlanks, "a \t\nB\nc\n"},
		"blanks, all is deleted":           {"x\n \ny\t\nz\n", "x\n\ny\n", "", edit.TrailingBlanks, "z\n"},
		"blanks in old":                    {"a\nb\nc\n", "a  \nb", "a\nB", edit.TrailingBlanks, "a\nB\nc\n"},
		"blanks at the last line":          {"a\nb  \nc\n", "a\nb\n", "x\n", edit.TrailingBlanks, "x\nc\n"},
		"blanks, a line has nothing else":  {"a\n\t\nb\n", "a\n\nb", "a\n\nx", edit.TrailingBlanks, "a\n\t\nx\n"},
		"blanks and CRLF":                  {"a \r\nb\r\nc\r\n", "a\nb", "a\nB", edit.TrailingBlanks, "a \r\nB\r\nc\r\n"},
		"blanks, no last newline":          {"x\na \nb", "a\nb\n", "a\nc\n", edit.TrailingBlanks, "x\na \nc"},
		"blanks, a line after the last":    {"x\na \nb", "a\nb", "a\nb\nc", edit.TrailingBlanks, "x\na \nb\nc"},
		"blanks, byte order mark":          {"\ufeffa \nb\n", "a\nb", "a\nc", edit.TrailingBlanks, "\ufeffa \nc\n"},
		"blanks, invalid UTF-8":            {"\xff\na \nb\n\xfe", "a\nb", "a\nc", edit.TrailingBlanks, "\xff\na \nc\n\xfe"},
		"blanks, in the middle it is same": {"a \nk  \nb\nz\n", "a\nk\nb", "1\nk\n2", edit.TrailingBlanks, "1\nk  \n2\nz\n"},

		"tab for spaces":           {"f {\n\tif a {\n\t\tb()\n\t}\n}\n", "    if a {\n        b()\n    }\n", "    if a {\n        c()\n        if d {\n            e()\n        }\n    }\n", edit.Indentation, "f {\n\tif a {\n\t\tc()\n\t\tif d {\n\t\t\te()\n\t\t}\n\t}\n}\n"},
		"spaces for tab":           {"  if a {\n    b()\n  }\n", "\tif a {\n\t\tb()\n\t}", "\tif a {\n\t\tc()\n\t}", edit.Indentation, "  if a {\n    c()\n  }\n"},
		"one line, tab for spaces": {"x\n\tfoo()\ny\n", "    foo()\n", "    if a {\n        foo()\n    }\n", edit.Indentation, "x\n\tif a {\n\t\tfoo()\n\t}\ny\n"},
		"too deep":                 {"a\n  b\n    c\nd\n", "      b\n        c\n", "      b\n      x\n        c\n", edit.Indentation, "a\n  b\n  x\n    c\nd\n"},
		"not deep enough":          {"class A:\n    def f():\n        pass\n", "def f():\n    pass\n", "def f():\n    x = 1\n\n    return x\n", edit.Indentation, "class A:\n    def f():\n        x = 1\n\n        return x\n"},
		"deeper by tabs":           {"\t\tif a {\n\t\t\tb()\n\t\t}\n", "if a {\n    b()\n}\n", "if a {\n    c()\n    b()\n}\n", edit.Indentation, "\t\tif a {\n\t\t\tc()\n\t\t\tb()\n\t\t}\n"},
		"what stays is not moved":  {"\ta\n\n\tb  \n\tc\n", "  a\n\n  b\n  c\n", "  a\n\n  b\n  d\n", edit.Indentation, "\ta\n\n\tb  \n\td\n"},
		"indentation and CRLF":     {"\ta\r\n\tb\r\n", "  a\n  b", "  a\n  x\n  b", edit.Indentation, "\ta\r\n\tx\r\n\tb\r\n"},

		"quotes":                     {"say “hi”\nit’s\n", "say \"hi\"\nit's\n", "say \"ho\"\nit's\n", edit.Typography, "say \"ho\"\nit’s\n"},
		"quotes in old":              {"say \"hi\"\nb\n", "say “hi”", "say “ho”", edit.Typography, "say “ho”\nb\n"},
		"dashes":                     {"a – b — c − d\n", "a - b - c - d", "a", edit.Typography, "a\n"},
		"no-break space":             {"10\u00a0km\u202fh\n", "10 km h\n", "20 km h\n", edit.Typography, "20 km h\n"},
		"no-break space as indent":   {"if a:\n\u00a0\u00a0b\n", "if a:\n  b\n", "if a:\n  c\n", edit.Typography, "if a:\n  c\n"},
		"quotes and CRLF and blanks": {"‘a’ \r\nb\r\n", "'a'\nb", "'a'\nc", edit.Typography, "‘a’ \r\nc\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit.Replace(t.Context(), []byte(c.before), []byte(c.old), []byte(c.new), false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(got.After), c.want); diff != "" {
				t.Errorf("got (-), want (+):\n%s", diff)
			}
			if got.Fit != c.fit {
				t.Errorf("got fit %d (%s), want %d", got.Fit, got.Fit, c.fit)
			}
		})
	}
}

// TestTextsThatDoNotFit has texts that must be rejected by every degree of fit.
func TestTextsThatDoNotFit(t *testing.T) {
	notFound, several := errors.New("not found"), errors.New("several")
	for name, c := range map[string]struct {
		before, old, new string
		all              bool
		want             error
	}{
		"several but for endings":              {"a\r\nb\r\na\r\nb\r\n", "a\nb\n", "x", false, several},
		"several but for endings, overlapping": {"a\r\na\r\na\r\n", "a\na\n", "x", false, several},
		"several but for the last newline":     {"a\r\nb\r\na\nb", "a\nb\n", "x", false, several},
		"several but for blanks":               {"a \nb\na  \nb\n", "a\nb\n", "x\n", false, several},
		"several but for indentation":          {"\ta\n\t\ta\n", "  a\n", "  b\n", false, several},
		"several but for quotes":               {"‘a’\n’a‘\n", "'a'", "b", false, several},
		"only blanks":                          {"a\n \n\t\nb\n", "  \n", "x\n", false, notFound},
		"only newlines":                        {"a\r\n\r\nb", "\n\n\n", "x", false, notFound},
		"a part of a line but for blanks":      {"foo(a)  \nbar\n", "(a)\nbar", "x", false, notFound},
		"a part of a line but for quotes":      {"say “hi” now\n", "\"hi\"", "x", false, notFound},
		"blanks inside of a line":              {"a  b\n", "a b", "x", false, notFound},
		"case":                                 {"Hello there\n", "hello there", "x", false, notFound},
		"one character":                        {"func main() {\n", "func mian() {\n", "x", false, notFound},
		"a line more":                          {"a\nb\nc\n", "a\nc\n", "x", false, notFound},
		"indentation that differs in depth":    {"\ta\n\t\t\tb\n", "a\nb\n", "x\n", false, notFound},
		"indentation in two ways":              {"\ta\n  b\n", "    a\n    b\n", "    x\n", false, notFound},
		"new lines less indented than old":     {"\t\ta()\n\t\tb()\n", "    a()\n    b()\n", "   x()\n", false, notFound},
		"new lines of unknown depth":           {"\t\tif a {\n", "if a {\n", "if b {\n    c\n", false, nil},
		"indentation of unknown depth":         {"\tfoo()\n", "   foo()  \n", "   if a {\n       foo()\n   }\n", false, notFound},
		"all, but for blanks":                  {"a \na \n", "a\n", "b\n", true, notFound},
		"all, but for indentation":             {"\ta\n\ta\n", "  a\n", "  b\n", true, notFound},
		"all, but for quotes":                  {"‘a’\n‘a’\n", "'a'\n", "b\n", true, notFound},
		"a text that is longer than the file":  {"a\n", "a\nb\nc\nd\n", "x", false, notFound},
		"typographic and differently indented": {"\t“a”\n", "  \"a\"\n", "x\n", false, notFound},
		"a typographic ellipsis":               {"wait…\n", "wait...", "x", false, notFound},
		"lines with another one in between":    {"a \nx\nb \n", "a\nb\n", "c\n", false, notFound},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := edit.Replace(t.Context(), []byte(c.before), []byte(c.old), []byte(c.new), c.all)
			got := err
			var missed *edit.NotFoundError
			var ambiguous *edit.AmbiguousError
			switch {
			case errors.As(err, &missed):
				got = notFound
			case errors.As(err, &ambiguous):
				got = several
			}
			if got != c.want {
				t.Errorf("got %v, %q, want %v", err, r.After, c.want)
			}
		})
	}
}

func TestReplaceAllWithOtherLineEndings(t *testing.T) {
	got, err := edit.Replace(t.Context(), []byte("a\r\nb\r\nx\r\na\r\nb\r\na\r\nb"), []byte("a\nb\n"), []byte("c\n"), true)
	if err != nil {
		t.Fatal(err)
	}
	want := edit.Result{After: []byte("c\r\nx\r\nc\r\nc"), Lines: []int{1, 4, 6}, Fit: edit.LineEndings}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

// TestSizes checks that time and memory grow linearly with the file and the text.
// Otherwise some of these cases would exhaust memory.
func TestSizes(t *testing.T) {
	const n = 1 << 18
	lines := strings.Repeat("}\n", n)
	for name, c := range map[string]struct {
		before, old, new string
		all              bool
	}{
		"the same everywhere":        {strings.Repeat("a", n), strings.Repeat("a", n/2), "b", false},
		"nearly there everywhere":    {strings.Repeat("a", n), strings.Repeat("a", n/2) + "b", "b", false},
		"many lines, many wanted":    {lines, strings.Repeat(" }\n", n/4), "b", false},
		"many lines, one missing":    {lines, strings.Repeat("}\n", n/4) + "x\n", "b", false},
		"one long line":              {strings.Repeat("ab", n), "abba\nc", "b", false},
		"a file that would overflow": {strings.Repeat("a", n), "a", strings.Repeat("b", n), true},
		"and but for its endings":    {strings.Repeat("a\r\n", n/4), "a\n", strings.Repeat("b", n), true},
	} {
		if _, err := edit.Replace(t.Context(), []byte(c.before), []byte(c.old), []byte(c.new), c.all); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// FuzzReplace checks that the bytes outside the replaced range are kept, and that
// the range is unique.
func FuzzReplace(f *testing.F) {
	for _, c := range [][3]string{
		{"a\r\nb\r\nc", "a\nb", "x\ny"}, {"\ta\n\tb\n", "  a\n  b\n", "  c\n"}, {"“a”\n", "\"a\"", "b"}, {"a \nb", "a\nb\n", "c\n"},
		{"\ufeffa\rb\n\xff", "a\nb\n", ""}, {"a\nb\na", "a", "b"}, {"x\r\r\ny\n\r", "x\n\ny", "z\r\n"},
	} {
		f.Add([]byte(c[0]), []byte(c[1]), []byte(c[2]))
	}
	f.Fuzz(func(t *testing.T, before, old, new []byte) {
		kept := bytes.Clone(before)
		got, err := edit.Replace(t.Context(), before, old, new, false)
		if !bytes.Equal(before, kept) {
			t.Fatalf("the content before was changed to %q", before)
		}
		if err != nil {
			return
		}
		if got.Fit == edit.Exact {
			if want := bytes.Replace(before, old, new, 1); len(before) > 0 && !bytes.Equal(got.After, want) {
				t.Errorf("got %q, want %q", got.After, want)
			}
			return
		}
		// Deleting the text leaves the bytes around it.
		gone, err := edit.Replace(t.Context(), before, old, nil, false)
		if err != nil {
			t.Fatalf("deleting what could be replaced: %v", err)
		}
		at := commonStart(gone.After, before)
		if end := commonEnd(gone.After, before); at+end < len(gone.After) {
			t.Errorf("deleting %q from %q left %q, which is not the text around it", old, before, gone.After)
		}
		if bytes.Count(plainText(before), plainText(old)) > 1 && got.Fit == edit.LineEndings {
			t.Errorf("%q was replaced in %q, where it is more than once", old, before)
		}
	})
}

// plainText replaces CRLF with LF.
func plainText(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
}

func commonStart(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonEnd(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
