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

	"agent/internal/llm/phrase"
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
	Path  string `json:"path,omitempty" jsonschema:"the directory to list; the working directory if it is not given"`
	Depth int    `json:"depth,omitempty" jsonschema:"how many levels of directories to show; 2 if it is not given"`
}

func listTool(w *workspace.Workspace) Tool {
	return New("list", listText, func(_ context.Context, a listArgs) (Call, error) {
		at, err := w.Find(a.Path)
		if err != nil {
			return Call{}, err
		}
		if !at.Info.IsDir() {
			return Call{}, fmt.Errorf("%s is a file: use read to see what is in it", a.Path)
		}
		depth := defaultDepth
		if a.Depth > 0 {
			depth = min(a.Depth, maxDepth)
		}
		return readCall("list "+at.Name(), at, func(ctx context.Context, _ Approved) (Result, error) {
			return list(ctx, at, depth)
		}), nil
	})
}

// list shows a directory as an indented tree.
func list(ctx context.Context, at workspace.Place, depth int) (Result, error) {
	l, err := tree(at).List(ctx, at.Path, depth, maxEntries)
	if err != nil {
		return Result{}, failed(ctx, "list "+at.Name(), err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s/\n", spelled(at.Name()))
	for _, e := range l.Entries {
		fmt.Fprintf(&b, "%s%s%s\n", strings.Repeat("  ", e.Depth+1), spelled(e.Name), mark(e.Mode, e.Target))
	}
	n := len(l.Entries) + l.More
	switch {
	case n == 0 && l.Ignored == 0:
		b.WriteString("(empty)\n")
	case l.Limits.Large > 0:
		fmt.Fprintf(&b, "(at least %s more not shown: there are too many to read and sort all of them, so others may come earlier by name. Use glob with a narrow pattern)\n", phrase.Count(max(l.More, 1), "entry"))
	case l.More > 0:
		fmt.Fprintf(&b, "(%s more not shown; list a directory further down, or with a smaller depth)\n", phrase.Count(l.More, "entry"))
	}
	if l.Ignored > 0 {
		fmt.Fprintf(&b, "(%s ignored, not shown)\n", phrase.Count(l.Ignored, "entry"))
	}
	summary := phrase.Count(n, "entry")
	if l.Limits.Large > 0 {
		summary = "at least " + summary
		l.Limits.Large = 0 // said above
	}
	b.WriteString(limited(l.Limits, "listed"))
	return Result{Text: b.String(), Summary: summary + inShort(l.Limits)}, nil
}

// mark is what follows a name to say what it is, unless it is a file.
func mark(m fs.FileMode, target string) string {
	switch {
	case m.IsDir():
		return "/"
	case m&fs.ModeSymlink != 0:
		return " -> " + spelled(target)
	case !m.IsRegular():
		return " (" + workspace.Kind(m) + ")"
	}
	return ""
}

// spelled is a name as it stands on a line: quoted where it holds what could be
// taken for something else than a name.
func spelled(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}
