package elicit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"agent/internal/llm/phrase"
)

// property is the schema of a field.
type property struct {
	Type, Title, Description, Format     string
	Default                              any
	Enum, EnumNames                      []string
	OneOf                                []choice
	Minimum, Maximum, MinItems, MaxItems *float64
	MinLength, MaxLength                 *float64
	Items                                struct {
		Enum  []string
		AnyOf []choice
	}
}

// choice is a value that a user can select. Those of a boolean have no Const: they are true
// and false.
type choice struct{ Const, Title string }

// field is a field of a form.
type field struct {
	property
	name     string
	required bool
	choices  []choice // empty if the value is typed
	start    Answer   // the default
	// min and max limit a number, the characters of a text, and how many choices are selected.
	min, max *float64
}

func newField(name string, p property, required bool) (field, error) {
	f := field{property: p, name: name, required: required}
	switch p.Type {
	case "string":
		if f.setChoices(p.Enum, p.EnumNames, p.OneOf); f.choices == nil {
			f.min, f.max = p.MinLength, p.MaxLength
		}
	case "number", "integer":
		f.min, f.max = p.Minimum, p.Maximum
	case "boolean":
		f.setChoices(nil, nil, []choice{{Title: "Yes"}, {Title: "No"}})
	case "array":
		f.setChoices(p.Items.Enum, nil, p.Items.AnyOf)
		f.min, f.max = p.MinItems, p.MaxItems
	}
	_, known := formats[p.Format]
	switch n := len(f.choices); {
	case p.Type != "string" && p.Type != "number" && p.Type != "integer" && n == 0:
		return f, fmt.Errorf("values of the type %q without choices are not supported", p.Type)
	case p.Type == "string" && p.Format != "" && !known:
		return f, fmt.Errorf("its format %q is not supported", p.Format)
	case n > maxChoices:
		return f, fmt.Errorf("it has %d choices, more than %d", n, maxChoices)
	}
	f.setDefault()
	return f, nil
}

// setChoices sets the choices: values with names at the same places, or values with titles.
func (f *field) setChoices(values, names []string, titled []choice) {
	for i, v := range values {
		c := choice{Const: v}
		if i < len(names) {
			c.Title = names[i]
		}
		f.choices = append(f.choices, c)
	}
	f.choices = append(f.choices, titled...)
}

// setDefault sets the answer that is preselected. It ignores a default that the field cannot
// have.
func (f *field) setDefault() {
	a := Answer{}
	list, _ := f.Default.([]any)
	switch v := f.Default.(type) {
	case float64:
		a.Text = show(v)
	case string:
		a.Text, list = v, []any{v}
	case bool:
		list = []any{v}
	}
	for i := range f.choices {
		if slices.Contains(list, f.choice(i)) {
			a.Choices = append(a.Choices, i)
		}
	}
	if f.choices != nil {
		a.Text = ""
	}
	if _, err := f.value(a); err == nil {
		f.start = a
	}
}

// label returns what the user sees of a choice: its title, and the value if that differs, so
// that a server cannot give a value a misleading name.
func (c choice) label() string {
	title, value := phrase.OneLine(c.Title, maxText), phrase.OneLine(c.Const, maxText)
	if title == "" || value == "" || strings.EqualFold(title, value) {
		return cmp.Or(title, value)
	}
	return title + " (" + value + ")"
}

// choice returns the value of choice i.
func (f *field) choice(i int) any {
	if f.Type == "boolean" {
		return i == 0
	}
	return f.choices[i].Const
}

// question returns the question about the field.
func (f *field) question(form Form) Question {
	q := Question{Form: form, Text: phrase.OneLine(cmp.Or(f.Title, f.name), maxText), Many: f.Type == "array"}
	if f.Description != "" {
		q.Text += ": " + phrase.OneLine(f.Description, maxText)
	}
	for _, c := range f.choices {
		q.Choices = append(q.Choices, c.label())
	}
	q.Typed, q.Optional, q.Default, q.Selected = f.choices == nil, !f.required, f.start.Text, f.start.Choices
	need := ", optional"
	if f.required {
		need = ", required"
	}
	q.Wanted = f.wanted() + need
	return q
}

// value returns the value that an answer gives; nil for none. The error says what to answer.
func (f *field) value(a Answer) (any, error) {
	text, list := a.Text, []any{}
	if f.Type != "string" || f.Format != "" { // a pasted value often ends with a line break
		text = strings.TrimSpace(text)
	}
	for i := range f.choices {
		if slices.Contains(a.Choices, i) {
			list = append(list, f.choice(i))
		}
	}
	switch {
	case f.choices == nil && strings.TrimSpace(text) != "", len(list) > 0, f.Type == "array" && f.required:
	case f.required:
		return nil, errors.New("a value is required")
	default:
		return nil, nil
	}
	var value any
	size, ok := float64(len(list)), true
	switch {
	case f.Type == "array":
		value = list
	case f.choices != nil:
		value, ok = list[0], len(list) == 1
	case f.Type == "string":
		value, size = text, float64(utf8.RuneCountInString(text))
		ok = utf8.ValidString(text) && (f.Format == "" || formats[f.Format].match(text))
	default:
		n, err := strconv.ParseFloat(text, 64)
		value, size, ok = n, n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) && (f.Type == "number" || n == math.Trunc(n) && math.Abs(n) <= maxInteger)
	}
	if !ok || f.min != nil && size < *f.min || f.max != nil && size > *f.max {
		return nil, errors.New("the answer must be " + f.wanted())
	}
	return value, nil
}

// maxInteger is the largest integer up to which a float64 is exact.
const maxInteger = 1 << 53

// format is a format of texts.
type format struct {
	name  string
	match func(string) bool
}

// formats are the formats that the protocol allows.
var formats = map[string]format{
	"email": {"an email address", func(s string) bool {
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s
	}},
	"uri": {"a URL, such as https://example.com", func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && u.Scheme != ""
	}},
	"date":      {"a date, such as 2026-01-31", isTime(time.DateOnly)},
	"date-time": {"a date and time, such as 2026-01-31T10:00:00Z", isTime(time.RFC3339)},
}

func isTime(layout string) func(string) bool {
	return func(s string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	}
}

// wanted describes the values of the field: "a whole number from 1 to 10".
func (f *field) wanted() string {
	noun, unit := "text", "character"
	switch {
	case f.Type == "array":
		noun, unit = "a selection", "choice"
	case f.choices != nil:
		noun = "one of the choices"
	case f.Type == "number":
		noun, unit = "a number", ""
	case f.Type == "integer":
		noun, unit = "a whole number", ""
	case f.Format != "":
		noun = formats[f.Format].name
	}
	count := func(n float64) string {
		if unit == "" {
			return show(n)
		}
		return phrase.Count(int(n), unit)
	}
	switch {
	case f.min != nil && f.max != nil && *f.min == *f.max:
		return noun + " of exactly " + count(*f.max)
	case f.min != nil && f.max != nil:
		return noun + " from " + show(*f.min) + " to " + count(*f.max)
	case f.min != nil:
		return noun + " of at least " + count(*f.min)
	case f.max != nil:
		return noun + " of at most " + count(*f.max)
	}
	return noun
}

func show(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
