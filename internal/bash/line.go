// Package bash reads the text of command lines of bash: the values of words as far as the
// text shows them, redirections and here-documents, and the commands that wrappers such as
// env run. It knows no files and decides nothing. Start reading at Parse.
package bash

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// MaxLine limits the bytes of a line. The parser has no limit of its own for nested
// commands, and needs much more memory and time for them than for other text.
const MaxLine = 64 << 10

// Line is a command line that was parsed.
type Line struct {
	File   *syntax.File
	source string
}

// Parse reads a line with the grammar of bash. Its error says what is wrong with the line.
func Parse(text string) (*Line, error) {
	switch {
	case len(text) > MaxLine:
		return nil, fmt.Errorf("it is longer than %d KiB", MaxLine>>10)
	case !utf8.ValidString(text):
		return nil, errors.New("it is not valid UTF-8 text")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if e, ok := err.(syntax.ParseError); ok {
		return nil, errors.New(e.Text)
	} else if err != nil {
		return nil, err
	}
	return &Line{File: file, source: text}, nil
}

// Text returns the source of n.
func (l *Line) Text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(l.source) {
		return ""
	}
	return l.source[from:to]
}
