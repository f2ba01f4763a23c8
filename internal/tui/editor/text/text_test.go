package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// plain measures characters as they are, and tokens as ten columns.
func plain(character, _ string) (string, int) {
	switch {
	case character == "\t":
		return "    ", 4
	case IsToken([]rune(character)[0]):
		return "[a token!]", 10
	}
	return character, ansi.StringWidth(character)
}

// buffer returns a Buffer with text and the caret at |.
func buffer(text string) *Buffer {
	b := New(plain)
	at := strings.Index(text, "|")
	b.Reset(strings.Replace(text, "|", "", 1))
	b.MoveTo(max(at, 0))
	return b
}

// shown returns the text with the caret as |.
func shown(b *Buffer) string { return b.text[:b.caret] + "|" + b.text[b.caret:] }

// words returns random text of all kinds of characters.
func words(r *rand.Rand, n int) string {
	pieces := []string{"word ", "a", "日本語", "👩‍👩‍👧", "\n", "\t", "é", "e\u0301", " ", "  ", "averylongwordwithoutanyspaceinit",
		string(FirstToken), "\U000e007f", "\u200d", "🇩🇪", ".", "(", "한글", "کی\u200cشد"}
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
		b := New(plain)
		b.Reset(words(r, r.IntN(40)))
		b.SetWidth(1 + r.IntN(20))
		b.RowCount()
		for range 30 {
			from := boundaryNear(b.text, r.IntN(len(b.text)+1))
			to := boundaryNear(b.text, from+r.IntN(len(b.text)-from+1))
			b.Replace(from, to, words(r, r.IntN(6)))
			fresh := New(plain)
			fresh.SetWidth(b.rows.width)
			fresh.Reset(b.text)
			if diff := cmp.Diff(b.broken(), fresh.broken()); diff != "" {
				t.Fatalf("seed %d, %q at width %d (-updated +computed):\n%s", seed, b.text, b.rows.width, diff)
			}
			checkRows(t, b)
		}
	}
}

// boundaryNear returns the last character boundary at or before an offset.
func boundaryNear(s string, at int) int {
	b := New(plain)
	b.Reset(s)
	b.MoveTo(at)
	return b.caret
}

func checkRows(t *testing.T, b *Buffer) {
	t.Helper()
	at := 0
	for i := range b.RowCount() {
		row, width := b.Row(i), 0
		if gap := b.text[at:row.From]; gap != "" && gap != "\n" {
			t.Fatalf("%q is in no row of %q", gap, b.text)
		}
		at = row.To
		b.Draw(i, func(_ int, _ string, w int) { width += min(w, b.rows.width) })
		if width > b.rows.width+1 {
			t.Fatalf("a row is %d wide in %d: %q", width, b.rows.width, b.text[row.From:row.To])
		}
		if got, _ := b.Locate(row.From); got != i {
			t.Fatalf("the start of row %d is in row %d", i, got)
		}
	}
	if at != len(b.text) {
		t.Fatalf("%q is in no row", b.text[at:])
	}
}

// Undo and redo restore the exact text.
func TestUndoAndRedo(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := New(plain)
		for range 60 {
			scribble(b, r)
		}
		for b.Redo() {
		}
		end := b.text
		for b.Undo() {
		}
		if b.text != "" {
			t.Fatalf("seed %d: undone to %q", seed, b.text)
		}
		for b.Redo() {
		}
		if b.text != end {
			t.Fatalf("seed %d: redone to %q, want %q", seed, b.text, end)
		}
	}
}

// scribble applies a random operation.
func scribble(b *Buffer, r *rand.Rand) {
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
		b := New(plain)
		b.SetWidth(15)
		for range 200 {
			scribble(b, r)
			if at := boundaryNear(b.text, b.caret); at != b.caret {
				t.Fatalf("seed %d: the caret is at %d in %q, a character begins at %d", seed, b.caret, b.text, at)
			}
			b.Locate(b.caret)
		}
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name, text string
		do         func(b *Buffer)
		want       string
	}{
		{"family goes as one", "a👩‍👩‍👧|b", (*Buffer).EraseLeft, "a|b"},
		{"mark goes with its letter", "cafe\u0301|", (*Buffer).EraseLeft, "caf|"},
		{"flag", "|🇩🇪🇫🇷", (*Buffer).Right, "🇩🇪|🇫🇷"},
		{"between flags", "🇩🇪🇫🇷|", (*Buffer).Left, "🇩🇪|🇫🇷"},
		{"token", "a" + string(FirstToken) + "|", (*Buffer).EraseLeft, "a|"},
		{"token is a word", "ab" + string(FirstToken) + "|", (*Buffer).KillWordLeft, "ab|"},
		{"ctrl+w takes signs", "see a/b.go|", (*Buffer).KillBlankWord, "see |"},
		{"alt+backspace does not", "see a/b.go|", (*Buffer).KillWordLeft, "see a/b.|"},
		{"word right", "|one, two", func(b *Buffer) { b.WordRight(); b.WordRight() }, "one, two|"},
		{"word left", "one, two|", (*Buffer).WordLeft, "one, |two"},
		{"kills are joined", "one two three|", func(b *Buffer) { b.KillBlankWord(); b.KillBlankWord(); b.LineStart(); b.Yank() }, "two three|one "},
		{"kills apart are not", "one two|", func(b *Buffer) { b.KillBlankWord(); b.Left(); b.KillBlankWord(); b.Yank() }, "one| "},
		{"older kill", "one two|", func(b *Buffer) { b.KillBlankWord(); b.Left(); b.KillToStart(); b.Yank(); b.YankOlder() }, "two| "},
		{"older kill, round", "one two|", func(b *Buffer) {
			b.KillBlankWord()
			b.Left()
			b.KillToStart()
			b.Yank()
			b.YankOlder()
			b.YankOlder()
		}, "one| "},
		{"older kill without one", "one|", (*Buffer).YankOlder, "one|"},
		{"kill to the end takes the newline", "one|\ntwo", (*Buffer).KillToEnd, "one|two"},
		{"kill to the start takes the newline", "one\n|two", (*Buffer).KillToStart, "one|two"},
		{"undo by words", "|", func(b *Buffer) { typeAll(b, "one two three"); b.Undo() }, "one two |"},
		{"redo", "|", func(b *Buffer) { typeAll(b, "one two"); b.Undo(); b.Undo(); b.Redo() }, "one |"},
		{"undo after a move", "|", func(b *Buffer) { typeAll(b, "ab"); b.LineStart(); typeAll(b, "x"); b.Undo() }, "|ab"},
		{"erased letters come back at once", "one two|", func(b *Buffer) { b.EraseLeft(); b.EraseLeft(); b.Undo() }, "one two|"},
		{"up keeps the column", "long line\nab\nlong li|ne", func(b *Buffer) { b.Up(); b.Up() }, "long li|ne\nab\nlong line"},
		{"down among wide ones", "ab|\n日本", func(b *Buffer) { b.Down() }, "ab\n日|本"},
		{"capitals", "|one two", func(b *Buffer) { b.UpperWord(); b.UpperWord() }, "ONE TWO|"},
		{"capitals from within a word", "o|ne, two", (*Buffer).UpperWord, "oNE|, two"},
		{"small letters", "|ONE, Two", func(b *Buffer) { b.LowerWord(); b.LowerWord() }, "one, two|"},
		{"lowercase stays lowercase", "|one two", (*Buffer).LowerWord, "one| two"},
		{"a capital", "| (oNE two", (*Buffer).CapitalWord, " (One| two"},
		{"a capital of two letters", "|ǆungla", (*Buffer).CapitalWord, "ǅungla|"},
		{"a word of another script", "|日本 x", (*Buffer).CapitalWord, "日本| x"},
		{"no word", "one|", (*Buffer).UpperWord, "one|"},
		{"letters are swapped", "t|eh", (*Buffer).SwapLetters, "et|h"},
		{"the last two", "teh|", (*Buffer).SwapLetters, "the|"},
		{"not over lines", "ab\n|c", (*Buffer).SwapLetters, "ab\n|c"},
		{"nothing to swap", "|", (*Buffer).SwapLetters, "|"},
		{"one to swap", "a|", (*Buffer).SwapLetters, "a|"},
		{"flags are swapped", "🇩🇪|🇫🇷", (*Buffer).SwapLetters, "🇫🇷🇩🇪|"},
		{"words are swapped", "one| two three", (*Buffer).SwapWords, "two one| three"},
		{"from within one", "one, t|wo three", (*Buffer).SwapWords, "two, one| three"},
		{"the last two words", "one two.|", (*Buffer).SwapWords, "two one|."},
		{"a single word", "one|", (*Buffer).SwapWords, "one|"},
		{"no words", " .|", (*Buffer).SwapWords, " .|"},
		{"case is undone at once", "|one two", func(b *Buffer) { b.UpperWord(); b.Undo() }, "|one two"},
		{"start of all", "one\ntw|o", (*Buffer).TextStart, "|one\ntwo"},
		{"end of all", "o|ne\ntwo", (*Buffer).TextEnd, "one\ntwo|"},
		{"replace before the caret", "one two|", func(b *Buffer) { b.Replace(0, 3, "three") }, "three two|"},
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

func typeAll(b *Buffer, s string) {
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
		{"abc" + string(FirstToken) + "d", []string{"abc", string(FirstToken), "d"}},
	} {
		b := New(plain)
		b.SetWidth(8)
		b.Reset(c.text)
		var got []string
		for i := range b.RowCount() {
			got = append(got, b.text[b.Row(i).From:b.Row(i).To])
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
			buf := New(plain)
			buf.Reset(s)
			buf.MoveTo(len(s) / 2)
			buf.RowCount()
			for b.Loop() {
				buf.Type("x")
				buf.Locate(buf.Caret())
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
		for part := range strings.SplitAfterSeq(strings.ReplaceAll(s, string(FirstToken), "\n"+string(FirstToken)+"\n"), "\n") {
			for part != "" {
				g, _ := ansi.FirstGraphemeCluster(part, ansi.GraphemeWidth)
				part = part[len(g):]
				if g != "\n" {
					long = append(long, g)
				}
			}
		}
		var on, back []string
		for at := 0; at < len(s); at = Next(s, at) {
			on = append(on, s[at:Next(s, at)])
		}
		for at := len(s); at > 0; at = Previous(s, at) {
			back = append([]string{s[Previous(s, at):at]}, back...)
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
