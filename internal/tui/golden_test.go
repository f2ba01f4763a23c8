package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateGoldens = flag.Bool("update", false, "write the goldens of markdown and diffs anew")

// looks are the terminals that goldens are drawn for.
var looks = map[string]*Styles{
	"dark":    look{dark: true}.styles(),
	"light":   look{}.styles(),
	"nocolor": look{dark: true, noColor: true}.styles(),
	"painted": look{theme: "dark", dark: true}.styles(),
}

// checkGolden compares lines with a golden in which ESC and BEL are signs that
// Sanitize does not write.
func checkGolden(t *testing.T, file string, lines []string) {
	t.Helper()
	got := strings.NewReplacer("\x1b", "⎋", "\a", "⍾").Replace(strings.Join(lines, "\n")) + "\n"
	if *updateGoldens {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(got, string(want)); diff != "" {
		t.Errorf("%s (-got +want):\n%s", file, diff)
	}
}

func TestMarkdownGoldens(t *testing.T) {
	for _, source := range corpus(t) {
		for look, st := range looks {
			for _, width := range []int{40, 80, 120} {
				if look != "dark" && width != 80 {
					continue
				}
				m := NewMarkdown(st)
				m.SetText(source.text)
				m.Finish()
				name := fmt.Sprintf("%s.%d.%s.golden", source.name, width, look)
				checkGolden(t, filepath.Join("testdata", "markdown", name), m.Lines(width))
			}
		}
	}
}

// markdownFile is a file of testdata/markdown.
type markdownFile struct{ name, text string }

func corpus(t testing.TB) []markdownFile {
	t.Helper()
	files, err := filepath.Glob("testdata/markdown/*.md")
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
