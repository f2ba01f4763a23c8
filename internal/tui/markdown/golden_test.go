package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/tui/ink/inktest"
)

func TestGoldens(t *testing.T) {
	for _, source := range corpus(t) {
		for look, st := range inktest.Looks {
			for _, width := range []int{40, 80, 120} {
				if look != "dark" && width != 80 {
					continue
				}
				m := New(st)
				m.SetText(source.text)
				m.Finish()
				name := fmt.Sprintf("%s.%d.%s.golden", source.name, width, look)
				inktest.CheckGolden(t, filepath.Join("testdata", name), m.Lines(width))
			}
		}
	}
}

// markdownFile is a file of testdata/markdown.
type markdownFile struct{ name, text string }

func corpus(t testing.TB) []markdownFile {
	t.Helper()
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no markdown to draw: %v", err)
	}
	var out []markdownFile
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, markdownFile{strings.TrimSuffix(filepath.Base(file), ".md"), string(text)})
	}
	return out
}
