package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// With the ASCII option the program draws only ASCII, in the same layout.
func TestASCII(t *testing.T) {
	d, other := newDriver(t, 80, 24, screen.Options{Appearance: screen.Appearance{ASCII: true}}), newDriver(t, 80, 24, screen.Options{})
	play := func(f func(*driver)) { f(d); f(other) }
	check := func(name string) {
		t.Helper()
		if i := strings.IndexFunc(d.screen(), func(r rune) bool { return r > 0x7e && r != '▌' }); i >= 0 {
			t.Errorf("%s: drew %q, which is not ASCII", name, d.screen()[i:i+4])
		}
		for i, l := range strings.Split(d.screen(), "\n") {
			if want := strings.Split(other.screen(), "\n")[i]; len([]rune(l)) != len([]rune(want)) {
				t.Errorf("%s: line %d has another width:\n%s\n%s", name, i, l, want)
			}
		}
	}
	play(func(d *driver) { d.events(asked()...) })
	d.golden("ascii-ask")
	check("ask")
	play(func(d *driver) {
		d.armDialog()
		d.press("1")
		d.events(answered()...)
		d.advance(300 * time.Millisecond)
	})
	d.golden("ascii-running")
	check("running")
	play(func(d *driver) {
		d.events(closing()[:2]...)
		d.events(streamed("r9", "- one\n  - two\n\n> said\n\n---\n\n| a | b |\n|---|---|\n| c | d |\n\nmore"))
		d.advance(300 * time.Millisecond)
	})
	d.golden("ascii-streaming")
	check("streaming")
	play(func(d *driver) { d.press("?") })
	check("help")
	play(func(d *driver) { d.press("q"); d.events(closing()...); d.typeText("/theme"); d.press("enter") })
	check("themes")
}

// The ASCII option does not change text of the user and the model.
func TestASCIIKeepsText(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Appearance: screen.Appearance{ASCII: true}})
	d.events(userSaid("größer"), done(llm.Assistant, "r", "日本語 👩‍👩‍👧"), turnEnd(event.Done, time.Second))
	for _, want := range []string{"> größer", "日本語 👩‍👩‍👧"} {
		if !strings.Contains(d.screen(), want) {
			t.Errorf("%q is missing:\n%s", want, d.screen())
		}
	}
}

// Every non-ASCII character in the program's own strings has an ASCII replacement.
func TestEveryMarkHasAnASCIIReplacement(t *testing.T) {
	// These functions only search for such characters in other text.
	found := []string{"breaksBefore", "step", "picture", "asciiReplacements"}
	letters := ink.Look{ASCII: true}.Styles().Letters
	var files []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if d.IsDir() && (d.Name() == "terminal" || d.Name() == "inktest") { // these packages draw nothing
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FuncDecl); ok {
				for _, f := range found {
					if fn.Name.Name == f {
						return false
					}
				}
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || strings.Contains(lit.Value, `\u`) {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			for _, r := range letters.Write(text) {
				if r > 0x7e {
					t.Errorf("%s draws %q, which has no replacement in the table of ascii.go", name, r)
				}
			}
			return true
		})
	}
}
