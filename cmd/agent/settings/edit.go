package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Edit is a change of one value in a JSON object that keeps the other bytes.
type Edit struct {
	keys   []string
	value  any
	action editAction
}

type editAction int

const (
	setValue editAction = iota
	deleteValue
	appendValue
)

// SetValue returns the edit that sets the value at the path keys, such as "mcp",
// "servers", "github". Missing objects of the path are created.
func SetValue(value any, keys ...string) Edit { return Edit{keys, value, setValue} }

// AppendValue returns the edit that appends a value to the list at the path keys, which is
// created if it is missing.
func AppendValue(value any, keys ...string) Edit { return Edit{keys, value, appendValue} }

// DeleteValue returns the edit that deletes the value at the path keys. It is not an error
// if there is none.
func DeleteValue(keys ...string) Edit { return Edit{keys, nil, deleteValue} }

func (e Edit) name() string { return strings.Join(e.keys, ".") }

// apply returns b, a valid JSON object, after the edit.
func (e Edit) apply(b []byte) ([]byte, error) { return e.in(b, e.keys, 1) }

// in applies the edit at the path keys in the object that is the first value of b. Depth is
// the number of objects and lists around its members.
func (e Edit) in(b []byte, keys []string, depth int) ([]byte, error) {
	all, open, closing, err := members(b)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(m member) bool { return m.key == keys[0] })
	switch {
	case i < 0 && e.action == deleteValue:
		return b, nil
	case i < 0:
		text, err := e.missing(keys[1:], depth)
		if err != nil {
			return nil, err
		}
		return insertFirst(b, open, fmt.Sprintf("%s: %s", quote(keys[0]), text), depth, len(all) > 0), nil
	}
	m := all[i]
	if len(keys) > 1 || e.action == appendValue {
		old := b[m.value:m.end]
		var changed []byte
		switch {
		case bytes.Equal(old, []byte("null")):
			changed, err = e.missing(keys[1:], depth)
		case len(keys) > 1:
			changed, err = e.in(old, keys[1:], depth+1)
		default:
			changed, err = e.appended(old, depth+1)
		}
		if err != nil {
			return nil, err
		}
		return replace(b, m.value, m.end, changed), nil
	}
	if e.action == setValue {
		text, err := indented(e.value, depth)
		return replace(b, m.value, m.end, text), err
	}
	switch { // delete it, with its comma
	case len(all) == 1:
		return replace(b, open, closing, nil), nil
	case i == len(all)-1:
		return replace(b, all[i-1].end, m.end, nil), nil
	}
	return replace(b, m.start, all[i+1].start, nil), nil
}

// missing returns the value of a new member, with the rest of the path below it.
func (e Edit) missing(keys []string, depth int) ([]byte, error) {
	value := e.value
	if e.action == appendValue {
		value = []any{value}
	}
	for _, k := range slices.Backward(keys) {
		value = map[string]any{k: value}
	}
	return indented(value, depth)
}

// appended returns the list b with one more element.
func (e Edit) appended(b []byte, depth int) ([]byte, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, errors.New("it is not a list")
	}
	text, err := indented(e.value, depth)
	if err != nil {
		return nil, err
	}
	inner := bytes.TrimRight(b[:len(b)-1], " \t\r\n")
	comma := ","
	if len(all) == 0 {
		comma = ""
	}
	return slices.Concat(inner, []byte(comma+lineAt(depth)), text, []byte(lineAt(depth-1)+"]")), nil
}

// member is a member of an object, with byte offsets.
type member struct {
	key               string
	start, value, end int // of the key, of the value, and after it
}

// members returns the members of the object that is the first value of b, and the offsets
// after its opening and of its closing brace.
func members(b []byte) (all []member, open, closing int, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, 0, 0, errors.Join(errors.New("it is not an object"), err)
	}
	open = int(d.InputOffset())
	for d.More() {
		at := int(d.InputOffset())
		at += bytes.IndexByte(b[at:], '"')
		key, err := d.Token()
		if err != nil {
			return nil, 0, 0, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, 0, 0, err
		}
		end := int(d.InputOffset())
		name, _ := key.(string)
		all = append(all, member{name, at, end - len(value), end})
	}
	if _, err := d.Token(); err != nil {
		return nil, 0, 0, err
	}
	return all, open, int(d.InputOffset()) - 1, nil
}

// insertFirst returns b with a new first member of the object whose opening brace ends at
// open.
func insertFirst(b []byte, open int, text string, depth int, others bool) []byte {
	text = lineAt(depth) + text
	if others {
		return slices.Concat(b[:open], []byte(text+","), b[open:])
	}
	rest := bytes.TrimLeft(b[open:], " \t\r\n")
	return slices.Concat(b[:open], []byte(text+lineAt(depth-1)), rest)
}

func replace(b []byte, from, to int, by []byte) []byte { return slices.Concat(b[:from], by, b[to:]) }

// lineAt returns a line break with the indentation at a depth.
func lineAt(depth int) string { return "\n" + strings.Repeat("  ", depth) }

// indented encodes a value that begins at a depth.
func indented(value any, depth int) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent(strings.Repeat("  ", depth), "  ")
	err := e.Encode(value)
	return bytes.TrimRight(out.Bytes(), "\n"), err
}

func quote(s string) []byte {
	b, _ := json.Marshal(s) // cannot fail for a string
	return b
}
