package vi

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/tui/editor/text"
)

// drafted returns a buffer with text and the caret at |.
func drafted(s string) *text.Buffer {
	b := text.New(plain)
	at := strings.Index(s, "|")
	b.Reset(strings.Replace(s, "|", "", 1))
	b.MoveTo(max(at, 0))
	return b
}

// shown returns the text with the caret as |.
func shown(b *text.Buffer) string { return b.String()[:b.Caret()] + "|" + b.String()[b.Caret():] }

// keyNames splits keys: <esc> and similar names are one key.
func keyNames(keys string) (all []string) {
	named := regexp.MustCompile(`^<(esc|enter|backspace|space|end|lt|ctrl\+.)>`)
	for keys != "" {
		if m := named.FindStringSubmatch(keys); m != nil {
			all, keys = append(all, strings.Replace(m[1], "lt", "<", 1)), keys[len(m[0]):]
			continue
		}
		_, n := utf8.DecodeRuneInString(keys)
		all, keys = append(all, keys[:n]), keys[n:]
	}
	return all
}

// play presses keys as the editor does: keys that vi does not handle are typed.
func play(v *Vi, keys string) {
	for _, k := range keyNames(keys) {
		switch {
		case v.Press(k):
		case k == "end":
			v.b.doc.MoveTo(v.b.lineEnd(v.b.Caret()))
			v.Moved()
		case k == "backspace":
			v.b.doc.EraseLeft()
		case k == "enter":
			v.b.doc.Type("\n")
		case utf8.RuneCountInString(k) == 1:
			v.b.doc.Type(k)
		}
	}
}

func TestVi(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		// Motions.
		{"one |two", "h", "one| two"},
		{"|one two", "5h", "|one two"},
		{"one tw|o", "l", "one tw|o"},
		{"|one", "2l", "on|e"},
		{"|one\ntwo", "j", "one\n|two"},
		{"long li|ne\nab\nlonger line", "jj", "long line\nab\nlonger |line"},
		{"one\nt|wo", "k", "o|ne\ntwo"},
		{"|a$bj\nlonger\nline", "f$j", "a$bj\nl|onger\nline"},
		{"|a$bj\nlonger\nline", "jkfjj", "a$bj\nlon|ger\nline"},
		{"one\n|two", "3k", "|one\ntwo"},
		{"|one two.three  four", "w", "one |two.three  four"},
		{"|one two.three", "3w", "one two.|three"},
		{"|one.two three", "W", "one.two |three"},
		{"|one\n\ntwo", "w", "one\n|\ntwo"},
		{"|one\n\ntwo", "2w", "one\n\n|two"},
		{"one two|", "b", "one |two"},
		{"one t|wo", "2b", "|one two"},
		{"one.two th|ree", "2B", "|one.two three"},
		{"|one two", "e", "on|e two"},
		{"|one two", "2e", "one tw|o"},
		{"|one.two x", "E", "one.tw|o x"},
		{"  one t|wo", "0", "|  one two"},
		{"  one t|wo", "^", "  |one two"},
		{"|one two", "$", "one tw|o"},
		{"|one\ntwo", "2$", "one\ntw|o"},
		{"one\ntwo\n|three", "gg", "|one\ntwo\nthree"},
		{"|one\n  two\nthree", "2gg", "one\n  |two\nthree"},
		{"|one\ntwo\nthree", "G", "one\ntwo\n|three"},
		{"|one\ntwo\nthree", "2G", "one\n|two\nthree"},
		{"|a.b.c.d", "f.", "a|.b.c.d"},
		{"|a.b.c.d", "2f.", "a.b|.c.d"},
		{"|a.b.c.d", "fx", "|a.b.c.d"},
		{"|a.b.c.d", "t.;", "a.|b.c.d"},
		{"|a.b.c.d", "f.;;,", "a.b|.c.d"},
		{"a.b.c.|d", "F.", "a.b.c|.d"},
		{"a.b.c.|d", "2T.", "a.b.|c.d"},
		{"|日本語 text", "w", "日本語 |text"},
		{"a👩‍👩‍👧b|c", "2h", "a|👩‍👩‍👧bc"},

		// Operators with motions.
		{"one |two three", "dw", "one |three"},
		{"|one two three", "d2w", "|three"},
		{"|one two three four", "2d2w", "|"},
		{"one |two", "dw", "one| "},
		{"one |two\nthree", "dw", "one| \nthree"},
		{"one tw|o three", "db", "one |o three"},
		{"|one two", "de", "| two"},
		{"one t|wo three", "d0", "|wo three"},
		{"  one t|wo", "d^", "  |wo"},
		{"one |two three", "d$", "one| "},
		{"one |two three", "D", "one| "},
		{"a|bc", "dl", "a|c"},
		{"abc|d", "dl", "ab|c"},
		{"ab|cd", "dh", "a|cd"},
		{"one\n|two\nthree", "dd", "one\n|three"},
		{"one\n|two", "dd", "|one"},
		{"|one", "dd", "|"},
		{"|one\ntwo\nthree", "2dd", "|three"},
		{"|one\ntwo\nthree", "d2d", "|three"},
		{"|one\ntwo\nthree", "dj", "|three"},
		{"one\ntwo\nth|ree", "dk", "|one"},
		{"one\nt|wo\nthree", "dG", "|one"},
		{"one\ntwo\n|three", "dgg", "|"},
		{"|call(a, b)", "df,", "| b)"},
		{"|call(a, b)", "dt,", "|, b)"},
		{"|a,b,c", "dt,;d,", ",|b,c"},
		{"call(a, b|)", "dF(", "call|)"},
		{"one |two three", "cwx<esc>", "one |x three"},
		{"|one two three", "c2wx<esc>", "|x three"},
		{"one|  two", "cwx<esc>", "one|xtwo"},
		{"one |two", "Cx<esc>", "one |x"},
		{"  one\ntw|o\nx", "ccnew<esc>", "  one\nne|w\nx"},
		{"o|ne", "Snew<esc>", "ne|w"},
		{"|one two", "sX<esc>", "|Xne two"},
		{"|one two", "3sX<esc>", "|X two"},

		// Text objects.
		{"one t|wo three", "diw", "one | three"},
		{"one t|wo three", "daw", "one |three"},
		{"one tw|o", "daw", "on|e"},
		{"one|  two", "diw", "one|two"},
		{"one.t|wo three", "daW", "|three"},
		{"one.t|wo three", "ciwX<esc>", "one.|X three"},
		{`say "he|llo" now`, `di"`, `say "|" now`},
		{`say "he|llo" now`, `da"`, `say |now`},
		{`sa|y "hello" now`, `ci"x<esc>`, `say "|x" now`},
		{`"a" |x "b"`, `di"`, `"a"|"b"`},
		{`|say 'a\'b'`, `di'`, `say '|'`},
		{"f(a, g(b), |c)", "di(", "f(|)"},
		{"f(a, g(|b), c)", "di)", "f(a, g(|), c)"},
		{"f(a, |b)", "da(", "|f"},
		{"f(a, |b)", "dib", "f(|)"},
		{"{\n  a|\n}", "di{", "{\n|}"},
		{"x[a|b]", "ci[0<esc>", "x[|0]"},
		{"no br|ackets", "di(", "no br|ackets"},

		// Yank and put.
		{"|one two", "ywP", "one| one two"},
		{"|one two", "ywwp", "one tone| wo"},
		{"|one\ntwo", "yyp", "one\n|one\ntwo"},
		{"one\n|two", "yyP", "one\n|two\ntwo"},
		{"|one\ntwo", "Yjp", "one\ntwo\n|one"},
		{"|one\ntwo", "ddp", "two\n|one"},
		{"|ab", "xp", "b|a"},
		{"|ab", "x3p", "baa|a"},
		{"one |two", "yiwP", "one tw|otwo"},
		{"|one\ntwo\nthree", "yjGp", "one\ntwo\nthree\n|one\ntwo"},

		// Single letters.
		{"|abc", "x", "|bc"},
		{"|abc", "2x", "|c"},
		{"ab|c", "x", "a|b"},
		{"ab|c", "X", "a|c"},
		{"a|bc", "rX", "a|Xc"},
		{"|abc", "3rx", "xx|x"},
		{"a|b", "3rx", "a|b"},
		{"a|bc", "~", "aB|c"},
		{"one| two\n  three\nx", "J", "one two| three\nx"},
		{"|one\ntwo\nthree", "3J", "one two| three"},

		// Insert mode.
		{"a|b", "ix<esc>", "a|xb"},
		{"a|b", "ax<esc>", "ab|x"},
		{"  a|b", "Ix<esc>", "  |xab"},
		{"|ab", "Ax<esc>", "ab|x"},
		{"a|b\nc", "ox<esc>", "ab\n|x\nc"},
		{"a\n|b", "Ox<esc>", "a\n|x\nb"},
		{"|", "3iab<esc>", "ababa|b"},
		{"|ab", "<esc>", "|ab"},

		// Undo and repeat.
		{"one |two three", "dwu", "one |two three"},
		{"one |two three", "dwu<ctrl+r>", "one |three"},
		{"|one two three", "dwdwuu", "|one two three"},
		{"|", "ione two<esc>u", "|"},
		{"|a", "A b c<esc>u", "|a"},
		{"|one two three", "dw.", "|three"},
		{"|one two three four", "dw2.", "|four"},
		{"|a b c", "cwx<esc>w.", "x |x c"},
		{"|a\nb", "A!<esc>j.", "a!\nb|!"},
		{"|abc\nabc", "xj.", "bc\n|bc"},
		{"|ab ab", "A<backspace>x<esc>.", "ab a|x"},
		{"|本\n日", "A<backspace>末<esc>j.", "末\n|末"}, // their bytes begin alike
		{"|ax\n日日", "A<backspace>y<esc>j.", "ay\n日|y"},
		{"|one two", "2xu", "|one two"},

		// Visual modes.
		{"one |two three", "vwd", "one |hree"},
		{"one |two three", "ved", "one | three"},
		{"one |two", "v$d", "one| "},
		{"|one\ntwo\nthree", "Vjd", "|three"},
		{"one tw|o", "vbcx<esc>", "one |x"},
		{"|one two", "veyP", "on|eone two"},
		{"one t|wo", "viwd", "one| "},
		{"f(o|ne)", "vi(rx", "f(|xxx)"},
		{"|one", "vex", "|"},
		{"on|e two", "vohd", "o| two"},
		{"|abc", "vl~", "|ABc"},
		{"|one\ntwo\nx", "VjJ", "one| two\nx"},
		{"|one two", "yiwwviwp", "one on|e"},
		{"one |two", "v<esc>x", "one |wo"},

		{"|one two", "v<end>d", "|"},
		{"|one two", "<end>x", "one t|w"},

		// Search.
		{"|one two one two", "/tw<enter>", "one |two one two"},
		{"|one two one two", "/tw<enter>n", "one two one |two"},
		{"|one two one two", "/tw<enter>nn", "one |two one two"},
		{"|one two one two", "?tw<enter>", "one two one |two"},
		{"|one two one two", "/tw<enter>N", "one two one |two"},
		{"|one two one two", "d/one<enter>", "|one two"},
		{"|one two", "/tx<backspace>w<enter>", "one |two"},
		{"|one two", "/tw<esc>x", "|ne two"},
		{"|one two", "/<backspace>x", "|ne two"},
		{"|one two", "/three<enter>x", "|ne two"},
		{"|a.c abc a.c", "/a.c<enter>", "a.c abc |a.c"},
		{"|in int in", "*", "in int |in"},
		{"|in int in", "g*", "in |int in"},
		{"one\n|two", "yygpx", "one\ntwo\n|wo"},
		{"|one\ntwo", "yygpx", "one\none\n|wo"},
		{"one t|wo", "y_x", "one t|o"},
		{"int in |in", "g#", "int |in in"},
		{"in int |in", "#", "|in int in"},

		// Paragraphs and brackets.
		{"one\ntwo\n\nthr|ee", "{", "one\ntwo\n|\nthree"},
		{"one\nt|wo\n\nthree", "{", "|one\ntwo\n\nthree"},
		{"f(a|, (b))", "%", "f(a, (b|))"},
		{"one\ntw|o\n\nthree", "dap", "|three"},

		// Replace mode.
		{"|abc", "Rxy<esc>", "x|yc"},
		{"ab|c", "Rxy<esc>", "abx|y"},
		{"|abc", "Rxy<backspace><backspace><esc>", "|abc"},
		{"|日本語", "Rab<esc>", "a|b語"},

		// Lines.
		{"|one\ntwo", ">>", "    |one\ntwo"},
		{"      |one", "<lt><lt>", "  |one"},
		{"|one\n\ntwo", ">G", "    |one\n\n    two"},
		{"|one two", "gUw", "|ONE two"},
		{"|one two", "gUU", "|ONE TWO"},
		{"|One two", "g~iw", "|oNE two"},
		{"|a\n b", "gJ", "a| b"},

		// Unknown keys change nothing.
		{"|one two", "gqapx", "|ne two"},
		{"|one two", "=apx", "|ne two"},
		{"|one two", "zfapx", "|ne two"},
		{"|one two", "qax", "|ne two"},
		{"|one two", "@ax", "|ne two"},
		{"|one two", "ZZx", "|ne two"},
		{"|one two", "]sx", "|ne two"},
		{"|one two", "\"%x", "|ne two"},
		{"|one two", `"ayw"_dwP`, "one| two"},
		{"|one two", "g&x", "|ne two"},
		{"f(|one)", "d[(x", "f(|ne)"},
		{"|one two", "mawd'ax", "one |wo"},
		{"|one two", "ix<esc>wgigvx", "xone |wo"},
		{"o|ne", "dq", "o|ne"},
		{"o|ne two", "dVw", "one |two"},
		{"o|ne", "d<esc>x", "o|e"},
		{"o|ne", "zzQ", "o|ne"},
		{"o|ne", "dix", "o|ne"},
		{"o|ne. two", "ditdas", "o|ne. two"},
		{"one. t|wo", "(d)", "one. t|wo"},
		{"|one\n", "vGaw<esc>", "one\n|"},
		{"|", "xXdwdaw~pJ.", "|"},
	} {
		t.Run(c.text+" "+c.keys, func(t *testing.T) {
			b := drafted(c.text)
			v := New(b, &text.Kills{})
			at := b.Caret()
			v.Press("esc")
			b.MoveTo(at)
			play(v, c.keys)
			if got := shown(b); got != c.want {
				t.Errorf("%q: %s is %q, want %q", c.text, c.keys, got, c.want)
			}
			if v.Mode() != Normal {
				t.Errorf("%q: %s ends in %s mode", c.text, c.keys, v.Mode())
			}
		})
	}
}

// gj and gk move by rows of the screen.
func TestViRows(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"gj", "one two |three\nfour"},
		{"2gj", "one two three\n|four"},
		{"2gjgk", "one two |three\nfour"},
		{"3gj", "|one two three\nfour"},
		{"gk", "|one two three\nfour"},
		{"dgj", "|three\nfour"},
	} {
		b := drafted("|one two three\nfour")
		b.Rows().SetWidth(8)
		v := New(b, &text.Kills{})
		play(v, "<esc>"+c.keys)
		if got := shown(b); got != c.want {
			t.Errorf("%s is %q, want %q", c.keys, got, c.want)
		}
	}
}
