package elicit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
)

// Limits of a form.
const (
	maxFields  = 8
	maxChoices = 20
	maxName    = 200  // bytes of the name of a field or the value of a choice
	maxTitle   = 120  // bytes of a title that are kept
	maxAbout   = 500  // bytes of a description that are kept
	maxMessage = 4000 // bytes of a message that are kept
	maxDefault = 2000 // bytes of a default
	maxPattern = 500
	// maxSteps limits the compiled instructions of a pattern. The time of a check grows with
	// them times the length of the text, and a short pattern can have 100,000.
	maxSteps = 2000
)

// NewSeries returns the series for a form with that message and schema, a decoded JSON
// schema of an object of simple values. Long texts are shortened. It returns an error if the
// form has too many fields or choices, or values of another kind. Required fields come
// first, in their order in the schema.
func NewSeries(server, tool, message string, schema any) (Series, error) {
	s := Series{form: Form{Server: server, Tool: tool, Message: Message(message)}}
	object, _ := schema.(map[string]any)
	if schema != nil && object == nil {
		return s, errors.New("its schema is not an object")
	}
	properties, _ := object["properties"].(map[string]any)
	if len(properties) > maxFields {
		return s, fmt.Errorf("it has %d fields, more than %d", len(properties), maxFields)
	}
	var names []string
	list, _ := object["required"].([]any)
	for _, e := range list {
		name, _ := e.(string)
		if _, ok := properties[name]; !ok {
			return s, errors.New("it requires a field that it does not have")
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	required := len(names)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		f, err := newField(name, properties[name], i < required)
		if err != nil {
			return s, fmt.Errorf("its field %q: %w", phrase.Clip(name, maxTitle), err)
		}
		s.fields = append(s.fields, f)
	}
	return s, nil
}

// Message returns the beginning of a message of a server.
func Message(text string) string {
	return phrase.Clip(strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD"), maxMessage)
}

// definition is the schema of a field.
type definition struct {
	Type, Title, Description, Format, Pattern        string
	Default                                          any
	Enum, EnumNames                                  []string
	OneOf                                            []titled
	Minimum, Maximum, MinLength, MaxLength, MinItems *float64
	MaxItems                                         *float64
	Items                                            *struct {
		Enum  []string
		AnyOf []titled
	}
}

// titled is a choice with a title.
type titled struct{ Const, Title string }

func newField(name string, schema any, required bool) (field, error) {
	var d definition
	b, err := json.Marshal(schema)
	if err == nil {
		err = json.Unmarshal(b, &d)
	}
	if err != nil {
		return field{}, errors.New("its schema has a value of a wrong type")
	}
	f := field{name: name, title: line(cmp.Or(d.Title, name), maxTitle), description: line(d.Description, maxAbout), required: required}
	switch {
	case name == "" || len(name) > maxName:
		return f, fmt.Errorf("its name is empty or longer than %d bytes", maxName)
	case d.Type == "string" && (d.Enum != nil || d.OneOf != nil):
		f.kind = one
		err = f.setChoices(d.Enum, d.EnumNames, d.OneOf)
	case d.Type == "string":
		f.kind, f.min, f.max, f.format = text, d.MinLength, d.MaxLength, d.Format
		err = f.setPattern(d.Pattern)
	case d.Type == "number":
		f.kind, f.min, f.max = number, d.Minimum, d.Maximum
	case d.Type == "integer":
		f.kind, f.min, f.max = integer, d.Minimum, d.Maximum
	case d.Type == "boolean":
		f.kind, f.choices = yesNo, []titled{{Title: "Yes"}, {Title: "No"}}
	case d.Type == "array" && d.Items != nil:
		f.kind, f.min, f.max = some, d.MinItems, d.MaxItems
		err = f.setChoices(d.Items.Enum, nil, d.Items.AnyOf)
	default:
		return f, fmt.Errorf("its type %q is not supported in forms", phrase.Clip(d.Type, maxTitle))
	}
	if err == nil {
		f.setDefault(d.Default)
	}
	return f, err
}

// line returns the beginning of a text in one line.
func line(text string, size int) string {
	return phrase.OneLine(strings.ToValidUTF8(text, "\uFFFD"), size)
}

func (f *field) setPattern(pattern string) error {
	if _, known := formats[f.format]; f.format != "" && !known {
		return fmt.Errorf("its format %q is not supported in forms", phrase.Clip(f.format, maxTitle))
	}
	if !checkable(pattern) {
		return errors.New("its pattern cannot be checked")
	}
	f.pattern = pattern
	return nil
}

// checkable reports whether a pattern is a regular expression that is quickly checked.
func checkable(pattern string) bool {
	if len(pattern) > maxPattern {
		return false
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	program, err := syntax.Compile(parsed.Simplify())
	return err == nil && len(program.Inst) <= maxSteps
}

// setChoices sets the choices: values with names at the same places, or values with titles.
func (f *field) setChoices(values, names []string, all []titled) error {
	for i, v := range values {
		c := titled{Const: v}
		if i < len(names) {
			c.Title = names[i]
		}
		f.choices = append(f.choices, c)
	}
	f.choices = append(f.choices, all...)
	if n := len(f.choices); n == 0 || n > maxChoices {
		return fmt.Errorf("it has %s: a form may have 1 to %d", phrase.Count(n, "choice"), maxChoices)
	}
	for i, c := range f.choices {
		if len(c.Const) > maxName {
			return fmt.Errorf("the value of a choice is longer than %d bytes", maxName)
		}
		if slices.ContainsFunc(f.choices[:i], func(o titled) bool { return o.Const == c.Const }) {
			return errors.New("it has the same choice twice")
		}
		f.choices[i].Title = line(cmp.Or(c.Title, c.Const), maxTitle)
	}
	return nil
}

// setDefault sets the answer that is preselected. It ignores a default that the field cannot
// have.
func (f *field) setDefault(value any) {
	a := Answer{}
	list, _ := value.([]any)
	switch v := value.(type) {
	case string:
		a.Text, list = v, []any{v}
	case float64:
		a.Text = show(v)
	case bool:
		list = []any{v}
	}
	for i := range f.choices {
		if slices.Contains(list, f.choice(i)) {
			a.Choices = append(a.Choices, i)
		}
	}
	if !f.typed() {
		a.Text = ""
	}
	if _, err := f.value(a); err == nil && len(a.Text) <= maxDefault {
		f.start = a
	}
}
