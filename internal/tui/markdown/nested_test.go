package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	extast "github.com/yuin/goldmark/extension/ast"

	"agent/internal/tui/ink/inktest"
)

// Blocks nest at most maxDepth deep, tables have at most maxColumns columns, and no
// text is lost.
func TestNestingIsBounded(t *testing.T) {
	steps := func() string {
		var b strings.Builder
		for i := range 120 {
			b.WriteString(strings.Repeat("  ", i) + "- deep\n")
		}
		return b.String()
	}()
	wide := strings.Repeat("|a", 1000) + "|\n" + strings.Repeat("|-", 1000) + "|\n" + strings.Repeat("|deep\n", 1000)
	for name, src := range map[string]string{
		"quotes":          strings.Repeat("> ", 2000) + "deep\n",
		"lists":           strings.Repeat("- ", 2000) + "deep\n",
		"numbers":         strings.Repeat("1. ", 2000) + "deep\n",
		"quotes of lists": strings.Repeat("> - ", 2000) + "deep\n",
		"steps":           steps,
		"behind code":     "    ```\n\n" + strings.Repeat("> ", 2000) + "deep\n",
		"wide table":      wide,
	} {
		t.Run(name, func(t *testing.T) {
			deepest, columns := 0, 0
			_ = ast.Walk(newParser().Parse(text.NewReader([]byte(src))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if entering {
					deepest = max(deepest, nesting(n))
					if table, ok := n.(*extast.Table); ok {
						columns = max(columns, len(table.Alignments))
					}
				}
				return ast.WalkContinue, nil
			})
			if deepest > maxDepth || columns > maxColumns {
				t.Errorf("it is %d deep and has %d columns", deepest, columns)
			}
			m := New(inktest.Looks["dark"])
			m.Append(src)
			began := time.Now()
			m.Lines(100)
			m.Finish()
			lines := m.Lines(100)
			inktest.CheckLines(t, lines, 100)
			if !strings.Contains(strings.Join(lines, "\n"), "deep") {
				t.Error("the text is gone")
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// Code blocks of a text that is too long to be parsed are found as in a short one.
func TestCodeBlocksOfALongText(t *testing.T) {
	code := "Look:\n\n```go\nx := 1\n```\n\n~~~\n```\n~~~\n\nand\n\n````\n```\nopen\n"
	long := strings.Repeat("| a | b |\n", 20_000) + "\n"
	for name, text := range map[string]string{"short": code, "long": long + code} {
		got := strings.Join(CodeBlocks(text), "|")
		if want := "x := 1\n|```\n|```\nopen\n"; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// nesting counts the quotes and lists that n lies in.
func nesting(n ast.Node) int {
	depth := 0
	for ; n != nil; n = n.Parent() {
		if k := n.Kind(); k == ast.KindBlockquote || k == ast.KindList {
			depth++
		}
	}
	return depth
}
