package tui

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/tui/editor/text"
	"agent/internal/tui/screen"
)

// FuzzTyping sends random input to the editor, with emacs and vi keys. After each step
// the driver checks that the view fits in the window, and the test checks that the caret
// is valid and the text contains no tokens.
func FuzzTyping(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := &player{rand.New(rand.NewPCG(seed, 2)), newDriver(t, 80, 24, screen.Options{
			Vi:        seed%2 == 0,
			Files:     screen.Files{Find: findFiles, ReadImage: readPicture},
			Models:    screen.Models{NoImages: func(string) bool { return seed%3 == 0 }},
			Clipboard: screen.Clipboard{ReadImage: func(context.Context) (llm.Image, error) { return shot("clip"), nil }},
			Session: screen.Session{Earlier: func(context.Context, int) []string {
				return []string{"one", "two\nlines", strings.Repeat("long ", 900)}
			}},
		}), nil, 0}
		for range 100 {
			p.editStep()
			b := p.d.m.editor
			if raw := b.Raw(); b.Caret() > len(raw) || !utf8.ValidString(raw[:b.Caret()]) || !utf8.ValidString(raw[b.Caret():]) {
				t.Fatalf("the caret is at %d, between %q and %q", b.Caret(), raw[max(b.Caret()-20, 0):b.Caret()], raw[b.Caret():min(b.Caret()+20, len(raw))])
			}
			if full := p.d.m.editor.Text(); strings.ContainsFunc(full, text.IsToken) {
				t.Fatalf("the text to send contains a token: %q", full)
			}
		}
	})
}

// editStep sends random input to the editor.
func (p *player) editStep() {
	switch p.IntN(9) {
	case 0:
		p.d.send(tea.PasteMsg{Content: p.words(p.IntN(400))})
	case 1:
		p.d.send(tea.WindowSizeMsg{Width: 1 + p.IntN(90), Height: 1 + p.IntN(30)})
	case 2:
		p.d.typeText(p.pick("@ma", "@\"a f", " @", "/mo", "/", "/mode e", " shot.png ", "x\\", "word word "))
	case 3:
		p.d.advance(time.Duration(p.IntN(1500)) * time.Millisecond)
	case 4, 5:
		p.d.press(p.pick("d", "w", "c", "i", "(", "p", "u", ".", "v", "V", "3", "$", "0", "f", "x", "o", "J", "r", "g", "G", "~", "\"", "y", "esc", "esc", "k", "j", "R", "m", "'", "`", "/", "n", "*", "%", "}", ")", ">", "<", "a", "t", "s", "ctrl+x", "."))
	default:
		p.d.press(p.pick("enter", "esc", "ctrl+c", "tab", "up", "down", "left", "right", "ctrl+j", "backspace", "delete", "ctrl+w", "ctrl+u",
			"ctrl+k", "alt+d", "alt+backspace", "ctrl+y", "alt+y", "ctrl+_", "alt+/", "alt+o", "ctrl+r", "ctrl+v", "ctrl+a", "ctrl+e", "alt+b", "alt+f", "alt+t", "alt+u", "alt+w", "shift+left", "shift+up", "ctrl+shift+right", "alt+<", "日", "e\u0301", "👩‍👩‍👧", "x", " "))
	}
}
