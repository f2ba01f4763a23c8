package main

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// areas are the groups of packages in the table, by the directory that they are in. A
// package is in the first one that contains it.
var areas = []struct{ dir, title string }{
	{"cmd/agent", "The program"}, {"internal/tui", "The screen"}, {"internal/loop", "The agent"}, {"internal/tools", "Tools"},
	{"internal/llm", "Models"}, {"internal/history", "Stored sessions"}, {"internal", "Small packages that others share"},
}

// packageTable lists all packages of this module with the first sentences of their
// comments, by area.
func packageTable(t *testing.T) string {
	t.Helper()
	comments := packageComments(t)
	dirs := map[string][]string{}
	for dir := range comments {
		for _, a := range areas {
			if dir == a.dir || strings.HasPrefix(dir, a.dir+"/") {
				dirs[a.dir] = append(dirs[a.dir], dir)
				break
			}
		}
	}
	var b strings.Builder
	for _, a := range areas {
		fmt.Fprintf(&b, "\n### %s\n\n| package | contents |\n|---|---|\n", a.title)
		slices.Sort(dirs[a.dir])
		for _, dir := range dirs[a.dir] {
			fmt.Fprintf(&b, "| `%s` | %s |\n", dir, cell(summary(t, dir, comments[dir])))
		}
	}
	return b.String()
}

// packageComments returns the comments of all packages of this module, by directory. It
// fails for a package without one, or with several.
func packageComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := path.Dir(strings.TrimPrefix(filepath.ToSlash(file), "../../"))
		if text := f.Doc.Text(); text != "" && comments[dir] != "" {
			t.Errorf("the package %s has several comments", dir)
		} else if comments[dir] == "" {
			comments[dir] = text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return comments
}

// address is a web address between parentheses, in which it may be the last of several
// items.
var address = regexp.MustCompile(` \(https?://[^)]*\)|, https?://[^)]*`)

// longest is the number of characters that a summary may have.
const longest = 130

// summary returns the first sentence of a package comment without its subject. Of a long
// sentence it returns the part before the colon.
func summary(t *testing.T, dir, comment string) string {
	t.Helper()
	subject := "Package " + path.Base(dir) + " "
	if dir == "cmd/agent" {
		subject = "Agent "
	}
	text, ok := strings.CutPrefix(new(doc.Package).Synopsis(comment), subject)
	if !ok {
		t.Errorf("the package %s has no comment that begins with %q", dir, subject)
		return ""
	}
	text = strings.TrimSuffix(address.ReplaceAllString(strings.TrimPrefix(text, "is "), ""), ".")
	if len(text) > longest {
		text, _, _ = strings.Cut(text, ": ")
	}
	if len(text) > longest {
		t.Errorf("the first sentence of the comment of package %s has %d characters: at most %d", dir, len(text), longest)
	}
	return text
}
