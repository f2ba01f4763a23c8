package export

import (
	"html/template"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// maxHighlight is the size in bytes above which code is not highlighted.
const maxHighlight = 128 << 10

// highlight returns code as HTML, highlighted if the language is known.
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

// tokenise returns the tokens of code, whose values concatenate to code; a single
// token if they cannot be determined.
func tokenise(code, language string) (tokens []chroma.Token) {
	plain := []chroma.Token{{Type: chroma.Text, Value: code}}
	if language == "" || len(code) > maxHighlight {
		return plain
	}
	lexer := lexers.Get(language)
	if lexer == nil {
		return plain
	}
	// Lexers are not robust against malicious code. A panic must not end the export.
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

// classOf returns the CSS class of a token type; empty for plain text.
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
