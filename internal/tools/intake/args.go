package intake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/llm/phrase"
)

// Args are the arguments of a call in the order in which they were sent. Names are
// compared like those of a Form.
type Args struct {
	members []member
	sent    []string // names as sent
	ignored []string // names of dropped members
	notes   []string // see Note
	needs   []string // required in addition to the schema
	name    string   // of the tool as sent, folded
	tool    Tool
	tools   Tools // that Route can choose
}

// maxMembers limits the members of an object.
const maxMembers = 1000

type member struct {
	name  string
	value json.RawMessage // valid, compact JSON
}

// newArgs returns the members of object, which is valid JSON.
func newArgs(object json.RawMessage) (*Args, error) {
	a := &Args{}
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: fmt.Sprint(token)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(a.members, func(o member) bool { return o.name == m.name }); i < 0 {
			a.members = append(a.members, m)
			a.sent = append(a.sent, m.name)
			if len(a.members) > maxMembers {
				return nil, fmt.Errorf("an object has more than %d members", maxMembers)
			}
		} else if !bytes.Equal(a.members[i].value, m.value) {
			return nil, fmt.Errorf("%s was sent twice, with different values; send it once", quoted(m.name))
		}
	}
	return a, nil
}

// unwrap replaces arguments that were sent inside an object of their own:
// {"name": "read", "arguments": {"path": "a"}}.
func (a *Args) unwrap(t Tool) {
	if t.Schema().Properties["arguments"] != nil { // the tool itself takes such an object
		return
	}
	inner := -1
	for i, m := range a.members {
		switch {
		case t.Schema().Properties[m.name] != nil:
			return
		case slices.Contains([]string{"arguments", "parameters", "args", "params"}, m.name) && inner < 0:
			inner = i
		case slices.Contains([]string{"name", "tool", "type", "function"}, m.name) && m.value[0] == '"':
		default:
			return
		}
	}
	if inner < 0 {
		return
	}
	object, err := parse(a.members[inner].text())
	if err != nil || object[0] != '{' {
		return
	}
	if b, err := newArgs(object); err == nil {
		*a = *b
	}
}

// rename replaces the aliases of f. Two names of an argument must have one value.
func (a *Args) rename(tool string, s *jsonschema.Schema, f Form) error {
	for _, name := range keys(s.Properties) {
		for i := 0; i < len(a.members); i++ {
			m := &a.members[i]
			if s.Properties[m.name] != nil || fold(m.name) != fold(name) && !slices.ContainsFunc(f.Aliases[name], same(m.name)) {
				continue
			}
			j := slices.IndexFunc(a.members, func(o member) bool { return o.name == name })
			switch {
			case j < 0:
				m.name = name
				continue
			case isNull(m.value) || bytes.Equal(m.value, a.members[j].value):
			case isNull(a.members[j].value):
				a.members[j].value = m.value
			default:
				return fmt.Errorf("%s: %s and %s have different values; send only %s", tool, quoted(name), quoted(m.name), quoted(name))
			}
			a.members = slices.Delete(a.members, i, i+1)
			i--
		}
	}
	return nil
}

// Called reports whether the model called the tool by one of names.
func (a *Args) Called(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return fold(n) == a.name })
}

// Route makes this a call of another tool, if that exists.
func (a *Args) Route(tool string) bool {
	i := slices.IndexFunc(a.tools, func(t Tool) bool { return t.Name == tool })
	if i < 0 {
		return false
	}
	a.tool = a.tools[i]
	return true
}

// Has reports whether the argument was sent, with a value other than null.
func (a *Args) Has(name string) bool { return a.find(name) >= 0 }

func (a *Args) find(name string) int {
	return slices.IndexFunc(a.members, func(m member) bool { return fold(m.name) == fold(name) && !isNull(m.value) })
}

// Take removes the argument and decodes it into v, a pointer. Text that holds JSON
// is decoded too. It reports false, and removes nothing, if the value does not fit.
func (a *Args) Take(name string, v any) bool {
	i := a.find(name)
	if i < 0 {
		return false
	}
	m := a.members[i]
	if json.Unmarshal(m.value, v) != nil && json.Unmarshal([]byte(m.text()), v) != nil {
		return false
	}
	a.members = slices.Delete(a.members, i, i+1)
	return true
}

// Text returns an argument that is a string.
func (a *Args) Text(name string) string {
	if i := a.find(name); i >= 0 && a.members[i].value[0] == '"' {
		return a.members[i].text()
	}
	return ""
}

// Value returns an argument as sent; nil if it is missing.
func (a *Args) Value(name string) json.RawMessage {
	if i := a.find(name); i >= 0 {
		return a.members[i].value
	}
	return nil
}

// Int returns an argument that is a whole number, also as text.
func (a *Args) Int(name string) (n int, ok bool) {
	i := a.find(name)
	if i < 0 {
		return 0, false
	}
	number, ok := toNumber(a.members[i].value, true)
	return n, ok && json.Unmarshal(number, &n) == nil
}

// Bool returns an argument that is true or false, also as text; ok is false for
// any other.
func (a *Args) Bool(name string) (v, ok bool) {
	t := strings.ToLower(text(a.Value(name)))
	return t == "true", t == "true" || t == "false"
}

// List returns the elements of an argument that is a list, also as text, or a
// single object.
func (a *Args) List(name string) []json.RawMessage {
	v := a.Value(name)
	if len(v) > 0 && v[0] == '"' {
		v, _ = parse(text(v))
	}
	var list []json.RawMessage
	switch {
	case len(v) > 0 && v[0] == '{':
		return []json.RawMessage{v}
	case json.Unmarshal(v, &list) != nil:
		return nil
	}
	return list
}

// Flatten replaces a list of one object by the members of that object.
func (a *Args) Flatten(list string) error {
	elements := a.List(list)
	if len(elements) != 1 || elements[0][0] != '{' {
		return nil
	}
	inner, err := newArgs(elements[0])
	if err == nil {
		err = inner.rename(a.tool.Name, a.tool.Schema(), a.tool.Form)
	}
	if err != nil {
		return err
	}
	a.Remove(list)
	for _, m := range inner.members {
		i := a.find(m.name)
		if i >= 0 && !isEmpty(a.members[i].value) && !bytes.Equal(a.members[i].value, m.value) {
			return fmt.Errorf("%s: %s has different values in and outside %s; send it once", a.tool.Name, quoted(m.name), quoted(list))
		}
		a.Set(m.name, m.value)
	}
	return nil
}

// Set sets an argument to v, which must have a JSON encoding.
func (a *Args) Set(name string, v any) {
	m := member{name, encode(v)}
	if i := a.find(name); i >= 0 {
		a.members[i] = m
		return
	}
	a.members = append(a.members, m)
}

// Remove removes arguments.
func (a *Args) Remove(names ...string) {
	a.members = slices.DeleteFunc(a.members, func(m member) bool { return slices.ContainsFunc(names, same(m.name)) })
}

// TakeAll removes all arguments and returns them by name.
func (a *Args) TakeAll() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, m := range a.members {
		all[m.name] = m.value
	}
	a.members = nil
	return all
}

// Ignore drops an argument that has no effect here.
func (a *Args) Ignore(name string) {
	if i := a.find(name); i >= 0 {
		a.ignored = append(a.ignored, a.members[i].name)
		a.members = slices.Delete(a.members, i, i+1)
	}
}

// Note says in the result of the call how an argument was understood.
func (a *Args) Note(text string) { a.notes = append(a.notes, text) }

// Need makes arguments required that are optional in the schema.
func (a *Args) Need(names ...string) { a.needs = append(a.needs, names...) }

// text returns a value that is a string, and any other value as it is.
func (m member) text() string { return text(m.value) }

func text(value json.RawMessage) string {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return string(value)
	}
	return s
}

// object encodes the members.
func (a *Args) object() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range a.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encode returns v as compact JSON that keeps <, > and &.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only plain values are encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }

// isEmpty reports whether a value is null or empty.
func isEmpty(value json.RawMessage) bool {
	switch string(value) {
	case "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// keys returns the keys of m in order, so that errors do not vary.
func keys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// maxQuoted limits the parts of a call that an error quotes, in characters.
const maxQuoted = 30

// quoted returns names for an error: `"a", "b" and "c"`.
func quoted(names ...string) string {
	var out []string
	for i, n := range names {
		if i == 5 {
			out = append(out, fmt.Sprintf("%d more", len(names)-i))
			break
		}
		out = append(out, phrase.Clip(strconv.Quote(n), maxQuoted))
	}
	return phrase.List(out, "and")
}
