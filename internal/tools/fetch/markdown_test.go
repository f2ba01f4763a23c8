package fetch_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "update the wanted Markdown in testdata")

// Each archive in testdata holds a page and its Markdown.
func TestMarkdown(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives, %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, base, err := get(t, send("text/html; charset=utf-8", string(a.Files[0].Data)), "/docs/page.html?v=1")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(p.Text, base, "http://host")
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "page.md", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(got, string(a.Files[1].Data)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A page that expands to a huge document takes little time and has small output.
func TestHostilePages(t *testing.T) {
	const rest = 200 << 10
	fill := func(unit string) string { return strings.Repeat(unit, rest/len(unit)) }
	for name, page := range map[string]string{
		"too deep":        fill("<b>a"),
		"deep quotations": strings.Repeat("<blockquote>", 400) + fill("a<br>"),
		"deep lists":      strings.Repeat("<ul><li>", 200) + fill("<p>a"),
		"wide table":      "<table><tr>" + strings.Repeat("<td>a", 8000) + strings.Repeat("<tr><td>a", 8000),
		"wide cells":      "<table>" + fill("<tr><td colspan=100000 rowspan=100000>a"),
	} {
		p, _, err := get(t, send("text/html", page), "/")
		if err != nil || len(p.Text) > 4<<20 || !strings.Contains(p.Text, "a") {
			t.Errorf("%s: %d bytes, %v", name, len(p.Text), err)
		}
	}
	p, _, err := get(t, send("text/html", strings.Repeat("a<br>", 130_000)), "/")
	if err != nil || !p.Cut {
		t.Errorf("more nodes than are kept: cut %t, %v", p.Cut, err)
	}
}
