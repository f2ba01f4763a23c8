package bash_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"

	"agent/internal/bash"
)

// parsed returns the words and the redirections of a simple command.
func parsed(t *testing.T, text string) (words []bash.Word, redirs []bash.Redirect) {
	t.Helper()
	l, err := bash.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s := l.File.Stmts[0]
	for _, w := range s.Cmd.(*syntax.CallExpr).Args {
		words = append(words, l.Word(w))
	}
	for _, d := range s.Redirs {
		redirs = append(redirs, l.Redirect(d))
	}
	return words, redirs
}

func TestValuesOfWords(t *testing.T) {
	words, _ := parsed(t, `g\o 'a b'"\$c\d" "$x" $x ~/a *.\*o {a,b} $'\n' "$(cat <<'E'
text
E
)"`)
	var got []string
	for _, w := range words {
		got = append(got, []string{"literal ", "wildcard ", "unknown "}[w.Kind]+w.Text)
	}
	want := []string{
		"literal go", `literal a b$c\d`, `unknown "$x"`, "unknown $x", "unknown ~/a", "wildcard *.*o", "unknown {a,b}", `unknown $'\n'`, "literal text",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if words[5].Pattern != `*.\*o` {
		t.Errorf("the pattern is %s", words[5].Pattern)
	}
}

func TestInputOfRedirections(t *testing.T) {
	for text, want := range map[string]string{
		"cat <<'E'\n$x\nE":   "$x\n",
		"cat <<-E\n\tx\nE":   "x\n",
		"cat <<E\n$x\nE":     "none",
		"cat <<<'a b'":       "a b\n",
		"cat <<<$x":          "none",
		"cat 3<<'E'\nx\nE":   "none",
		"cat <file":          "none",
		"cat <<'E'\n$(x)\nE": "$(x)\n",
	} {
		_, redirs := parsed(t, text)
		got := "none"
		if redirs[0].Text != nil {
			got = *redirs[0].Text
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestCommandOfWrappers(t *testing.T) {
	for text, want := range map[string]string{
		"env -u A B=c go test":                 "go test",
		"timeout --signal KILL -k 5 60 go vet": "go vet",
		"xvfb-run -a -s '-screen 0' pytest":    "pytest",
		"nice -n 5 make":                       "make",
		"env A=b":                              "",
		"go test":                              "no wrapper",
	} {
		words, _ := parsed(t, text)
		got := "no wrapper"
		if w, ok := bash.WrapperOf(bash.Program(words[0].Text)); ok {
			var args []string
			for _, word := range words[1:] {
				args = append(args, word.Text)
			}
			got = strings.Join(w.Command(args), " ")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Nested commands do not exhaust the stack, which would end the program.
func TestDeepNesting(t *testing.T) {
	for _, opening := range []string{"(", "$(", "{ ", "if ", "$((", "case x in x) "} {
		if _, err := bash.Parse(strings.Repeat(opening, bash.MaxLine/4/len(opening))); err == nil {
			t.Errorf("%q without its end is parsed", opening)
		}
	}
	if _, err := bash.Parse(strings.Repeat("x", bash.MaxLine+1)); err == nil {
		t.Error("a line that is too long is parsed")
	}
}
