package tools

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/llm/phrase"
	"agent/internal/tools/workspace"
)

//go:embed glob.md
var globText string

// maxGlob is how many files a glob shows.
const maxGlob = 200

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"the pattern a path must match, such as *.go, **/*_test.go or cmd/**/*.{go,md}"`
	Path    string `json:"path,omitempty" jsonschema:"the directory that the pattern is relative to; the working directory if it is not given"`
}

func globTool(w *workspace.Workspace) Tool {
	return New("glob", globText, func(_ context.Context, a globArgs) (Call, error) {
		pattern := strings.TrimPrefix(a.Pattern, "./")
		switch {
		case costly(pattern):
			return Call{}, tooCostly(a.Pattern)
		case pattern == "" || !doublestar.ValidatePattern(pattern):
			return Call{}, fmt.Errorf("the pattern %q is malformed: use such as *.go, **/*_test.go or cmd/**/*.{go,md}", a.Pattern)
		case filepath.IsAbs(pattern) || strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "../"):
			return Call{}, fmt.Errorf("the pattern %s leaves the directory: give one relative to path, and in path a directory inside the working directory", pattern)
		}
		at, err := w.Find(a.Path)
		if err != nil {
			return Call{}, err
		}
		return readCall("glob "+pattern+in("", at.Name()), at, func(ctx context.Context, _ Approved) (Result, error) {
			return globFiles(ctx, at, pattern)
		}), nil
	})
}

func globFiles(ctx context.Context, at workspace.Place, pattern string) (Result, error) {
	found, err := tree(at).Find(ctx, at.Path, func(file string) bool {
		return doublestar.MatchUnvalidated(pattern, below(at.Path, file))
	})
	if err != nil {
		return Result{}, failed(ctx, "glob "+at.Name(), err)
	}
	var b strings.Builder
	for _, f := range found.Files[:min(len(found.Files), maxGlob)] {
		b.WriteString(spelled(at.Show(f.Path)) + "\n")
	}
	n := len(found.Files)
	switch {
	case n == 0 && !strings.Contains(pattern, "/"):
		fmt.Fprintf(&b, "No file matches. %s looks in one directory only: use **/%s to look below it too.\n", pattern, pattern)
	case n == 0:
		b.WriteString("No file matches. What git ignores is not looked at.\n")
	case n > maxGlob:
		fmt.Fprintf(&b, "(%d more; shown are the %d changed most recently. Narrow the pattern to see the others)\n", n-maxGlob, maxGlob)
	}
	b.WriteString(unreadable(found.Unreadable))
	b.WriteString(limited(found.Limits, "searched"))
	return Result{Text: b.String(), Summary: phrase.Count(n, "file") + inShort(found.Limits)}, nil
}

// The limits of a glob: its length in bytes, and how many patterns without
// braces it stands for.
const (
	maxGlobPattern  = 1000
	maxAlternatives = 1000
)

// costly reports whether comparing a glob with a path could take long. Each
// pair of braces multiplies the patterns that are compared.
func costly(pattern string) bool {
	if len(pattern) > maxGlobPattern {
		return true
	}
	all := 1
	var open []int // the alternatives of each pair of braces that is open
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			if all *= open[len(open)-1]; all > maxAlternatives {
				return true
			}
			open = open[:len(open)-1]
		}
	}
	return false
}

// tooCostly is the error for a glob that is costly.
func tooCostly(pattern string) error {
	return fmt.Errorf("the pattern %s stands for more than %d patterns or is longer than %d bytes: use fewer braces, or several calls",
		phrase.Clip(pattern, 200), maxAlternatives, maxGlobPattern)
}
