package text_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/editor/text"
	"agent/internal/tui/editor/text/emacs"
)

// plain measures characters as they are, and tokens as ten columns.
func plain(character, _ string) (string, int) {
	switch {
	case character == "\t":
		return "    ", 4
	case text.IsToken([]rune(character)[0]):
		return "[a token!]", 10
	}
	return character, ansi.StringWidth(character)
}

// draft is a buffer with the commands of emacs, and the width of its rows.
type draft struct {
	*text.Buffer
	*emacs.Emacs
	width int
}

func newDraft() *draft {
	b := text.New(plain)
	return &draft{b, emacs.New(b, &text.Kills{}), 80}
}

func (d *draft) setWidth(width int) {
	d.width = width
	d.Rows().SetWidth(width)
}

// all returns all rows.
func (d *draft) all() (all []text.Row) {
	for i := range d.Rows().Count() {
		all = append(all, d.Rows().At(i))
	}
	return all
}

// buffer returns a draft with text and the caret at |.
func buffer(text string) *draft {
	b := newDraft()
	at := strings.Index(text, "|")
	b.Reset(strings.Replace(text, "|", "", 1))
	b.MoveTo(max(at, 0))
	return b
}

// shown returns the text with the caret as |.
func shown(b *draft) string { return b.String()[:b.Caret()] + "|" + b.String()[b.Caret():] }

// words returns random text of all kinds of characters.
func words(r *rand.Rand, n int) string {
	pieces := []string{"word ", "a", "日本語", "👩‍👩‍👧", "\n", "\t", "é", "e\u0301", " ", "  ", "averylongwordwithoutanyspaceinit",
		string(text.FirstToken), "\U000e007f", "\u200d", "🇩🇪", ".", "(", "한글", "کی\u200cشد"}
	s := ""
	for range n {
		s += pieces[r.IntN(len(pieces))]
	}
	return s
}

// Rows that are updated after edits equal those computed from scratch. They contain
// all text, and none is too wide.
func TestRows(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 0))
		b := newDraft()
		b.Reset(words(r, r.IntN(40)))
		b.setWidth(1 + r.IntN(20))
		b.Rows().Count()
		for range 30 {
			from := boundaryNear(b.String(), r.IntN(len(b.String())+1))
			to := boundaryNear(b.String(), from+r.IntN(len(b.String())-from+1))
			b.Replace(from, to, words(r, r.IntN(6)))
			fresh := newDraft()
			fresh.setWidth(b.width)
			fresh.Reset(b.String())
			if diff := cmp.Diff(b.all(), fresh.all()); diff != "" {
				t.Fatalf("seed %d, %q at width %d (-updated +computed):\n%s", seed, b.String(), b.width, diff)
			}
			checkRows(t, b)
		}
	}
}

// boundaryNear returns the last character boundary at or before an offset.
func boundaryNear(s string, at int) int {
	b := newDraft()
	b.Reset(s)
	b.MoveTo(at)
	return b.Caret()
}

func checkRows(t *testing.T, b *draft) {
	t.Helper()
	at := 0
	for i := range b.Rows().Count() {
		row, width := b.Rows().At(i), 0
		if gap := b.String()[at:row.From]; gap != "" && gap != "\n" {
			t.Fatalf("%q is in no row of %q", gap, b.String())
		}
		at = row.To
		b.Rows().Draw(i, func(_ int, _ string, w int) { width += min(w, b.width) })
		if width > b.width+1 {
			t.Fatalf("a row is %d wide in %d: %q", width, b.width, b.String()[row.From:row.To])
		}
		if got, _ := b.Rows().Locate(row.From); got != i {
			t.Fatalf("the start of row %d is in row %d", i, got)
		}
	}
	if at != len(b.String()) {
		t.Fatalf("%q is in no row", b.String()[at:])
	}
}

// Undo and redo restore the exact text.
func TestUndoAndRedo(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := newDraft()
		for range 60 {
			scribble(b, r)
		}
		for b.Redo() {
		}
		end := b.String()
		for b.Undo() {
		}
		if b.String() != "" {
			t.Fatalf("seed %d: undone to %q", seed, b.String())
		}
		for b.Redo() {
		}
		if b.String() != end {
			t.Fatalf("seed %d: redone to %q, want %q", seed, b.String(), end)
		}
	}
}

// scribble applies a random operation.
func scribble(b *draft, r *rand.Rand) {
	do := []func(){
		func() { b.Type(words(r, 1)) }, func() { b.Type(words(r, 1)) }, func() { b.Insert(words(r, 4)) },
		b.EraseLeft, b.EraseRight, b.Left, b.Right, b.WordLeft, b.WordRight, b.LineStart, b.LineEnd,
		b.KillToEnd, b.KillToStart, b.KillBlankWord, b.KillWordLeft, b.KillWordRight, b.Yank, b.YankOlder,
		func() { b.Up() }, func() { b.Down() }, func() { b.Undo() }, func() { b.Redo() },
		b.UpperWord, b.LowerWord, b.CapitalWord, b.SwapLetters, b.SwapWords, b.TextStart, b.TextEnd,
	}
	do[r.IntN(len(do))]()
}

// The caret is never within a character.
func TestCaretIsBetweenCharacters(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := newDraft()
		b.setWidth(15)
		for range 200 {
			scribble(b, r)
			if at := boundaryNear(b.String(), b.Caret()); at != b.Caret() {
				t.Fatalf("seed %d: the caret is at %d in %q, a character begins at %d", seed, b.Caret(), b.String(), at)
			}
			b.Rows().Locate(b.Caret())
		}
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name, text string
		do         func(b *draft)
		want       string
	}{
		{"family goes as one", "a👩‍👩‍👧|b", (*draft).EraseLeft, "a|b"},
		{"mark goes with its letter", "cafe\u0301|", (*draft).EraseLeft, "caf|"},
		{"flag", "|🇩🇪🇫🇷", (*draft).Right, "🇩🇪|🇫🇷"},
		{"between flags", "🇩🇪🇫🇷|", (*draft).Left, "🇩🇪|🇫🇷"},
		{"token", "a" + string(text.FirstToken) + "|", (*draft).EraseLeft, "a|"},
		{"token is a word", "ab" + string(text.FirstToken) + "|", (*draft).KillWordLeft, "ab|"},
		{"ctrl+w takes signs", "see a/b.go|", (*draft).KillBlankWord, "see |"},
		{"alt+backspace does not", "see a/b.go|", (*draft).KillWordLeft, "see a/b.|"},
		{"word right", "|one, two", func(b *draft) { b.WordRight(); b.WordRight() }, "one, two|"},
		{"word left", "one, two|", (*draft).WordLeft, "one, |two"},
		{"kills are joined", "one two three|", func(b *draft) { b.KillBlankWord(); b.KillBlankWord(); b.LineStart(); b.Yank() }, "two three|one "},
		{"kills apart are not", "one two|", func(b *draft) { b.KillBlankWord(); b.Left(); b.KillBlankWord(); b.Yank() }, "one| "},
		{"older kill", "one two|", func(b *draft) { b.KillBlankWord(); b.Left(); b.KillToStart(); b.Yank(); b.YankOlder() }, "two| "},
		{"older kill, round", "one two|", func(b *draft) {
			b.KillBlankWord()
			b.Left()
			b.KillToStart()
			b.Yank()
			b.YankOlder()
			b.YankOlder()
		}, "one| "},
		{"older kill without one", "one|", (*draft).YankOlder, "one|"},
		{"kill to the end takes the newline", "one|\ntwo", (*draft).KillToEnd, "one|two"},
		{"kill to the start takes the newline", "one\n|two", (*draft).KillToStart, "one|two"},
		{"undo by words", "|", func(b *draft) { typeAll(b, "one two three"); b.Undo() }, "one two |"},
		{"redo", "|", func(b *draft) { typeAll(b, "one two"); b.Undo(); b.Undo(); b.Redo() }, "one |"},
		{"undo after a move", "|", func(b *draft) { typeAll(b, "ab"); b.LineStart(); typeAll(b, "x"); b.Undo() }, "|ab"},
		{"erased letters come back at once", "one two|", func(b *draft) { b.EraseLeft(); b.EraseLeft(); b.Undo() }, "one two|"},
		{"up keeps the column", "long line\nab\nlong li|ne", func(b *draft) { b.Up(); b.Up() }, "long li|ne\nab\nlong line"},
		{"down among wide ones", "ab|\n日本", func(b *draft) { b.Down() }, "ab\n日|本"},
		{"capitals", "|one two", func(b *draft) { b.UpperWord(); b.UpperWord() }, "ONE TWO|"},
		{"capitals from within a word", "o|ne, two", (*draft).UpperWord, "oNE|, two"},
		{"small letters", "|ONE, Two", func(b *draft) { b.LowerWord(); b.LowerWord() }, "one, two|"},
		{"lowercase stays lowercase", "|one two", (*draft).LowerWord, "one| two"},
		{"a capital", "| (oNE two", (*draft).CapitalWord, " (One| two"},
		{"a capital of two letters", "|ǆungla", (*draft).CapitalWord, "ǅungla|"},
		{"a word of another script", "|日本 x", (*draft).CapitalWord, "日本| x"},
		{"no word", "one|", (*draft).UpperWord, "one|"},
		{"letters are swapped", "t|eh", (*draft).SwapLetters, "et|h"},
		{"the last two", "teh|", (*draft).SwapLetters, "the|"},
		{"not over lines", "ab\n|c", (*draft).SwapLetters, "ab\n|c"},
		{"nothing to swap", "|", (*draft).SwapLetters, "|"},
		{"one to swap", "a|", (*draft).SwapLetters, "a|"},
		{"flags are swapped", "🇩🇪|🇫🇷", (*draft).SwapLetters, "🇫🇷🇩🇪|"},
		{"words are swapped", "one| two three", (*draft).SwapWords, "two one| three"},
		{"from within one", "one, t|wo three", (*draft).SwapWords, "two, one| three"},
		{"the last two words", "one two.|", (*draft).SwapWords, "two one|."},
		{"a single word", "one|", (*draft).SwapWords, "one|"},
		{"no words", " .|", (*draft).SwapWords, " .|"},
		{"case is undone at once", "|one two", func(b *draft) { b.UpperWord(); b.Undo() }, "|one two"},
		{"start of all", "one\ntw|o", (*draft).TextStart, "|one\ntwo"},
		{"end of all", "o|ne\ntwo", (*draft).TextEnd, "one\ntwo|"},
		{"replace before the caret", "one two|", func(b *draft) { b.Replace(0, 3, "three") }, "three two|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := buffer(c.text)
			c.do(b)
			if got := shown(b); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func typeAll(b *draft, s string) {
	for _, r := range s {
		b.Type(string(r))
	}
}

func TestWrapping(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two three", []string{"one two ", "three"}},
		{"eightlet x", []string{"eightlet ", "x"}}, // the blank hangs
		{"averylongword", []string{"averylon", "gword"}},
		{"a averylongword", []string{"a ", "averylon", "gword"}},
		{"日本語日本語", []string{"日本語日", "本語"}},
		{"one\n\ntwo\n", []string{"one", "", "two", ""}},
		{"abc" + string(text.FirstToken) + "d", []string{"abc", string(text.FirstToken), "d"}},
	} {
		b := newDraft()
		b.setWidth(8)
		b.Reset(c.text)
		var got []string
		for i := range b.Rows().Count() {
			got = append(got, b.String()[b.Rows().At(i).From:b.Rows().At(i).To])
		}
		if diff := cmp.Diff(got, c.want); diff != "" {
			t.Errorf("%q (-got +want):\n%s", c.text, diff)
		}
	}
}

func BenchmarkType(b *testing.B) {
	for name, s := range map[string]string{
		"lines": strings.Repeat("some words on a line\n", 5000), "one line": strings.Repeat("some words and ", 7000), "wide": strings.Repeat("日本語", 11000),
	} {
		b.Run(name, func(b *testing.B) {
			buf := newDraft()
			buf.Reset(s)
			buf.MoveTo(len(s) / 2)
			buf.Rows().Count()
			for b.Loop() {
				buf.Type("x")
				buf.Rows().Locate(buf.Caret())
			}
		})
	}
}

// The fast paths for character boundaries agree with the segmentation.
func TestCharacters(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := words(r, 12)
		var long []string
		for part := range strings.SplitAfterSeq(strings.ReplaceAll(s, string(text.FirstToken), "\n"+string(text.FirstToken)+"\n"), "\n") {
			for part != "" {
				g, _ := ansi.FirstGraphemeCluster(part, ansi.GraphemeWidth)
				part = part[len(g):]
				if g != "\n" {
					long = append(long, g)
				}
			}
		}
		var on, back []string
		for at := 0; at < len(s); at = text.Next(s, at) {
			on = append(on, s[at:text.Next(s, at)])
		}
		for at := len(s); at > 0; at = text.Previous(s, at) {
			back = append([]string{s[text.Previous(s, at):at]}, back...)
		}
		if diff := cmp.Diff(back, on); diff != "" {
			t.Fatalf("seed %d: %q (-back +on):\n%s", seed, s, diff)
		}
		without := func(g string) bool { return g == "\n" }
		if diff := cmp.Diff(slices.DeleteFunc(on, without), long); diff != "" {
			t.Fatalf("seed %d: %q (-got +want):\n%s", seed, s, diff)
		}
	}
}
