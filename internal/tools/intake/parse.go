package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm/phrase"
	"agent/internal/tools/advice"
)

// parse returns the arguments raw as an object in valid, compact JSON.
func (t Tool) parse(raw string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" {
		return json.RawMessage("{}"), nil
	}
	only := onlyText(t.Schema())
	if t.Form.Bare != nil && t.Form.Bare(trimmed) && only != "" {
		return (&Args{members: []member{{only, encode(trimmed)}}}).object(), nil
	}
	value, err := parse(raw)
	if err != nil {
		return nil, advice.Add(fmt.Errorf("the arguments of %s %w", t.label(), err), "Send the call again")
	}
	switch {
	case isNull(value):
		return json.RawMessage("{}"), nil
	case value[0] == '{':
		return value, nil
	case value[0] == '"' && only != "":
		return (&Args{members: []member{{only, value}}}).object(), nil
	}
	return nil, fmt.Errorf("the arguments of %s are not a JSON object, but %s", t.label(), clip(string(value)))
}

// onlyText returns the name of the required argument if there is only one, a string.
func onlyText(s *jsonschema.Schema) string {
	if len(s.Required) != 1 {
		return ""
	}
	if p := s.Properties[s.Required[0]]; p == nil || !isKind(p, "string") {
		return ""
	}
	return s.Required[0]
}

// maxDepth limits nesting: JSON inside strings of JSON, lists inside lists.
const maxDepth = 100

// parse returns the value of raw as valid, compact JSON. It removes a code fence, and
// decodes a string that holds an object or a list. The errors of this file continue a
// sentence that begins with "the arguments of TOOL".
func parse(raw string) (json.RawMessage, error) {
	for range 4 {
		raw = phrase.Unfence(raw)
		value, err := strictOrRepaired(raw)
		if err != nil || value[0] != '"' {
			return value, err
		}
		inner := strings.TrimSpace(text(value))
		if inner == "" || !strings.Contains("{[\"`", inner[:1]) {
			return value, nil
		}
		if _, err := strictOrRepaired(phrase.Unfence(inner)); err != nil {
			return value, nil // text that only looks like JSON
		}
		raw = inner
	}
	return nil, errors.New("are text inside text")
}

func strictOrRepaired(raw string) (json.RawMessage, error) {
	if rest, ok := strings.CutPrefix(raw, "{}"); ok { // some gateways send {} before the arguments
		if rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "{") {
			raw = rest
		}
	}
	var b bytes.Buffer
	if utf8.ValidString(raw) && json.Compact(&b, []byte(raw)) == nil {
		return b.Bytes(), nil
	}
	p := parser{in: strings.ToValidUTF8(raw, "\ufffd")}
	if err := p.value(0); err != nil {
		return nil, err
	}
	p.blank()
	if rest := strings.Trim(p.in[p.pos:], "}] \t\r\n"); rest != "" {
		return nil, fmt.Errorf("are followed by more text: %s", clip(rest))
	}
	return p.out.Bytes(), nil
}

// parser reads JSON with the slips of models and writes it without them: control
// characters in strings, unknown escapes, trailing commas, single quotes, names
// without quotes, and the constants of Python.
type parser struct {
	in  string
	pos int
	out bytes.Buffer
	key string // the last one, for errors
}

func (p *parser) blank() {
	for p.pos < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.pos]) >= 0 {
		p.pos++
	}
}

// next skips blanks and returns the next byte; 0 at the end.
func (p *parser) next() byte {
	if p.blank(); p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

func (p *parser) take() {
	p.out.WriteByte(p.in[p.pos])
	p.pos++
}

// unexpected returns the error for the next bytes.
func (p *parser) unexpected() error {
	if p.pos < len(p.in) {
		return fmt.Errorf("are not valid JSON at %s", clip(p.in[p.pos:]))
	}
	if p.key == "" {
		return errors.New("are incomplete JSON")
	}
	return fmt.Errorf("are incomplete JSON: they end in %q", phrase.Clip(p.key, maxQuoted))
}

func (p *parser) value(depth int) error {
	if depth > maxDepth {
		return errors.New("are nested too deeply")
	}
	switch c := p.next(); c {
	case '{':
		return p.list('}', func() error {
			if err := p.name(); err != nil {
				return err
			}
			if p.next() != ':' {
				return p.unexpected()
			}
			p.take()
			return p.value(depth + 1)
		})
	case '[':
		return p.list(']', func() error { return p.value(depth + 1) })
	case '"', '\'':
		_, err := p.text(c)
		return err
	}
	return p.scalar()
}

// list reads the elements of an object or a list, up to the byte end.
func (p *parser) list(end byte, element func() error) error {
	p.take()
	for first := true; ; first = false {
		if p.next() == end {
			p.take()
			return nil
		}
		if !first {
			p.out.WriteByte(',')
		}
		if err := element(); err != nil {
			return err
		}
		switch p.next() {
		case ',':
			p.pos++
		case end:
		default:
			return p.unexpected()
		}
	}
}

var (
	bareName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*`)
	number   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)
)

// name reads the name of a member.
func (p *parser) name() (err error) {
	c := p.next()
	if c == '"' || c == '\'' {
		p.key, err = p.text(c)
		return err
	}
	p.key = bareName.FindString(p.in[p.pos:])
	if p.key == "" {
		return p.unexpected()
	}
	p.pos += len(p.key)
	p.out.Write(encode(p.key))
	return nil
}

// scalar reads a number or a constant.
func (p *parser) scalar() error {
	rest := p.in[p.pos:]
	word := number.FindString(rest)
	out := word
	if word == "" {
		word = bareName.FindString(rest)
		switch word {
		case "true", "True":
			out = "true"
		case "false", "False":
			out = "false"
		case "null", "None":
			out = "null"
		}
	}
	if out == "" {
		return p.unexpected()
	}
	p.out.WriteString(out)
	p.pos += len(word)
	return nil
}

// text reads a string in the quotes q and returns it.
func (p *parser) text(q byte) (string, error) {
	start, regular := p.out.Len(), true
	p.out.WriteByte('"')
	for p.pos++; p.pos < len(p.in); {
		switch c := p.in[p.pos]; {
		case c == q:
			p.pos++
			p.out.WriteByte('"')
			if !regular {
				p.keepBackslashes(start)
			}
			return text(p.out.Bytes()[start:]), nil
		case c == '\\':
			regular = p.escape(q) && regular
		case c == '"': // inside single quotes
			p.pos++
			p.out.WriteString(`\"`)
		case c < ' ':
			p.pos++
			quoted := strconv.QuoteToASCII(string(c)) // \n, \t or \x01
			if quoted = strings.Trim(quoted, `"`); !strings.Contains(`\n\t\r\b\f`, quoted) {
				quoted = fmt.Sprintf(`\u%04x`, c)
			}
			p.out.WriteString(quoted)
		default:
			p.take()
		}
	}
	return "", p.unexpected()
}

var hex = regexp.MustCompile(`^\\u[0-9a-fA-F]{4}`)

// escape reads an escape. One that JSON does not have keeps its backslash; escape
// then returns false.
func (p *parser) escape(q byte) (regular bool) {
	rest := p.in[p.pos:]
	switch {
	case len(rest) < 2: // the string does not end
		p.pos++
	case q == '\'' && rest[1] == '\'':
		p.pos += 2
		p.out.WriteByte('\'')
	case strings.IndexByte(`"\/bfnrt`, rest[1]) >= 0:
		p.take()
		p.take()
	case hex.MatchString(rest):
		p.take()
		p.take()
	default:
		p.pos++
		p.out.WriteString(`\\`)
		return false
	}
	return true
}

// keepBackslashes corrects the string that begins at start in the output. Its
// backslashes were not meant as escapes, so \b is not the control character, and \/
// keeps its backslash.
func (p *parser) keepBackslashes(start int) {
	s := string(p.out.Bytes()[start:])
	p.out.Truncate(start)
	p.out.WriteString(strings.NewReplacer(`\\`, `\\`, `\b`, `\\b`, `\f`, `\\f`, `\/`, `\\/`).Replace(s))
}

// clip quotes the beginning of s for an error.
func clip(s string) string { return phrase.Clip(strings.TrimSpace(s), maxQuoted) }
