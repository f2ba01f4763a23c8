package tools

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"

	"agent/internal/tools/intake"
	"agent/internal/tools/workspace"
)

//go:embed write.md
var writeText string

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func writeTool(w *workspace.Workspace, known *workspace.Ledger, format Formatter) Tool {
	return New("write", writeText, func(ctx context.Context, a writeArgs) (Call, error) {
		t := w.Begin(known)
		d, err := t.Open(a.Path)
		if err != nil {
			return Call{}, err
		}
		if d.Before != nil && bytes.Equal(d.Before, []byte(a.Content)) {
			return Call{}, fmt.Errorf("%s already has exactly this content; nothing to write", d.Path)
		}
		if err := t.Overwrite(d, []byte(a.Content)); err != nil {
			return Call{}, err
		}
		return changeCall(ctx, t, format, "write", 1)
	}, intake.Form{
		Names: []string{"write_file", "write_to_file", "create", "create_file", "save_file", "file_write"},
		Aliases: map[string][]string{
			"path":    intake.FileAliases(),
			"content": {"contents", "text", "file_text", "file_content", "file_contents"},
		},
		Paths: []string{"path"}, Exists: exists(w), Harmless: []string{"overwrite=true", "append=false", "line_count"},
	})
}
