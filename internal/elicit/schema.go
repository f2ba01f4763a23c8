package elicit

import (
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
	maxFields  = 30
	maxChoices = 50
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

// NewForm returns the form of a server with that message and schema, a decoded JSON schema
// of an object of simple values. Long texts are shortened. It returns an error if the form
// has more fields or choices than a user can read, or values of another kind. Required
// fields come first, in their order in the schema.
func NewForm(server, tool, message string, schema any) (Form, error) {
	f := Form{Server: server, Tool: tool, Message: Message(message)}
	object, _ := schema.(map[string]any)
	if schema != nil && object == nil {
		return Form{}, errors.New("its schema is not an object")
	}
	properties, _ := object["properties"].(map[string]any)
	if len(properties) > maxFields {
		return Form{}, fmt.Errorf("it has %d fields, more than %d", len(properties), maxFields)
	}
	var names []string
	list, _ := object["required"].([]any)
	for _, e := range list {
		name, _ := e.(string)
		if _, ok := properties[name]; !ok {
			return Form{}, errors.New("it requires a field that it does not have")
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
		field, err := newField(name, properties[name])
		if err != nil {
			return Form{}, fmt.Errorf("its field %q: %w", phrase.Clip(name, maxTitle), err)
		}
		field.Required = i < required
		f.Fields = append(f.Fields, field)
	}
	return f, nil
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

func newField(name string, schema any) (Field, error) {
	var d definition
	b, err := json.Marshal(schema)
	if err == nil {
		err = json.Unmarshal(b, &d)
	}
	if err != nil {
		return Field{}, errors.New("its schema has a value of a wrong type")
	}
	f := Field{Name: name, Title: line(d.Title, maxTitle), Description: line(d.Description, maxAbout), Default: d.Default}
	switch {
	case name == "" || len(name) > maxName:
		return f, fmt.Errorf("its name is empty or longer than %d bytes", maxName)
	case d.Type == "string" && (d.Enum != nil || d.OneOf != nil):
		f.Kind = One
		err = f.setChoices(d.Enum, d.EnumNames, d.OneOf)
	case d.Type == "string":
		f.Kind, f.Min, f.Max, f.Format = Text, d.MinLength, d.MaxLength, d.Format
		err = f.setPattern(d.Pattern)
	case d.Type == "number" || d.Type == "integer":
		f.Kind, f.Min, f.Max = Kind(d.Type), d.Minimum, d.Maximum
	case d.Type == "boolean":
		f.Kind = YesNo
	case d.Type == "array" && d.Items != nil:
		f.Kind, f.Min, f.Max = Some, d.MinItems, d.MaxItems
		err = f.setChoices(d.Items.Enum, nil, d.Items.AnyOf)
	default:
		return f, fmt.Errorf("its type %q is not supported in forms", phrase.Clip(d.Type, maxTitle))
	}
	if text, ok := f.Default.(string); ok && len(text) > maxDefault || f.Default != nil && f.Check(f.Default) != nil {
		f.Default = nil // the user enters a value
	}
	return f, err
}

// line returns the beginning of a text in one line.
func line(text string, size int) string {
	return phrase.OneLine(strings.ToValidUTF8(text, "\uFFFD"), size)
}

func (f *Field) setPattern(pattern string) error {
	if _, known := formats[f.Format]; f.Format != "" && !known {
		return fmt.Errorf("its format %q is not supported in forms", phrase.Clip(f.Format, maxTitle))
	}
	if !checkable(pattern) {
		return errors.New("its pattern cannot be checked")
	}
	f.Pattern = pattern
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
func (f *Field) setChoices(values, names []string, all []titled) error {
	for i, v := range values {
		c := Choice{Value: v}
		if i < len(names) {
			c.Title = line(names[i], maxTitle)
		}
		f.Choices = append(f.Choices, c)
	}
	for _, t := range all {
		f.Choices = append(f.Choices, Choice{Value: t.Const, Title: line(t.Title, maxTitle)})
	}
	if n := len(f.Choices); n == 0 || n > maxChoices {
		return fmt.Errorf("it has %s: a form may have 1 to %d", phrase.Count(n, "choice"), maxChoices)
	}
	for i, c := range f.Choices {
		if len(c.Value) > maxName {
			return fmt.Errorf("the value of a choice is longer than %d bytes", maxName)
		}
		if slices.ContainsFunc(f.Choices[:i], func(o Choice) bool { return o.Value == c.Value }) {
			return errors.New("it has the same choice twice")
		}
	}
	return nil
}

// Schema returns the JSON schema of the form, for another program that shows it.
func (f Form) Schema() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, field := range f.Fields {
		properties[field.Name] = field.schema()
		if field.Required {
			required = append(required, field.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func (f Field) schema() map[string]any {
	s := map[string]any{}
	set := func(key string, value any, is bool) {
		if is {
			s[key] = value
		}
	}
	set("title", f.Title, f.Title != "")
	set("description", f.Description, f.Description != "")
	set("default", f.Default, f.Default != nil)
	set("format", f.Format, f.Format != "")
	set("pattern", f.Pattern, f.Pattern != "")
	least, most := "minimum", "maximum"
	switch f.Kind {
	case Text, One:
		s["type"], least, most = "string", "minLength", "maxLength"
	case Number, Integer:
		s["type"] = string(f.Kind)
	case YesNo:
		s["type"] = "boolean"
	case Some:
		s["type"], least, most = "array", "minItems", "maxItems"
	}
	set(least, f.Min, f.Min != nil)
	set(most, f.Max, f.Max != nil)
	var choices []any
	for _, c := range f.Choices {
		choices = append(choices, map[string]string{"const": c.Value, "title": c.Label()})
	}
	set("oneOf", choices, f.Kind == One)
	set("items", map[string]any{"anyOf": choices}, f.Kind == Some)
	return s
}
