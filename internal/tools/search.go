package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/llm/phrase"
	"agent/internal/tools/search"
	"agent/internal/tools/workspace"
)

//go:embed search.md
var searchText string

// The limits of one search.
const (
	defaultResults = 100
	maxResults     = 1000
	maxContext     = 20
	maxOutput      = 50_000 // bytes
	// searchPatience is how long the rest is counted once enough was found.
	searchPatience = 5 * time.Second
	maxNearTypes   = 3
)

type searchArgs struct {
	Pattern    string `json:"pattern" jsonschema:"a regular expression in RE2 syntax, matched line by line"`
	Path       string `json:"path,omitempty" jsonschema:"the file or directory to search; the working directory if it is not given"`
	Glob       string `json:"glob,omitempty" jsonschema:"only files that match this, such as *.go, *.{ts,tsx} or src/**/*.py"`
	Type       string `json:"type,omitempty" jsonschema:"only files of this type, such as go, py, js, ts, rust, java, c, cpp, md, json, yaml"`
	Context    int    `json:"context,omitempty" jsonschema:"lines to show before and after each match"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"letters match in upper and lower case"`
	Multiline  bool   `json:"multiline,omitempty" jsonschema:"a match may span lines: \\n and \\s match a newline, and a dot after (?s)"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"matches to show at most; 100 if it is not given"`
}

func searchTool(w *workspace.Workspace) Tool {
	return New("search", searchText, func(_ context.Context, a searchArgs) (Call, error) {
		q, err := search.Compile(a.Pattern, search.Syntax{IgnoreCase: a.IgnoreCase, Multiline: a.Multiline})
		if err != nil {
			return Call{}, err
		}
		if a.Context < 0 || a.MaxResults < 0 {
			return Call{}, errors.New("context and max_results must not be negative")
		}
		at, err := w.Find(a.Path)
		if err != nil {
			return Call{}, err
		}
		match, err := filter(a.Glob, a.Type, at.Path)
		if err != nil {
			return Call{}, err
		}
		o := search.Options{Match: match, Max: defaultResults, Context: min(a.Context, maxContext), Patience: searchPatience}
		if a.MaxResults > 0 {
			o.Max = min(a.MaxResults, maxResults)
		}
		title := `search "` + strings.ReplaceAll(a.Pattern, "\n", `\n`) + `"` + in(a.kinds(), at.Name())
		return readCall(title, at, func(ctx context.Context, ok Approved) (Result, error) {
			o.Found = tell(at, ok.Progress, o.Max)
			r, err := tree(at).Grep(ctx, at.Path, q, o)
			if err != nil {
				return Result{}, failed(ctx, "search "+at.Name(), err)
			}
			return searched(at, r, a, o.Max), nil
		}), nil
	})
}

// kinds names the files that are searched, "" for all.
func (a searchArgs) kinds() string {
	switch {
	case a.Type == "":
		return a.Glob
	case a.Glob == "":
		return a.Type + " files"
	}
	return a.Type + " files, " + a.Glob
}

// tree is what is searched from a place on: of the workspace without what git
// ignores, of the outputs everything.
func tree(at workspace.Place) *search.Tree {
	root, outputs := at.Root()
	if outputs {
		return search.Whole(root)
	}
	return search.New(root, root.Name()).Hide(at.Hidden())
}

// NewIndex returns an index of the names in the workspace. The caller closes it
// before the workspace.
func NewIndex(w *workspace.Workspace) *search.Index { return search.NewIndex(tree(w.Top())) }

// filter returns what decides whether a file is searched: by its type, and by
// glob, which is about its name or, if it holds a slash, its path from the
// working directory or from start. It returns nil if all are.
func filter(glob, kind, start string) (func(p string) bool, error) {
	byType, err := ofType(kind)
	if err != nil || glob == "" {
		return byType, err
	}
	glob = strings.TrimPrefix(glob, "./")
	if costly(glob) {
		return nil, tooCostly(glob)
	}
	if !doublestar.ValidatePattern(glob) {
		return nil, fmt.Errorf("the glob %s is malformed: use such as *.go, *.{ts,tsx} or src/**/*.py", glob)
	}
	whole := strings.Contains(glob, "/")
	return func(p string) bool {
		switch {
		case byType != nil && !byType(p):
			return false
		case !whole:
			return doublestar.MatchUnvalidated(glob, path.Base(p))
		}
		return doublestar.MatchUnvalidated(glob, p) || doublestar.MatchUnvalidated(glob, below(start, p))
	}, nil
}

// ofType returns what tells whether a file is of a type, nil for any.
func ofType(kind string) (func(p string) bool, error) {
	kind = strings.TrimLeft(kind, "*.")
	if kind == "" {
		return nil, nil
	}
	if is := search.OfType(kind); is != nil {
		return func(p string) bool { return is(path.Base(p)) }, nil
	}
	var near []string
	for _, name := range search.FileTypes() {
		if phrase.Distance(name, strings.ToLower(kind)) <= max(len(kind)/3, 1) {
			near = append(near, name)
		}
	}
	msg := fmt.Sprintf("there is no type of file called %s: use glob, such as *.%s", kind, kind)
	if len(near) > 0 {
		return nil, fmt.Errorf("%s, or a near name: %s", msg, strings.Join(near[:min(len(near), maxNearTypes)], ", "))
	}
	return nil, fmt.Errorf("%s. Types are %s", msg, strings.Join(search.FileTypes(), ", "))
}

// below is p relative to the directory start, in which it is.
func below(start, p string) string {
	if start == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, start), "/")
}

// in says where a search looks, for titles: in which files, below which
// directory.
func in(files, dir string) string {
	switch {
	case files != "" && dir != ".":
		return " in " + files + " below " + dir
	case files != "":
		return " in " + files
	case dir != ".":
		return " in " + dir
	}
	return ""
}

// failed is the error of a call that could not do its work; the end of ctx is
// passed on as it is.
func failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", what, workspace.Cause(err))
}
