package tools

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
	"agent/internal/tools/workspace"
)

//go:embed list.md
var listText string

// The limits of one listing.
const (
	defaultDepth = 2
	maxDepth     = 10
	maxEntries   = 500
)

type listArgs struct {
	Path  string `json:"path,omitempty"`
	Depth int    `json:"depth,omitempty" jsonschema:"levels (default 2)"`
}

func listTool(w *workspace.Workspace) Tool {
	return New("list", listText, func(_ context.Context, a listArgs) (Call, error) {
		at, err := w.Find(a.Path)
		if err != nil {
			return Call{}, err
		}
		if !at.Info.IsDir() {
			return Call{}, advice.Add(fmt.Errorf("%s is a file", a.Path), "Use read to see its content")
		}
		depth := defaultDepth
		if a.Depth > 0 {
			depth = a.Depth
		}
		return readCall("list "+at.Name(), at, func(ctx context.Context, _ Approved) (Result, error) {
			return list(ctx, at, depth)
		}), nil
	}, intake.Form{
		Names:   []string{"ls", "list_dir", "list_directory", "list_files", "directory_tree"},
		Aliases: map[string][]string{"path": dirAliases(), "depth": {"max_depth"}},
		Paths:   []string{"path"}, Exists: exists(w), Ranges: map[string]intake.Range{"depth": {Max: maxDepth}},
		ReadOnly: true,
	})
}

// list returns a directory as an indented tree.
func list(ctx context.Context, at workspace.Place, depth int) (Result, error) {
	tree, done, err := searchTree(at)
	if err != nil {
		return Result{}, err
	}
	defer done()
	l, err := tree.List(ctx, at.Path, depth, maxEntries)
	if err != nil {
		return Result{}, wrapError(ctx, "list "+at.Name(), err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s/\n", quoteName(at.Name()))
	for _, e := range l.Entries {
		fmt.Fprintf(&b, "%s%s%s\n", strings.Repeat("  ", e.Depth+1), quoteName(e.Name), typeSuffix(e.Mode, e.Target))
	}
	n := len(l.Entries) + l.More
	switch {
	case n == 0 && l.Ignored == 0:
		b.WriteString("(empty)\n")
	case l.Limits.Large > 0:
		b.WriteString(marker.Note("at least %s more: the directory is too large to sort, so entries may be missing anywhere; use glob with a narrow pattern", phrase.Count(max(l.More, 1), "entry")) + "\n")
	case l.More > 0:
		b.WriteString(marker.Note("%s more; list a subdirectory, or use a smaller depth", phrase.Count(l.More, "entry")) + "\n")
	}
	if l.Ignored > 0 {
		fmt.Fprintf(&b, "(%s ignored, not shown)\n", phrase.Count(l.Ignored, "entry"))
	}
	summary := phrase.Count(n, "entry")
	if l.Limits.Large > 0 {
		summary = "at least " + summary
		l.Limits.Large = 0 // already in the text
	}
	b.WriteString(limitsNote(l.Limits, "listed"))
	return Result{Text: b.String(), Summary: summary + limitsSummary(l.Limits)}, nil
}

// typeSuffix returns the suffix that shows the type of an entry; empty for a
// regular file.
func typeSuffix(m fs.FileMode, target string) string {
	switch {
	case m.IsDir():
		return "/"
	case m&fs.ModeSymlink != 0:
		return " -> " + quoteName(target)
	case !m.IsRegular():
		return " (" + workspace.Kind(m) + ")"
	}
	return ""
}

// quoteName quotes a name that contains control characters or invalid UTF-8.
func quoteName(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}
