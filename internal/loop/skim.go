package loop

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"agent/internal/llm"
)

// skim is Decode without what may be long: the texts, arguments and images of
// messages, what was written and read by tools. What is left is enough to tell
// which events a session has, where it can go on, and what it lacks.
func skim(record []byte) (Durable, error) {
	typ, err := typeIn(record)
	if err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	var e Durable
	ok := false
	switch typ {
	case "user":
		e, ok = skimUser(record)
	case "partial":
		e, ok = skimPartial(record)
	case "message":
		e, ok = skimMessage(record)
	case "tool_end":
		e, ok = skimToolEnd(record)
	case "shell_end":
		e, ok = skimShellEnd(record)
	}
	if ok {
		return e, nil
	}
	return Decode(record) // it is short, or not as Encode writes it
}

func skimUser(record []byte) (*UserSaid, bool) {
	var e UserSaid
	f := fields{}
	f.walk(record, func(name, value []byte) {
		switch string(name) {
		case "text":
			e.Text = f.text(value)
		case "steered":
			e.Steered = string(value) == "true"
		case "auto":
			e.Auto = string(value) == "true"
		default:
			f.meta(&e.Meta, name, value)
		}
	})
	return &e, !f.strange
}

func skimPartial(record []byte) (*Partial, bool) {
	var e Partial
	f := fields{}
	f.walk(record, func(name, value []byte) {
		switch string(name) {
		case "reply":
			e.Reply = f.text(value)
		case "kind":
			e.Kind = llm.Kind(f.text(value))
		default:
			f.meta(&e.Meta, name, value)
		}
	})
	return &e, !f.strange
}

func skimMessage(record []byte) (*MessageDone, bool) {
	var e MessageDone
	f := fields{}
	f.walk(record, func(name, value []byte) {
		if string(name) == "message" {
			f.said(&e.Message, value)
			return
		}
		f.meta(&e.Meta, name, value)
	})
	return &e, !f.strange
}

func skimToolEnd(record []byte) (*ToolEnd, bool) {
	var e ToolEnd
	f := fields{}
	f.walk(record, func(name, value []byte) {
		if string(name) == "result" {
			f.said(&e.Result, value)
			return
		}
		f.meta(&e.Meta, name, value)
	})
	return &e, !f.strange
}

func skimShellEnd(record []byte) (*ShellEnd, bool) {
	var e ShellEnd
	f := fields{}
	f.walk(record, func(name, value []byte) {
		switch string(name) {
		case "id":
			e.ID = f.text(value)
		case "join":
			e.Join = string(value) == "true"
		default:
			f.meta(&e.Meta, name, value)
		}
	})
	return &e, !f.strange
}

// fields reads objects as Encode writes them, without spaces and with no name
// escaped. What is not like that is strange, and to be read in another way.
type fields struct {
	strange bool
	plain   []byte // the last text that was escaped, as it reads
}

// walk calls each for the names and values of an object, which are valid JSON.
func (f *fields) walk(object []byte, each func(name, value []byte)) {
	b, ok := bytes.CutPrefix(object, []byte("{"))
	for ok {
		n := lengthOf(b)
		if n < 2 || n >= len(b) || b[0] != '"' || b[n] != ':' {
			break
		}
		name := b[1 : n-1]
		b = b[n+1:]
		if n = lengthOf(b); n == 0 || n >= len(b) {
			break
		}
		each(name, b[:n])
		if b[n] == '}' && n+1 == len(b) {
			return
		}
		ok = b[n] == ','
		b = b[n+1:]
	}
	f.strange = true
}

// said reads what tells one message from another.
func (f *fields) said(m *llm.Message, object []byte) {
	f.walk(object, func(name, value []byte) {
		switch string(name) {
		case "kind":
			m.Kind = llm.Kind(f.text(value))
		case "reply":
			m.Reply = f.text(value)
		case "id":
			m.ID = f.text(value)
		case "name":
			m.Name = f.text(value)
		}
	})
}

func (f *fields) meta(m *Meta, name, value []byte) {
	switch string(name) {
	case "time":
		f.strange = f.strange || m.Time.UnmarshalJSON(value) != nil
	case "agent":
		m.Agent = f.text(value)
	}
}

// text returns the text of a string.
func (f *fields) text(value []byte) string {
	if len(value) < 2 || value[0] != '"' || !utf8.Valid(value) {
		f.strange = true
		return ""
	}
	value = value[1 : len(value)-1]
	f.plain = f.plain[:0]
	for {
		i := bytes.IndexByte(value, '\\')
		if i < 0 {
			break
		}
		f.plain = append(f.plain, value[:i]...)
		value = f.escape(value[i:])
	}
	if len(f.plain) == 0 {
		return string(value)
	}
	f.plain = append(f.plain, value...)
	return string(f.plain)
}

// escape adds to f.plain the character that stands escaped at the beginning
// of b, and returns what follows it.
func (f *fields) escape(b []byte) []byte {
	if len(b) < 2 {
		f.strange = true
		return nil
	}
	switch c := b[1]; c {
	case '"', '\\', '/':
		f.plain = append(f.plain, c)
	case 'n':
		f.plain = append(f.plain, '\n')
	case 't':
		f.plain = append(f.plain, '\t')
	case 'r':
		f.plain = append(f.plain, '\r')
	case 'b':
		f.plain = append(f.plain, '\b')
	case 'f':
		f.plain = append(f.plain, '\f')
	default:
		return f.unicode(b)
	}
	return b[2:]
}

// unicode is escape for what is given by its number, which Encode does for few.
func (f *fields) unicode(b []byte) []byte {
	const length = len(`\u0000`)
	if len(b) < length || b[1] != 'u' {
		f.strange = true
		return nil
	}
	n, err := strconv.ParseUint(string(b[2:length]), 16, 16)
	if err != nil || utf16.IsSurrogate(rune(n)) {
		f.strange = true
		return nil
	}
	f.plain = utf8.AppendRune(f.plain, rune(n))
	return b[length:]
}

// lengthOf returns how long the value is that b begins with, 0 if none does.
func lengthOf(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := stringLength(b[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of a number, or of what holds it
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// stringLength returns how long the string is that b begins with, 0 if it does
// not end.
func stringLength(b []byte) int {
	for i := 1; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return 0
		}
		i += n + 1
		escapes := 0
		for b[i-2-escapes] == '\\' { // b begins with a quote
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}
