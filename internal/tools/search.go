package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
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
	defaultOutput  = 8 << 10 // bytes
	maxOutput      = 50_000  // bytes, with max_results
	// searchPatience is how long the remaining matches are counted once max_results
	// were found.
	searchPatience = 5 * time.Second
	// literalPatience is how long the lines with the literal text of a pattern are counted.
	literalPatience = time.Second
	maxSimilarTypes = 3
)

type searchArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path,omitempty" jsonschema:"file or directory (default: the working directory)"`
	Glob       string `json:"glob,omitempty" jsonschema:"such as *.{ts,tsx} or src/**/*.py"`
	Type       string `json:"type,omitempty" jsonschema:"such as go, py, rust"`
	Context    int    `json:"context,omitempty" jsonschema:"lines around each match"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Multiline  bool   `json:"multiline,omitempty"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"default 100"`
}

func searchTool(w *workspace.Workspace) Tool {
	return New("search", searchText, func(_ context.Context, a searchArgs) (Call, error) {
		q, invalid := a.query()
		if q == nil {
			return Call{}, invalid
		}
		at, err := w.Find(a.Path)
		if err != nil {
			return Call{}, err
		}
		match, err := fileFilter(a.Glob, a.Type, at.Path)
		if err != nil {
			return Call{}, err
		}
		o := search.Options{Match: match, Max: defaultResults, Context: a.Context, Patience: searchPatience}
		if a.MaxResults > 0 {
			o.Max = a.MaxResults
		}
		title := `search "` + strings.ReplaceAll(a.Pattern, "\n", `\n`) + `"` + scopeSuffix(a.fileScope(), at.Name())
		return readCall(title, at, func(ctx context.Context, ok Approved) (Result, error) {
			o.Found = showMatches(at, ok.Progress, o.Max)
			tree, done, err := searchTree(at)
			if err != nil {
				return Result{}, err
			}
			defer done()
			r, err := tree.Grep(ctx, at.Path, q, o)
			if err != nil {
				return Result{}, wrapError(ctx, "search "+at.Name(), err)
			}
			out := searchResult(at, r, a, o.Max)
			switch {
			case r.InFiles == 0 && invalid != nil && ctx.Err() == nil:
				return Result{}, invalid
			case r.InFiles == 0:
				out.Text += a.literalNote(ctx, tree, at.Path, match)
			case invalid != nil:
				out.Text = literalSearch + out.Text
			}
			return out, ctx.Err()
		}), nil
	}, intake.Form{
		Names: []string{"grep", "grep_search", "grep_files", "search_file_content", "search_files", "search_text", "search_code", "search_dir", "search_file", "ripgrep", "rg"},
		Aliases: map[string][]string{
			"pattern":     {"query", "search_pattern", "search_term", "search"},
			"path":        append(dirAliases(), "paths"),
			"glob":        {"include", "include_pattern", "file_pattern", "file_glob", "globs"},
			"type":        {"file_type"},
			"context":     {"-C", "context_lines"},
			"ignore_case": {"-i", "case_insensitive"},
			"max_results": {"limit", "max_matches"},
		},
		Paths: []string{"path"}, Exists: exists(w), Ranges: map[string]intake.Range{"context": {Max: maxContext}, "max_results": {Max: maxResults}},
		ReadOnly: true, Rewrite: rewriteSearch,
	})
}

// literalSearch begins the result of a search for a pattern that is not valid.
const literalSearch = "The pattern is not a valid regular expression, so it was searched as literal text.\n\n"

// query returns the query for the pattern. If the pattern is not valid, it returns the error and a
// query for the pattern as literal text, or nil if the pattern cannot be meant so.
func (a searchArgs) query() (*search.Query, error) {
	s := search.Syntax{IgnoreCase: a.IgnoreCase, Multiline: a.Multiline}
	q, err := search.Compile(a.Pattern, s)
	if err == nil {
		return q, nil
	}
	literal, ok := search.Literal(a.Pattern)
	if !ok {
		return nil, err
	}
	q, literalErr := search.Compile(literal, s)
	if literalErr != nil {
		return nil, err
	}
	return q, err
}

// literalNote says how often a pattern that matched nothing is in the files as literal text;
// empty if it is not, or has no operators.
func (a searchArgs) literalNote(ctx context.Context, tree *search.Tree, start string, match func(string) bool) string {
	literal, ok := search.Literal(a.Pattern)
	if !ok {
		return ""
	}
	q, err := search.Compile(literal, search.Syntax{IgnoreCase: a.IgnoreCase})
	if err != nil {
		return ""
	}
	r, err := tree.Grep(ctx, start, q, search.Options{Match: match, Max: 1, Patience: literalPatience})
	if err != nil || r.Lines == 0 {
		return ""
	}
	return fmt.Sprintf("The pattern has operators without a backslash. As literal text it is in %s: search for %s\n", phrase.Count(r.Lines, "line"), literal)
}

// rewriteSearch translates the arguments of the search tools of other assistants.
func rewriteSearch(a *intake.Args) error {
	regex := a.Text("regex")
	if a.Called("search_files") && regex == "" {
		return errors.New("search_files can mean two tools; call search for content or glob for names")
	}
	if regex != "" && !a.Has("pattern") {
		a.Remove("regex")
		a.Set("pattern", regex)
	}
	if p := a.Text("pattern"); strings.Contains(p, "\b") { // a word boundary with one backslash instead of two
		a.Set("pattern", strings.ReplaceAll(p, "\b", `\b`))
	}
	rewriteGlobs(a)
	if sensitive, ok := a.Bool("case_sensitive"); ok {
		a.Remove("case_sensitive")
		if !sensitive {
			a.Set("ignore_case", true)
		}
	}
	if n, ok := a.Int("head_limit"); ok && !a.Has("max_results") && a.Text("output_mode") == "content" { // in other modes it counts files
		a.Remove("head_limit")
		a.Set("max_results", n)
	}
	if !a.Has("context") { // of the lines before and after a match, the larger number
		before, isBefore := a.Int("-B")
		after, isAfter := a.Int("-A")
		if isBefore || isAfter {
			a.Remove("-B", "-A")
			a.Set("context", max(before, after))
		}
	}
	for name, literal := range map[string]bool{"literal": true, "fixed_strings": true, "is_regex": false, "is_regexp": false, "regex": false} {
		if v, ok := a.Bool(name); ok {
			a.Remove(name)
			if v == literal && a.Has("pattern") {
				a.Set("pattern", regexp.QuoteMeta(a.Text("pattern")))
			}
		}
	}
	return nil
}

// rewriteGlobs makes one glob of several: ["*.go", "*.ts"] or "*.go,*.ts".
func rewriteGlobs(a *intake.Args) {
	var globs []string
	isList := a.Take("glob", &globs)
	if text := a.Text("glob"); !isList && !strings.Contains(text, "{") {
		globs = strings.Split(text, ",")
	}
	paths := 0
	for i := range globs {
		if globs[i] = strings.TrimSpace(globs[i]); strings.Contains(globs[i], "/") {
			paths++
		}
	}
	switch alike := paths == 0 || paths == len(globs); { // a slash changes what the others match
	case len(globs) > 1 && alike:
		a.Set("glob", "{"+strings.Join(globs, ",")+"}")
	case len(globs) == 1 && isList:
		a.Set("glob", globs[0])
	case isList:
		a.Set("glob", globs) // is rejected
	}
}

// fileScope describes which files are searched; empty for all.
func (a searchArgs) fileScope() string {
	switch {
	case a.Type == "":
		return a.Glob
	case a.Glob == "":
		return a.Type + " files"
	}
	return a.Type + " files, " + a.Glob
}

// searchTree returns the search tree of a place: all outputs, or another directory
// without ignored files. The caller calls done after the search.
func searchTree(at workspace.Place) (t *search.Tree, done func(), err error) {
	d, done, err := at.Enter()
	switch {
	case err != nil:
		return nil, nil, err
	case d.Outputs:
		return search.Whole(d.Root), done, nil
	}
	return search.New(d.Root, d.Path).Hide(d.Hidden).Withhold(d.Withheld), done, nil
}

// NewIndex returns an index of the file names in the workspace. The caller closes
// it before the workspace.
func NewIndex(w *workspace.Workspace) *search.Index {
	t, _, _ := searchTree(w.Top()) // the workspace is open until it is closed
	return search.NewIndex(t)
}

// fileFilter returns the predicate for the files to search, or nil for all files.
func fileFilter(glob, kind, start string) (func(p string) bool, error) {
	byType, err := typeFilter(kind)
	if err != nil || glob == "" {
		return byType, err
	}
	match, err := globMatcher(glob, start)
	if err != nil || byType == nil {
		return match, err
	}
	return func(p string) bool { return byType(p) && match(p) }, nil
}

// typeFilter returns the predicate for a file type, or nil for any type.
func typeFilter(kind string) (func(p string) bool, error) {
	kind = strings.TrimLeft(kind, "*.")
	if kind == "" {
		return nil, nil
	}
	if is := search.OfType(kind); is != nil {
		return func(p string) bool { return is(path.Base(p)) }, nil
	}
	var similar []string
	for _, name := range search.FileTypes() {
		if phrase.Distance(name, strings.ToLower(kind)) <= max(len(kind)/3, 1) {
			similar = append(similar, name)
		}
	}
	err := fmt.Errorf("there is no file type %s", kind)
	if len(similar) > 0 {
		return nil, advice.Add(err, "Use a glob such as *.%s, or a similar type: %s", kind, strings.Join(similar[:min(len(similar), maxSimilarTypes)], ", "))
	}
	return nil, advice.Add(err, "Use a glob such as *.%s. The types are %s", kind, strings.Join(search.FileTypes(), ", "))
}

// relativeTo returns p relative to the directory start, which contains it.
func relativeTo(start, p string) string {
	if start == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, start), "/")
}

// scopeSuffix returns the end of a title that names the files and directory of a
// search.
func scopeSuffix(files, dir string) string {
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

// wrapError wraps an error of a search. If ctx has ended, it returns ctx's error
// unchanged.
func wrapError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", what, workspace.Cause(err))
}
