package tools

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
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
		s, err := w.look(a.Path)
		if err != nil {
			return Call{}, err
		}
		if s.info != nil && bytes.Equal(s.content, []byte(a.Content)) {
			return Call{}, fmt.Errorf("%s already has exactly this content: there is nothing to write", s.path)
		}
		return w.changing("write "+s.path, s, []byte(a.Content), ""), nil
	})
}

// changing is a call that gives the file of s new content. note is added to
// what the model is told of it.
func (w *Workspace) changing(title string, s sight, after []byte, note string) Call {
	asked := Change{Path: s.path, Before: s.content, After: after}
	c := Call{
		Title:   title,
		Effect:  Write,
		Targets: []Target{{Path, s.path}},
		Changes: []Change{asked},
	}
	if s.info != nil {
		c.Warnings = cautions(s.path, s.info)
	}
	c.Run = func(ctx context.Context, ok Approved) (Result, error) {
		for _, given := range ok.Changes {
			if given.Path != s.path || given.After == nil {
				continue
			}
			if err := w.put(ctx, s, given.After); err != nil {
				return Result{}, err
			}
			return written(s, asked, given.After, note), nil
		}
		return Result{}, errors.New("no change was approved, so nothing was written")
	}
	return c
}

// written is the result of a change that was made, perhaps otherwise than asked.
func written(s sight, asked Change, after []byte, note string) Result {
	verb := "changed"
	if s.info == nil {
		verb = "created"
	}
	lines := plural(countLines(after), "line")
	text := fmt.Sprintf("%s %s: it has %s now, %s.", verb, s.path, lines, size(int64(len(after))))
	if !bytes.Equal(after, asked.After) {
		text += " The person approved only a part of the change or another one: read the file before going on."
	} else if note != "" {
		text += " " + note
	}
	return Result{
		Text:    text,
		Summary: lines,
		Changes: []Change{{Path: s.path, Before: s.content, After: after}},
	}
}

// countLines counts a last line without a newline too.
func countLines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
