package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agent/internal/tools/intake"
	"agent/internal/tools/workspace"
)

// Files returns the tools that read and change the files of w, in a fixed order.
// Known records what the agent has read; nil disables the checks against it.
func Files(w *workspace.Workspace, known *workspace.Ledger) []Tool {
	return files(w, known, nil, nil, nil)
}

// FormattedFiles is Files for the workspace of c, with a formatter for the files that edit,
// patch and write change; nil for none. They read PDFs with a command of c, and its
// manual.
func FormattedFiles(c Commands, known *workspace.Ledger, format Formatter) []Tool {
	return files(c.Workspace, known, c.PDFText, format, c.Manual)
}

func files(w *workspace.Workspace, known *workspace.Ledger, pdf pdfText, format Formatter, manual Manual) []Tool {
	return []Tool{readTool(w, known, pdf, manual), listTool(w), globTool(w), searchTool(w), editTool(w, known, format), patchTool(w, known, format), writeTool(w, known, format)}
}

// readCall returns a call with effect Read on at. Its run may continue in the
// background when ctx ends: see runContext.
func readCall(title string, at workspace.Place, run func(context.Context, Approved) (Result, error)) Call {
	return Call{
		Title: title, Effect: Read, Targets: []Target{{Kind: Path, Value: at.Name(), Spelled: at.Spelled}},
		Run: func(ctx context.Context, ok Approved) (Result, error) {
			progress, stop := guardProgress(ctx, ok.Progress)
			defer stop()
			ok.Progress = progress
			r, err := runContext(ctx, func() (Result, error) { return run(ctx, ok) })
			if at.Note != "" && err == nil {
				r.Text = strings.TrimSuffix(r.Text, "\n") + "\n[" + at.Note + "]\n"
			}
			return r, err
		},
	}
}

// dirAliases returns the aliases of an argument that names a directory or a file to
// search.
func dirAliases() []string {
	return append(intake.FileAliases(), "dir", "dir_path", "directory", "directory_path", "folder", "target_directory", "search_directory", "search_path", "relative_workspace_path")
}

// exists returns the function that reports whether a path exists in w; nil if w is.
func exists(w *workspace.Workspace) func(string) bool {
	if w == nil {
		return nil
	}
	return w.Exists
}

// rewriteLines turns the line ranges of other assistants into offset and limit.
func rewriteLines(a *intake.Args) error {
	if all, _ := a.Bool("should_read_entire_file"); all {
		a.Remove("offset", "limit")
		return nil
	}
	var both []int
	switch {
	case !a.Take("view_range", &both):
	case len(both) != 2:
		return errors.New("read: view_range must hold the first and the last line")
	default:
		a.Set("offset", both[0])
		a.Set("end_line", both[1])
	}
	first, _ := a.Int("offset")
	for _, name := range []string{"end_line", "end_line_one_indexed_inclusive", "line_end", "end"} {
		last, ok := a.Int(name)
		if !ok {
			continue
		}
		a.Remove(name)
		switch {
		case last == -1:
		case a.Has("limit"):
			return fmt.Errorf("read: send %q or %q, not both", "limit", name)
		case last < max(first, 1):
			return fmt.Errorf("read: the last line, %d, is before the first, %d", last, max(first, 1))
		default:
			a.Set("limit", last-max(first, 1)+1)
		}
	}
	return nil
}
