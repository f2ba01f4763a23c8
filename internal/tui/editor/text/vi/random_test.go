package vi

import (
	"math/rand/v2"
	"testing"

	"github.com/charmbracelet/x/ansi"

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

// scribble edits b without vi.
func scribble(b *text.Buffer, e *emacs.Emacs, r *rand.Rand) {
	pieces := []string{"word ", "日本語", "👩‍👩‍👧", "\n", "\t", "e\u0301", "  ", string(text.FirstToken), "\u200d", "🇩🇪", ".", "(", "한글"}
	do := []func(){
		func() { b.Type(pieces[r.IntN(len(pieces))]) }, func() { b.Insert(pieces[r.IntN(len(pieces))] + pieces[r.IntN(len(pieces))]) },
		b.EraseLeft, b.EraseRight, e.Left, e.Right, e.WordLeft, e.WordRight, e.LineStart, e.LineEnd,
		e.KillToEnd, e.KillToStart, e.KillBlankWord, e.KillWordLeft, e.KillWordRight, e.Yank, e.YankOlder,
		func() { b.Up() }, func() { b.Down() }, func() { b.Undo() }, func() { b.Redo() },
		e.UpperWord, e.SwapLetters, e.SwapWords, e.TextStart, e.TextEnd,
	}
	do[r.IntN(len(do))]()
}

// The caret is never within a character.
func TestCaretIsBetweenCharacters(t *testing.T) {
	keys := keyNames("hjklwbe0^$ggGfFtT;,iaoOIAxXdcyDCYSspPur.J~vV123\"()WR'`mn*#%{}[]><lt>_|+-U/<enter><backspace><esc><esc><esc><ctrl+r><space>日x")
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		b := text.New(plain)
		b.Rows().SetWidth(15)
		kills := &text.Kills{}
		v, e := New(b, kills), emacs.New(b, kills)
		for range 200 {
			if r.IntN(3) == 0 {
				scribble(b, e, r)
			}
			if k := keys[r.IntN(len(keys))]; !v.Press(k) && len(k) == 1 {
				b.Type(k)
			}
			if at := text.Snap(b.String(), b.Caret()); at != b.Caret() {
				t.Fatalf("seed %d: the caret is at %d in %q, a character begins at %d", seed, b.Caret(), b.String(), at)
			}
			if len(b.String()) > 1<<16 {
				b.Reset("")
			}
			v.Selection()
			b.Rows().Locate(b.Caret())
		}
	}
}

// u undoes every command, also after ctrl+r.
func TestViUndoesAll(t *testing.T) {
	for i, c := range inventCases(3, 300) {
		b := text.New(plain)
		b.Reset(c.text)
		v := New(b, &text.Kills{})
		play(v, "<esc>"+c.keys)
		play(v, "9999u")
		if b.String() != c.text {
			t.Fatalf("case %d, %q %s: undone to %q", i, c.text, c.keys, b.String())
		}
		play(v, "9999<ctrl+r>9999u")
		if b.String() != c.text {
			t.Fatalf("case %d, %q %s: undone a second time to %q", i, c.text, c.keys, b.String())
		}
	}
}
