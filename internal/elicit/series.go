package elicit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
)

// Limits of a form.
const (
	maxFields  = 8
	maxChoices = 20
	maxSchema  = 16 << 10 // bytes of the schema
	maxText    = 500      // bytes that are shown of a title or a description
	maxMessage = 4000     // bytes that are shown of a message
	maxAgain   = 100      // bytes that are shown of it again after the first question
	maxWrong   = 20       // wrong answers
)

// Series asks the user for the values of a form, one question after the other. Without
// fields, it asks to confirm the message or to open the page.
type Series struct {
	Form
	fields []field
}

// NewSeries returns the series for a form with that schema, a decoded JSON schema of an
// object of simple values. It returns an error if the form is too large or has other values.
// Required fields come first, in their order in the schema.
func NewSeries(form Form, schema any) (Series, error) {
	s := Series{Form: form}
	var object struct {
		Required   []string
		Properties map[string]property
	}
	b, err := json.Marshal(schema)
	if len(b) > maxSchema {
		return s, fmt.Errorf("its schema is longer than %d bytes", maxSchema)
	}
	if err != nil || json.Unmarshal(b, &object) != nil {
		return s, errors.New("its schema has a value of a wrong type")
	}
	if n := len(object.Properties); n > maxFields {
		return s, fmt.Errorf("it has %d fields, more than %d", n, maxFields)
	}
	names := slices.Concat(object.Required, slices.Sorted(maps.Keys(object.Properties)))
	for i, name := range names {
		p, ok := object.Properties[name]
		if !ok {
			return s, errors.New("it requires a field that it does not have")
		}
		if slices.Contains(names[:i], name) {
			continue
		}
		f, err := newField(name, p, i < len(object.Required))
		if err != nil {
			return s, fmt.Errorf("its field %q: %w", phrase.Clip(name, maxText), err)
		}
		s.fields = append(s.fields, f)
	}
	return s, nil
}

// Message returns the beginning of a message of a server.
func Message(text string) string {
	return phrase.Clip(strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD"), maxMessage)
}

// Ask asks the questions with ask, and returns the values once the user has answered all. A
// wrong answer is asked for again. The series ends with the first answer that is not Accept,
// and with an error of ask.
func (s Series) Ask(ask func(Question) (Answer, error)) (Reply, error) {
	questions := []Question{{Form: s.Form}}
	if s.URL == "" {
		questions[0].Choices = []string{"Confirm"}
	}
	for i, f := range s.fields {
		q := f.question(s.Form)
		if q.At, q.Of = i+1, len(s.fields); i > 0 {
			q.Message = phrase.OneLine(q.Message, maxAgain)
		}
		questions = append(questions[:i], q)
	}
	values, wrong := map[string]any{}, 0
	for i := 0; i < len(questions); {
		a, err := ask(questions[i])
		switch {
		case err != nil || a.Action != Accept:
			return Reply{Action: a.Action, Why: a.Why}, err
		case len(s.fields) == 0:
			return Reply{Action: Accept, Values: values}, nil
		}
		f, q := s.fields[i], &questions[i]
		value, err := f.value(a)
		switch {
		case err != nil && wrong == maxWrong:
			return Reply{Action: Decline, Why: "too many answers were not valid"}, nil
		case err != nil:
			q.Problem, q.Last = err.Error(), a.Text
			wrong++
			continue
		case value != nil:
			values[f.name] = value
		}
		i++
	}
	return Reply{Action: Accept, Values: values}, nil
}
