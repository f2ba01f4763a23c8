package protocol

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/aymanbagabas/go-udiff"
)

// Encoding is the unit of columns: "utf-8" for bytes. Any other value means UTF-16 code
// units, the default of the protocol.
type Encoding string

const utf8 = Encoding("utf-8")

// Column returns the column of a byte offset in line.
func (e Encoding) Column(line string, offset int) int {
	if e == utf8 {
		return offset
	}
	return len(utf16.Encode([]rune(line[:offset])))
}

// Offset returns the byte offset of a column of line. A column past the end
// means the end, and a negative one the beginning.
func (e Encoding) Offset(line string, column int) int {
	if e == utf8 {
		return max(0, min(column, len(line)))
	}
	for i, r := range line {
		if column <= 0 {
			return i
		}
		column -= utf16.RuneLen(r)
	}
	return len(line)
}

// Apply returns text after edits, which must not overlap.
func (e Encoding) Apply(ctx context.Context, text string, edits []TextEdit) (string, error) {
	lines := LinesOf(text)
	starts := make([]int, len(lines)) // the byte offset of each line
	for i := 1; i < len(lines); i++ {
		starts[i] = starts[i-1] + len(lines[i-1]) + 1
	}
	offset := func(p Position) int {
		if p.Line >= len(lines) {
			return len(text)
		}
		return starts[max(0, p.Line)] + e.Offset(lines.Line(p.Line), p.Character)
	}
	var all []udiff.Edit
	for _, t := range edits {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		all = append(all, udiff.Edit{Start: offset(t.Range.Start), End: offset(t.Range.End), New: t.NewText})
	}
	after, err := udiff.Apply(text, all)
	if err != nil {
		return "", errors.New("the language server sent edits that overlap, or an edit that ends before it begins")
	}
	return after, nil
}

// Lines are the lines of a text.
type Lines []string

// LinesOf splits a text. The last line is empty if the text ends with a line break.
func LinesOf(text string) Lines { return strings.Split(text, "\n") }

// Line returns a line, from 0, without its line break; empty if there is none.
func (l Lines) Line(i int) string {
	if i < 0 || i >= len(l) {
		return ""
	}
	return strings.TrimSuffix(l[i], "\r")
}

// TextEdit replaces a part of a text.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit is a change of several files. Changes, by URI, is an older form of Documents.
type WorkspaceEdit struct {
	Changes   map[string][]TextEdit `json:"changes"`
	Documents []DocumentEdit        `json:"documentChanges"`
}

// DocumentEdit is the change of one file. Kind is set for the creation, renaming or
// deletion of a file.
type DocumentEdit struct {
	Kind     string       `json:"kind"`
	Document TextDocument `json:"textDocument"`
	Edits    []TextEdit   `json:"edits"`
}

// Files returns the edits by file. It returns an error for what cannot be applied: files
// to create, rename or delete, and documents that are not files.
func (e WorkspaceEdit) Files() ([]DocumentEdit, error) {
	all := e.Documents
	if len(all) == 0 {
		for _, uri := range slices.Sorted(maps.Keys(e.Changes)) {
			all = append(all, DocumentEdit{Document: TextDocument{URI: uri}, Edits: e.Changes[uri]})
		}
	}
	for _, d := range all {
		if d.Kind != "" {
			return nil, fmt.Errorf("the language server wants to %s a file, which is not supported", d.Kind)
		}
		if FileOf(d.Document.URI) == "" {
			return nil, fmt.Errorf("the language server sent an edit of %q, which is not a file", d.Document.URI)
		}
	}
	return all, nil
}
