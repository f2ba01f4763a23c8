package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"agent/internal/tools/edit"
)

//go:embed edit.md
var editText string

type editArgs struct {
	Path       string `json:"path" jsonschema:"the file to change, relative to the working directory"`
	Old        string `json:"old" jsonschema:"the text to replace, exactly as it is in the file, without line numbers; empty only for a file that is new or empty"`
	New        string `json:"new" jsonschema:"the text to put in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence instead of exactly one"`
}

func (w *Workspace) editTool(known *Ledger) Tool {
	return New("edit", editText, func(_ context.Context, a editArgs) (Call, error) {
		s, err := w.look(a.Path)
		if err != nil {
			return Call{}, err
		}
		if s.info == nil && a.Old != "" {
			return Call{}, w.notThere(a.Path, s.path)
		}
		r, err := edit.Replace(s.content, []byte(a.Old), []byte(a.New), a.ReplaceAll)
		if err != nil {
			return Call{}, fmt.Errorf("edit %s: %w%s", s.path, err, lineEndings(err, s.content, a.Old))
		}
		note := ""
		if a.Old != "" {
			note = places(r.Lines)
		}
		return w.changing("edit "+s.path, s, r.After, note), nil
	})
}

// places says where an edit was made.
func places(lines []int) string {
	if len(lines) == 1 {
		return fmt.Sprintf("Replaced 1 place, on line %d.", lines[0])
	}
	return fmt.Sprintf("Replaced %d places, the first on line %d.", len(lines), lines[0])
}

// lineEndings explains a miss that comes from line endings alone, which a model
// does not see.
func lineEndings(err error, before []byte, old string) string {
	var missed *edit.NotFoundError
	crlf := strings.Contains(string(before), "\r\n")
	if !errors.As(err, &missed) || !crlf || !strings.Contains(old, "\n") || strings.Contains(old, "\r\n") {
		return ""
	}
	return `. The lines of this file end in CRLF: write \r\n in old and new`
}
