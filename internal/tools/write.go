package tools

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
)

//go:embed write.md
var writeText string

type writeArgs struct {
	Path    string `json:"path" jsonschema:"the file to write, relative to the working directory"`
	Content string `json:"content" jsonschema:"the whole content the file is to have"`
}

func (w *Workspace) writeTool(known *Ledger) Tool {
	return New("write", writeText, func(_ context.Context, a writeArgs) (Call, error) {
		d := drafts{w: w, known: known}
		f, err := d.open(a.Path)
		if err != nil {
			return Call{}, err
		}
		if f.info != nil && bytes.Equal(f.content, []byte(a.Content)) {
			return Call{}, fmt.Errorf("%s already has exactly this content: there is nothing to write", f.path)
		}
		if err := d.overwrite(f, []byte(a.Content)); err != nil {
			return Call{}, err
		}
		return d.call("write", 1)
	})
}
