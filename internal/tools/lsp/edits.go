package lsp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// lines are the lines of a text without their endings.
type lines []string

func splitLines(text string) lines { return strings.Split(text, "\n") }

// line returns a line, from 0; empty if there is none.
func (l lines) line(i int) string {
	if i < 0 || i >= len(l) {
		return ""
	}
	return strings.TrimSuffix(l[i], "\r")
}

// starts returns the byte offset of every line in the text.
func (l lines) starts() []int {
	all, at := make([]int, len(l)), 0
	for i, line := range l {
		all[i] = at
		at += len(line) + 1
	}
	return all
}

// apply returns text after edits, which must not overlap.
func apply(text string, edits []textEdit, inBytes bool) (string, error) {
	l := splitLines(text)
	starts := l.starts()
	at := func(p position) int {
		if p.Line >= len(l) {
			return len(text)
		}
		return starts[max(0, p.Line)] + offset(l.line(p.Line), p.Character, inBytes)
	}
	var all []udiff.Edit
	for _, e := range edits {
		all = append(all, udiff.Edit{Start: at(e.Range.Start), End: at(e.Range.End), New: e.NewText})
	}
	after, err := udiff.Apply(text, all)
	if err != nil {
		return "", errors.New("the language server sent edits that overlap, or an edit that ends before it begins")
	}
	return after, nil
}

// files returns the edits by file. It returns an error for what cannot be applied: files
// to create, rename or delete.
func (e workspaceEdit) files() ([]documentEdit, error) {
	all := e.Documents
	if len(all) == 0 {
		for uri, edits := range e.Changes {
			d := documentEdit{Edits: edits}
			d.Document.URI = uri
			all = append(all, d)
		}
		slices.SortFunc(all, func(a, b documentEdit) int { return strings.Compare(a.Document.URI, b.Document.URI) })
	}
	for _, d := range all {
		if d.Kind != "" {
			return nil, fmt.Errorf("the language server wants to %s a file, which the tool rename does not support", d.Kind)
		}
		if fileOf(d.Document.URI) == "" {
			return nil, fmt.Errorf("the language server sent an edit of %q, which is not a file", d.Document.URI)
		}
	}
	return all, nil
}
