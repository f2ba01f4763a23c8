package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agent/internal/tools/search"
)

//go:embed search.md
var searchText string

// The limits of one search.
const (
	defaultResults = 100
	maxResults     = 1000
	maxContext     = 20
	maxOutput      = 50_000 // bytes
)

type searchArgs struct {
	Pattern    string `json:"pattern" jsonschema:"a regular expression in RE2 syntax, matched line by line"`
	Path       string `json:"path,omitempty" jsonschema:"the file or directory to search; the working directory if it is not given"`
	Glob       string `json:"glob,omitempty" jsonschema:"only files that match this, such as *.go, *.{ts,tsx} or src/**/*.py"`
	Context    int    `json:"context,omitempty" jsonschema:"lines to show before and after each match"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"letters match in upper and lower case"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"matching lines to show at most; 100 if it is not given"`
}

func (w *Workspace) searchTool() Tool {
	return New("search", searchText, func(_ context.Context, a searchArgs) (Call, error) {
		q, err := search.Compile(a.Pattern, a.IgnoreCase)
		if err != nil {
			return Call{}, err
		}
		if a.Context < 0 || a.MaxResults < 0 {
			return Call{}, errors.New("context and max_results must not be negative")
		}
		p, err := w.start(a.Path)
		if err != nil {
			return Call{}, err
		}
		match, err := filter(a.Glob, p)
		if err != nil {
			return Call{}, err
		}
		o := search.Options{Match: match, Max: defaultResults, Context: min(a.Context, maxContext)}
		if a.MaxResults > 0 {
			o.Max = min(a.MaxResults, maxResults)
		}
		return Call{
			Title:   `search "` + a.Pattern + `"` + in(a.Glob, p),
			Effect:  Read,
			Targets: []Target{{Path, p}},
			Run: func(ctx context.Context, _ Approved) (Result, error) {
				r, err := w.tree().Grep(ctx, p, q, o)
				if err != nil {
					return Result{}, failed(ctx, "search "+p, err)
				}
				return searched(r, a.Glob), nil
			},
		}, nil
	})
}

// tree is what of the workspace is searched.
func (w *Workspace) tree() *search.Tree { return search.New(w.root, w.dir) }

// start resolves the path at which a search begins, which must exist.
func (w *Workspace) start(name string) (string, error) {
	if name == "" {
		name = "."
	}
	p, err := w.resolve(name)
	if err != nil {
		return "", err
	}
	info, err := w.root.Stat(p)
	if err != nil {
		return "", w.notThere(name, p)
	}
	return p, readable(name, info)
}

// filter returns what decides by glob whether a file is searched: by its name,
// or, if glob holds a slash, by its path from the working directory or from
// start.
func filter(glob, start string) (func(p string) bool, error) {
	if glob == "" {
		return nil, nil
	}
	glob = strings.TrimPrefix(glob, "./")
	if !doublestar.ValidatePattern(glob) {
		return nil, fmt.Errorf("the glob %s is malformed: use such as *.go, *.{ts,tsx} or src/**/*.py", glob)
	}
	if !strings.Contains(glob, "/") {
		return func(p string) bool { return doublestar.MatchUnvalidated(glob, path.Base(p)) }, nil
	}
	return func(p string) bool {
		return doublestar.MatchUnvalidated(glob, p) || doublestar.MatchUnvalidated(glob, below(start, p))
	}, nil
}

// below is p relative to the directory start, in which it is.
func below(start, p string) string {
	if start == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, start), "/")
}

// in says where a search looks, for titles.
func in(glob, p string) string {
	switch {
	case glob != "" && p != ".":
		return " in " + glob + " below " + p
	case glob != "":
		return " in " + glob
	case p != ".":
		return " in " + p
	}
	return ""
}

// failed is the error of a call that could not do its work; the end of ctx is
// passed on as it is.
func failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", what, reason(err))
}

// searched lays out the results: a file, its matches, an empty line.
func searched(r search.Results, glob string) Result {
	var b strings.Builder
	lines, files := 0, 0
	for _, f := range r.Files {
		if b.Len() > maxOutput {
			break
		}
		files++
		if f.Binary {
			fmt.Fprintf(&b, "%s: a binary file that matches\n\n", f.Path)
			continue
		}
		b.WriteString(f.Path + "\n")
		lines += writeMatches(&b, f)
		if more := f.Count - len(f.Matches); more > 0 {
			fmt.Fprintf(&b, "(%s more in this file)\n", plural(more, "match"))
		}
		b.WriteString("\n")
	}
	summary := "no matches"
	if r.InFiles > 0 {
		summary = plural(r.Lines, "match") + " in " + plural(r.InFiles, "file")
	}
	b.WriteString(summary)
	if lines < r.Lines || files < r.InFiles {
		fmt.Fprintf(&b, "; shown are the first %d, in %s by path. Narrow the pattern, path or glob, or raise max_results", lines, plural(files, "file"))
	}
	if r.InFiles == 0 && glob != "" {
		b.WriteString(" in files that match " + glob)
	}
	b.WriteString(".\n" + unreadable(r.Unreadable))
	return Result{Text: b.String(), Summary: summary}
}

// writeMatches writes the matching lines of a file, each with its number, and
// those around them. It returns how many matches it wrote.
func writeMatches(b *strings.Builder, f search.Matched) int {
	last := 0 // the last line written
	for i, m := range f.Matches {
		if b.Len() > maxOutput {
			return i
		}
		first := m.Line - len(m.Before)
		if last > 0 && first > last+1 && len(m.Before)+len(m.After) > 0 {
			b.WriteString("--\n")
		}
		for j, text := range m.Before {
			if n := first + j; n > last {
				fmt.Fprintf(b, "%d- %s\n", n, text)
			}
		}
		fmt.Fprintf(b, "%d: %s\n", m.Line, m.Text)
		last = m.Line
		for j, text := range m.After {
			n := m.Line + 1 + j
			if i+1 < len(f.Matches) && n >= f.Matches[i+1].Line {
				break
			}
			fmt.Fprintf(b, "%d- %s\n", n, text)
			last = n
		}
	}
	return len(f.Matches)
}

// unreadable says what could not be looked into.
func unreadable(u search.Unreadable) string {
	if u.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%s could not be read, one of them: %v.\n", plural(u.Count, "place"), u.First)
}
