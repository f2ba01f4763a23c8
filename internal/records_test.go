package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// decode are the packages that decode records. session reads all stored sessions; importer
// reads files of other programs and machines.
var decode = []string{"internal/loop/session", "internal/loop/export/importer"}

// Every other package reads the events of a session with package session.
func TestSessionsAreReadInOnePlace(t *testing.T) {
	var found []string
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && isName(s.X, "event") && slices.Contains([]string{"Decode", "NameIn"}, s.Sel.Name) {
				found = append(found, strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), "../"))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	for _, dir := range slices.Compact(found) {
		if !slices.Contains(decode, dir) {
			t.Errorf("%s decodes records: read events with package session", dir)
		}
	}
	for _, dir := range decode {
		if !slices.Contains(found, dir) {
			t.Errorf("%s is listed but decodes no records", dir)
		}
	}
}

// isName reports whether x is the identifier name.
func isName(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}
