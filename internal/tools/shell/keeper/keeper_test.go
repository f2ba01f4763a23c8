package keeper_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ready are packages that are initialised before any but those of the standard
// library that everything needs.
var ready = []string{"bytes", "errors", "os", "strconv", "sync", "syscall", "unsafe"}

func TestNothingIsImportedThatIsReadyLate(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); !slices.Contains(ready, path) {
				t.Errorf("%s imports %s: see with GODEBUG=inittrace=1 whether a keeper still begins at once, and add it here if it does", file, path)
			}
		}
	}
}
