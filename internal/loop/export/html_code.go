package export

import (
	"html/template"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// maxHighlight is the size of code, in bytes, above which it stays plain.
const maxHighlight = 128 << 10

// highlight returns code as HTML, with the few classes that are read easily. In
// an unknown language it stays plain.
func highlight(code, language string) string {
	var b strings.Builder
	for _, t := range tokenise(code, language) {
		text := template.HTMLEscapeString(t.Value)
		if class := classOf(t.Type); class != "" {
			text = `<span class="` + class + `">` + text + "</span>"
		}
		b.WriteString(text)
	}
	return b.String()
}

// tokenise returns the tokens of code, which make it up exactly: one, if it can
// not be told what they are.
func tokenise(code, language string) (tokens []chroma.Token) {
	plain := []chroma.Token{{Type: chroma.Text, Value: code}}
	if language == "" || len(code) > maxHighlight {
		return plain
	}
	lexer := lexers.Get(language)
	if lexer == nil {
		return plain
	}
	// A lexer is a table of regular expressions by many hands, and the code is
	// a stranger's: the worst that may come of it is code without colours.
	defer func() {
		if recover() != nil {
			tokens = plain
		}
	}()
	all, err := chroma.Tokenise(chroma.Coalesce(lexer), &chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return plain
	}
	n := 0
	for _, t := range all {
		if !strings.HasPrefix(code[n:], t.Value) {
			return plain
		}
		n += len(t.Value)
	}
	if n != len(code) {
		return plain
	}
	return all
}

// classOf returns the class of a kind of token.
func classOf(t chroma.TokenType) string {
	switch {
	case t == chroma.GenericDeleted:
		return "del"
	case t == chroma.GenericInserted:
		return "ins"
	case t == chroma.GenericHeading, t == chroma.GenericSubheading, t == chroma.GenericStrong:
		return "hd"
	case t.InCategory(chroma.Comment) && !t.InSubCategory(chroma.CommentPreproc):
		return "co"
	case t == chroma.KeywordType, t == chroma.NameClass, t == chroma.NameBuiltin, t == chroma.NameBuiltinPseudo:
		return "ty"
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord, t == chroma.NameTag:
		return "kw"
	case t == chroma.NameFunction, t == chroma.NameFunctionMagic, t == chroma.NameAttribute:
		return "fn"
	case t.InSubCategory(chroma.LiteralString):
		return "st"
	case t.InSubCategory(chroma.LiteralNumber):
		return "nu"
	}
	return ""
}
