package markdown_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
)

// A table keeps every character of its cells at any width, and breaks no word at a hyphen.
func TestTablesKeepHyphens(t *testing.T) {
	const cell = "the file: a-z, 0-9, `-` and `_`, not `--no-session`, and - or -- or a- b [x-y](https://a-b.example/c-d)"
	const want = "thefile:a-z,0-9,`-`and`_`,not`--no-session`,and-or--ora-bx-y(https://a-b.example/c-d)"
	for width := 24; width <= 140; width++ {
		m := markdown.New(ink.Look{NoColor: true}.Styles())
		m.SetText("| k | v |\n|---|---|\n| x | " + cell + " |\n")
		m.Finish()
		text := ansi.Strip(strings.Join(m.Lines(width), "\n"))
		var got strings.Builder
		for line := range strings.Lines(text) {
			_, column, _ := strings.Cut(line, "│")
			got.WriteString(strings.TrimSpace(column))
		}
		if all := strings.ReplaceAll(strings.TrimPrefix(got.String(), "v"), " ", ""); all != want {
			t.Errorf("at %d columns:\n%s", width, text)
		}
		if !strings.Contains(text, "--no-session") {
			t.Errorf("at %d columns a word is broken:\n%s", width, text)
		}
	}
}
