package text

import (
	"encoding/json"
	"strings"

	"agent/internal/llm"
)

// The markers of calls.
const (
	openTag         = "<tool_call>"
	closeTag        = "</tool_call>"
	responseTag     = "<tool_response>"
	actionWord      = "Action:"
	inputWord       = "Action Input:"
	observationWord = "Observation:"
)

// maxAction limits the line that names the tool, in bytes.
const maxAction = 200

// heading matches the start of a call at the beginning of text, an incomplete
// line or more. It returns the length of the match and the tool if it is named
// there. wait reports that more text is needed to decide.
func (f Form) heading(text string) (n int, name string, wait bool) {
	if f != ReAct {
		if strings.HasPrefix(text, openTag) {
			return len(openTag), "", false
		}
		return 0, "", strings.HasPrefix(openTag, text)
	}
	rest, ok := strings.CutPrefix(text, actionWord)
	if !ok {
		return 0, "", strings.HasPrefix(actionWord, text)
	}
	name, rest, ended := strings.Cut(rest, "\n")
	if len(name) > maxAction {
		return 0, "", false
	}
	if !ended || !strings.HasPrefix(rest, inputWord) {
		return 0, "", !ended || strings.HasPrefix(inputWord, rest)
	}
	return len(actionWord) + len(name) + 1 + len(inputWord), strings.TrimSpace(name), false
}

// input reads the text after a heading up to the end of the call. It tracks
// JSON strings, so that end markers inside them do not count. A line break
// always ends a string, because JSON strings cannot contain one.
type input interface {
	// add adds a piece. Once it has the end of the call, it returns the text of
	// the call and the rest after it.
	add(piece string) (text, rest string, done bool)
	// end returns the same if no more text follows.
	end() (text, rest string)
}

func (f Form) input() input {
	if f != ReAct {
		return &tagged{hidden: -1}
	}
	return &action{}
}

// scanner tracks whether a position in a JSON text is inside a string.
type scanner struct {
	buf      []byte // text so far
	pos      int    // number of bytes scanned
	inString bool   // inside a string
	escaped  bool   // by the previous byte
}

// next scans one byte.
func (l *scanner) next() {
	c := l.buf[l.pos]
	switch {
	case c == '\n':
		l.inString, l.escaped = false, false
	case !l.inString:
		l.inString = c == '"'
	case l.escaped:
		l.escaped = false
	default:
		l.escaped, l.inString = c == '\\', c != '"'
	}
	l.pos++
}

func (l *scanner) lineBegins() bool { return l.pos == 0 || l.buf[l.pos-1] == '\n' }

// sees reports whether word comes next. wait reports that more text is needed
// to decide.
func (l *scanner) sees(word string) (yes, wait bool) {
	rest := l.buf[l.pos:]
	if rest[0] != word[0] {
		return false, false
	}
	if len(rest) < len(word) {
		return false, strings.HasPrefix(word, string(rest))
	}
	return string(rest[:len(word)]) == word, false
}

func (l *scanner) cut(at, width int) (text, rest string, done bool) {
	return string(l.buf[:at]), string(l.buf[at+width:]), true
}

// tagged is the input of the tagged form.
type tagged struct {
	scanner
	hidden int // offset of the end tag inside the current string, or -1
}

func (t *tagged) add(piece string) (text, rest string, done bool) {
	t.buf = append(t.buf, piece...)
	for t.pos < len(t.buf) {
		yes, wait := t.sees(closeTag)
		switch {
		case wait:
			return "", "", false
		case yes && (!t.inString || t.lineBegins()):
			return t.cut(t.pos, len(closeTag))
		case yes && t.hidden < 0:
			t.hidden = t.pos
		}
		broken := t.inString && t.buf[t.pos] == '\n'
		if broken && t.hidden >= 0 {
			return t.cut(t.hidden, len(closeTag))
		}
		if t.next(); !t.inString {
			t.hidden = -1
		}
	}
	return "", "", false
}

func (t *tagged) end() (text, rest string) {
	if t.hidden >= 0 {
		text, rest, _ = t.cut(t.hidden, len(closeTag))
		return text, rest
	}
	return string(t.buf), ""
}

// action is the input of the ReAct form.
type action struct {
	scanner
	depth  int  // nesting depth of braces
	object bool // the first brace was read
	broken bool // not a JSON object: only observationWord ends it
}

func (a *action) add(piece string) (text, rest string, done bool) {
	a.buf = append(a.buf, piece...)
	for a.pos < len(a.buf) {
		if !a.inString && a.lineBegins() {
			if yes, wait := a.sees(observationWord); wait {
				return "", "", false
			} else if yes {
				return a.cut(a.pos, 0)
			}
		}
		c, within := a.buf[a.pos], a.inString
		a.next()
		switch {
		case a.broken:
		case within:
			a.broken = c == '\n'
		case c == '{':
			a.object = true
			a.depth++
		case !a.object:
			a.broken = !strings.ContainsRune(" \t\r\n", rune(c))
		case c == '}':
			if a.depth--; a.depth == 0 {
				return a.cut(a.pos, 0)
			}
		}
	}
	return "", "", false
}

func (a *action) end() (text, rest string) { return string(a.buf), "" }

// parse returns the tool and the arguments of a call. The arguments of a
// malformed call are the text as written.
func (f Form) parse(name, text string) (tool, arguments string) {
	text = strings.TrimSpace(text)
	if f == ReAct {
		return name, text
	}
	var c struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if text = llm.Once(text); !json.Valid([]byte(text)) {
		return nameIn(text), text
	}
	if json.Unmarshal([]byte(text), &c) != nil || c.Name == "" {
		return "", text
	}
	var inside string // some models encode the arguments as a JSON string
	if json.Unmarshal(c.Arguments, &inside) == nil && inside != "" {
		return c.Name, inside
	}
	return c.Name, string(c.Arguments)
}

// nameIn returns the tool that a malformed call names at its beginning.
func nameIn(text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	for _, want := range []json.Token{json.Delim('{'), "name"} {
		if got, err := d.Token(); err != nil || got != want {
			return ""
		}
	}
	got, err := d.Token()
	if name, ok := got.(string); ok && err == nil {
		return name
	}
	return ""
}
