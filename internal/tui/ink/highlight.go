package ink

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// maxHighlight is the size in bytes above which code is not highlighted.
const maxHighlight = 256 << 10

// Highlight returns the lines of code with syntax highlighting in few colors. Code
// in an unknown language stays plain.
func (st *Styles) Highlight(code, language string) [][]Span {
	code = strings.TrimSuffix(code, "\n")
	tokens := tokenise(code+"\n", st.lexer(language))
	if tokens == nil {
		return Plain(code)
	}
	lines := [][]Span{nil}
	for _, t := range tokens {
		p := st.penFor(t.Type)
		for i, text := range strings.Split(t.Value, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if text != "" {
				last := &lines[len(lines)-1]
				*last = append(*last, Span{Text: text, Pen: p})
			}
		}
	}
	return lines[:len(lines)-1] // nothing follows the last newline
}

// Plain returns the lines of text without style.
func Plain(text string) [][]Span {
	var lines [][]Span
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, []Span{{Text: line}})
	}
	return lines
}

// lexer returns the lexer for a language name or a file name, nil if there is none.
// The lookup takes milliseconds, so results are cached.
func (st *Styles) lexer(language string) chroma.Lexer {
	if language == "" {
		return nil
	}
	if known, ok := st.lexers.Load(language); ok {
		lexer, _ := known.(chroma.Lexer)
		return lexer
	}
	lexer := lexers.Get(language)
	if lexer != nil {
		lexer = chroma.Coalesce(lexer)
	}
	st.lexers.Store(language, lexer)
	return lexer
}

// tokenise returns the tokens of code, which joined equal code. It returns nil if
// the lexer fails.
func tokenise(code string, lexer chroma.Lexer) (tokens []chroma.Token) {
	if lexer == nil || len(code) > maxHighlight {
		return nil
	}
	// Lexers are third-party regular expressions and the code is untrusted: a panic
	// must only cost the colors.
	defer func() {
		if recover() != nil {
			tokens = nil
		}
	}()
	all, err := chroma.Tokenise(lexer, &chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return nil
	}
	n := 0
	for _, t := range all {
		if !strings.HasPrefix(code[n:], t.Value) {
			return nil
		}
		n += len(t.Value)
	}
	if n != len(code) {
		return nil
	}
	return all
}

// penFor returns the pen for a kind of token.
func (st *Styles) penFor(t chroma.TokenType) Pen {
	switch {
	case t == chroma.GenericDeleted:
		return st.Pens.Bad
	case t == chroma.GenericInserted:
		return st.Pens.Good
	case t == chroma.GenericHeading, t == chroma.GenericSubheading, t == chroma.GenericStrong:
		return PenBold
	case t.InCategory(chroma.Comment) && !t.InSubCategory(chroma.CommentPreproc):
		return st.Pens.Comment
	case t.InCategory(chroma.Keyword):
		return st.Pens.Keyword
	case t.InSubCategory(chroma.LiteralString):
		return st.Pens.Literal
	case t.InSubCategory(chroma.LiteralNumber):
		return st.Pens.Number
	}
	return ""
}
