package tools

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
	"agent/internal/tools/workspace"
)

//go:embed glob.md
var globText string

// maxGlob is how many files a glob returns.
const maxGlob = 200

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty"`
}

func globTool(w *workspace.Workspace) Tool {
	return New("glob", globText, func(_ context.Context, a globArgs) (Call, error) {
		at, err := w.Find(a.Path)
		if err != nil {
			return Call{}, err
		}
		match, err := globMatcher(a.Pattern, at.Path)
		if err != nil {
			return Call{}, err
		}
		return readCall("glob "+strings.TrimPrefix(a.Pattern, "./")+scopeSuffix("", at.Name()), at, func(ctx context.Context, _ Approved) (Result, error) {
			return globFiles(ctx, at, a.Pattern, match)
		}), nil
	}, intake.Form{
		Names: []string{"find", "find_file", "find_files", "glob_files", "file_search", "find_by_name"},
		Aliases: map[string][]string{
			"pattern": {"glob", "glob_pattern", "file_pattern", "query", "file_name", "name"},
			"path":    {"dir", "dir_path", "directory", "folder", "target_directory", "search_directory", "search_path", "root"},
		},
		Paths: []string{"path"}, Exists: exists(w), ReadOnly: true,
	})
}

// globMatcher returns the predicate for the paths, relative to the workspace, that a
// glob below the directory start matches. A glob without a slash matches file
// names; one with a slash matches paths relative to the workspace or to start.
func globMatcher(glob, start string) (func(p string) bool, error) {
	pattern := strings.TrimPrefix(glob, "./")
	switch {
	case tooComplex(pattern):
		return nil, complexityError(glob)
	case filepath.IsAbs(pattern) || strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "../"):
		return nil, advice.Add(fmt.Errorf("the glob %s is not relative to the directory", glob), "Give a glob relative to path, and in path a directory inside the working directory")
	case pattern == "" || !doublestar.ValidatePattern(pattern):
		return nil, advice.Add(fmt.Errorf("the glob %q is malformed", glob), "Examples: *.go, *.{ts,tsx}, src/**/*.py")
	}
	// Names that only look the same match, too.
	folded := workspace.Fold(pattern)
	matches := func(p string) bool {
		if doublestar.MatchUnvalidated(pattern, p) {
			return true
		}
		like := workspace.Fold(p)
		return (folded != pattern || like != p) && doublestar.MatchUnvalidated(folded, like)
	}
	if !strings.Contains(glob, "/") {
		return func(p string) bool { return matches(path.Base(p)) }, nil
	}
	return func(p string) bool { return matches(p) || matches(relativeTo(start, p)) }, nil
}

func globFiles(ctx context.Context, at workspace.Place, pattern string, match func(p string) bool) (Result, error) {
	tree, done, err := searchTree(at)
	if err != nil {
		return Result{}, err
	}
	defer done()
	found, err := tree.Find(ctx, at.Path, match)
	if err != nil {
		return Result{}, wrapError(ctx, "glob "+at.Name(), err)
	}
	var b strings.Builder
	for _, f := range found.Files[:min(len(found.Files), maxGlob)] {
		b.WriteString(quoteName(at.Show(f.Path)) + "\n")
	}
	n := len(found.Files)
	switch {
	case n == 0:
		b.WriteString("No file matches. Files that git ignores are not included.\n")
		if !strings.ContainsAny(pattern, "*?[{/") {
			fmt.Fprintf(&b, "The whole name must match; *%s* also finds names that contain it. Use list for directories.\n", pattern)
		}
	case n > maxGlob:
		b.WriteString(marker.Note("%d more files; the %d most recently changed are shown, narrow the pattern to see the others", n-maxGlob, maxGlob) + "\n")
	}
	b.WriteString(unreadableNote(found.Unreadable))
	b.WriteString(limitsNote(found.Limits, "searched"))
	return Result{Text: b.String(), Summary: phrase.Count(n, "file") + limitsSummary(found.Limits)}, nil
}

// The limits of a glob: its length in bytes, and the number of patterns after
// brace expansion.
const (
	maxGlobPattern  = 1000
	maxAlternatives = 1000
)

// tooComplex reports whether matching a glob could take long. Every pair of
// braces multiplies the number of patterns.
func tooComplex(pattern string) bool {
	if len(pattern) > maxGlobPattern {
		return true
	}
	all := 1
	var open []int // number of alternatives of each open brace
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

// complexityError returns the error for a glob that is too complex.
func complexityError(pattern string) error {
	return advice.Add(fmt.Errorf("the pattern %s expands to more than %d patterns or is longer than %d bytes", phrase.Clip(pattern, 200), maxAlternatives, maxGlobPattern),
		"Use fewer braces, or several calls")
}
