package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/search"
)

func grep(t *testing.T, tree *search.Tree, pattern string, fold bool, o search.Options) search.Results {
	t.Helper()
	q, err := search.Compile(pattern, search.Syntax{IgnoreCase: fold})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tree.Grep(t.Context(), ".", q, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines formats results like grep: path:line:text.
func lines(r search.Results) []string {
	var out []string
	for _, f := range r.Files {
		for _, m := range f.Matches {
			out = append(out, fmt.Sprintf("%s:%d:%s", f.Path, m.Line, m.Text))
		}
		if f.Binary {
			out = append(out, f.Path+": binary")
		}
	}
	return out
}

// TestGrepAgreesWithLineByLine compares with a line-by-line search, on files with
// lines across the ends of the read buffer.
func TestGrepAgreesWithLineByLine(t *testing.T) {
	isolateGit(t)
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"foo", "Foo", "bar", "func New(ctx context.Context)", "x", "", " ", "\t", "é", "ſet", "set", "K", "k", "http", "JSON", "\r", "a.b", "\xff"}
	files := map[string]string{"none": "", "end": "foo", "ends": "bar\nfoo\n", "newlines": "\n\n\n"}
	for i, size := range []int{270_000, 70_000} {
		var b strings.Builder
		for b.Len() < size {
			for range r.IntN(25) {
				b.WriteString(words[r.IntN(len(words))])
			}
			if r.IntN(2000) == 0 {
				b.WriteString(strings.Repeat("y", r.IntN(150_000)))
			}
			b.WriteByte('\n')
		}
		files[fmt.Sprint("f", i)] = b.String()
	}
	tr := tree(t, files)
	patterns := []string{
		"foo", "foo|http", `func \w+\(ctx`, "^foo", "bar$", "^$", "^", "$", `x\s+x`, "[^f]oo", "(foo){2}", "a.b", `a\.b`, "é", "set", "k",
		`\Afoo`, `foo\z`, "(?s)foo.bar", "foo.*bar", "y{100}", `\bfoo\b`, "zzz", "f?o?o?$", "(?i)json", `[\s\S]x`, "(foo|bar)+x", `\r`, "^(foo|bar)*$",
	}
	if testing.Short() {
		patterns = patterns[:6] // make test tries the others
	}
	for i, p := range patterns {
		for _, fold := range []bool{false, true}[:1+i%2] {
			expr := "(?m)" + p
			if fold {
				expr = "(?i)" + expr
			}
			re := regexp.MustCompile(expr)
			var want []string
			for _, name := range []string{"end", "ends", "f0", "f1", "newlines", "none"} {
				text := files[name]
				for i, l := range strings.Split(text, "\n") {
					if l == "" && i == strings.Count(text, "\n") {
						continue // no line follows the last newline
					}
					// With and without a carriage return at its end.
					cut, cr := strings.CutSuffix(l, "\r")
					if re.MatchString(l) || cr && re.MatchString(cut) {
						want = append(want, fmt.Sprintf("%s:%d", name, i+1))
					}
				}
			}
			var got []string
			for _, l := range lines(grep(t, tr, p, fold, search.Options{Max: 1 << 20})) {
				got = append(got, strings.Join(strings.SplitN(l, ":", 3)[:2], ":"))
			}
			if diff := cmp.Diff(got, want); diff != "" {
				t.Errorf("%q, ignore case %v: got (-), want (+):\n%.2000s", p, fold, diff)
			}
		}
	}
}

func TestTheFirstMatchesByPathAreKept(t *testing.T) {
	isolateGit(t)
	files := map[string]string{}
	for i := range 210 {
		files[fmt.Sprintf("d%d/f%03d", i%7, i)] = "hit\nmiss\nhit\n"
	}
	tr := tree(t, files)
	for range 3 {
		r := grep(t, tr, "hit", false, search.Options{Max: 5})
		want := []string{"d0/f000:1:hit", "d0/f000:3:hit", "d0/f007:1:hit", "d0/f007:3:hit", "d0/f014:1:hit"}
		if diff := cmp.Diff(lines(r), want); diff != "" {
			t.Errorf("got (-), want (+):\n%s", diff)
		}
		if r.Lines != 420 || r.InFiles != 210 {
			t.Errorf("got %d lines in %d files, want all of 420 in 210 counted", r.Lines, r.InFiles)
		}
	}
}

func TestContextLines(t *testing.T) {
	isolateGit(t)
	tr := tree(t, map[string]string{"f": "one\r\ntwo\nhit\nfour\nhit", "g": "hit\n"})
	r := grep(t, tr, "hit", false, search.Options{Max: 10, Context: 3})
	var got [][]string
	for _, f := range r.Files {
		for _, m := range f.Matches {
			got = append(got, m.Before, []string{m.Text}, m.After)
		}
	}
	want := [][]string{{"one", "two"}, {"hit"}, {"four", "hit"}, {"two", "hit", "four"}, {"hit"}, nil, nil, {"hit"}, nil}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
}

func TestBinaryFilesAreNamed(t *testing.T) {
	isolateGit(t)
	tr := tree(t, map[string]string{
		"a.bin":    "hit\x00\n",
		"b.bin":    "\x00" + strings.Repeat("-", 100_000) + "hit\n",
		"late.bin": "hit\n" + strings.Repeat("-\n", 100_000) + "hit\x00\n",
		"text":     "hit\n",
	})
	r := grep(t, tr, "hit", false, search.Options{Max: 10})
	if diff := cmp.Diff(lines(r), []string{"a.bin: binary", "late.bin: binary", "text:1:hit"}); diff != "" {
		t.Errorf("got (-), want (+):\n%s", diff)
	}
	// A file that the call names is searched to its end.
	q, err := search.Compile("hit", search.Syntax{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = tr.Grep(t.Context(), "b.bin", q, search.Options{Max: 10}); err != nil || r.InFiles != 1 {
		t.Errorf("got %+v, %v, want a match", r, err)
	}
}

func TestLongLinesAreTruncatedAroundTheMatch(t *testing.T) {
	isolateGit(t)
	tr := tree(t, map[string]string{"f": strings.Repeat("é", 500) + "hit" + strings.Repeat("ü", 500)})
	r := grep(t, tr, "hit", false, search.Options{Max: 10})
	got := r.Files[0].Matches[0].Text
	if !strings.HasPrefix(got, "[truncated: 850 bytes]é") || !strings.Contains(got, "éhitü") || !strings.HasSuffix(got, "ü[truncated: 852 bytes]") || len(got) > 350 {
		t.Errorf("got %q", got)
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	isolateGit(t)
	files := map[string]string{}
	for i := range 150 {
		files[fmt.Sprintf("d%d/f%d", i%10, i)] = "hit\n"
	}
	tr := tree(t, files)
	q, err := search.Compile("hit", search.Syntax{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var seen atomic.Int64 // several goroutines call Match
	_, err = tr.Grep(ctx, ".", q, search.Options{Max: 10, Match: func(string) bool {
		cancel()
		seen.Add(1)
		return true
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if n := seen.Load(); n > 100 {
		t.Errorf("looked at %d files after the end", n)
	}
}

func TestInvalidPatterns(t *testing.T) {
	for _, p := range []string{"", "(", "a**", "[z-a]", "(?=x)", `(a)\1`, "x{1001}", "a\nb", `a\nb`, strings.Repeat("a", 5000), "\xff", strings.Repeat("[ab]{1000}", 20)} {
		if _, err := search.Compile(p, search.Syntax{}); err == nil {
			t.Errorf("%q: got no error", p)
		}
	}
}
