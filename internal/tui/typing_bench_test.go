package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// BenchmarkKeyInALongText types in the middle of a draft of 100 KB.
func BenchmarkKeyInALongText(b *testing.B) {
	for name, text := range map[string]string{
		"lines": strings.Repeat("some words on a line\n", 5000), "one line": strings.Repeat("some words and ", 7000), "wide": strings.Repeat("日本語", 11_000),
	} {
		b.Run(name, func(b *testing.B) {
			m := newModel(screen.Options{}, time.Now, func(event.Command) {})
			m.After = func(time.Duration, tea.Msg) tea.Cmd { return nil }
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
			m.editor.Set(text[len(text)/2:])
			m.editor.PlaceCaret(0, 0)
			m.editor.Type(text[:len(text)/2])
			for b.Loop() {
				m.Update(keyPress("x"))
				m.View()
				m.Update(keyPress("backspace"))
				m.View()
			}
		})
	}
}
