package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agent/internal/loop/event"
)

// handles are the places that handle every durable event, and the events that they
// ignore, with the reasons.
var handles = []struct {
	what    string
	files   string // globs, without tests
	ignored map[string]string
}{
	{"drawn", "tui/*.go tui/transcript/*.go", map[string]string{
		"ShellTold": "the output of the command is on the screen already",
		"Prefix":    "the user sees it with agent inspect",
	}},
	{"exported", "loop/export/*.go", map[string]string{"Rewound": "rewound events are not exported"}},
	{"folded", "loop/session/*.go", map[string]string{}},
}

// A new durable event is drawn, exported and folded, or listed above.
func TestEveryEventIsHandled(t *testing.T) {
	for _, h := range handles {
		seen := casesIn(t, h.files)
		for _, name := range event.DurableNames() {
			typ := reflect.TypeOf(event.Blank(name)).Elem().Name()
			_, ignored := h.ignored[typ]
			switch {
			case !seen[typ] && !ignored:
				t.Errorf("%s is not %s: add a case in %s, or list it as ignored with the reason", typ, h.what, h.files)
			case seen[typ] && ignored:
				t.Errorf("%s is %s, but listed as ignored", typ, h.what)
			}
		}
	}
}

// casesIn returns the names of the durable events that the type switches and type
// assertions of the files mention.
func casesIn(t *testing.T, globs string) map[string]bool {
	t.Helper()
	var files []string
	for _, glob := range strings.Fields(globs) {
		found, err := filepath.Glob(glob)
		if err != nil || len(found) == 0 {
			t.Fatalf("no files match %s: %v", glob, err)
		}
		files = append(files, found...)
	}
	seen := map[string]bool{}
	for _, file := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CaseClause:
				for _, x := range n.List {
					note(seen, x)
				}
			case *ast.TypeAssertExpr:
				note(seen, n.Type)
			}
			return true
		})
	}
	return seen
}

// note adds the X of *event.X.
func note(seen map[string]bool, x ast.Expr) {
	star, ok := x.(*ast.StarExpr)
	if !ok {
		return
	}
	if sel, ok := star.X.(*ast.SelectorExpr); ok {
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "event" {
			seen[sel.Sel.Name] = true
		}
	}
}
