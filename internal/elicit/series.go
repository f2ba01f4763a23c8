package elicit

import (
	"slices"

	"agent/internal/llm/phrase"
)

// Series asks the user for the values of a form, one question after the other.
type Series struct {
	form   Form
	fields []field
}

const (
	// maxWrong is how many answers of a series may be wrong.
	maxWrong = 20
	// maxAgain is how much of the message of a server is shown again after the first
	// question, in bytes.
	maxAgain = 100
)

// Ask asks the questions with ask, and returns the values once the user has answered all. A
// wrong answer is asked for again. The series ends with the first answer that is not Accept,
// and with an error of ask.
func (s Series) Ask(ask func(Question) (Answer, error)) (Reply, error) {
	values, wrong := map[string]any{}, 0
	if len(s.fields) == 0 { // a message to confirm
		a, err := ask(Question{Form: s.form, Choices: []string{"Confirm"}})
		if a.Action != Accept || err != nil {
			return Reply{Action: a.Action, Why: a.Why}, err
		}
		return Reply{Action: Accept, Values: values}, nil
	}
	for i, f := range s.fields {
		q := f.question(s.form)
		if q.At, q.Of = i+1, len(s.fields); i > 0 {
			q.Message = phrase.OneLine(q.Message, maxAgain)
		}
		for {
			a, err := ask(q)
			if a.Action != Accept || err != nil {
				return Reply{Action: a.Action, Why: a.Why}, err
			}
			value, err := f.value(a)
			if err == nil {
				if value != nil {
					values[f.name] = value
				}
				break
			}
			if wrong++; wrong > maxWrong {
				return Reply{Action: Decline, Why: "too many answers were not valid"}, nil
			}
			q.Problem, q.Last = err.Error(), a.Text
		}
	}
	return Reply{Action: Accept, Values: values}, nil
}

// question returns the question about a field of a form.
func (f field) question(form Form) Question {
	q := Question{Form: form, Text: f.title, Many: f.kind == some}
	if f.description != "" {
		q.Text += ": " + f.description
	}
	for _, c := range f.choices {
		q.Choices = append(q.Choices, c.Title)
	}
	q.Typed, q.Optional, q.Default, q.Selected = f.typed(), !f.required, f.start.Text, f.start.Choices
	need := ", optional"
	if f.required {
		need = ", required"
	}
	q.Wanted = f.wanted() + need
	return q
}

// value returns the value of a field that an answer gives; nil for none. The error says what
// to answer.
func (f field) value(a Answer) (any, error) {
	if f.typed() {
		return f.parse(a.Text)
	}
	list := []any{}
	for i := range f.choices {
		if slices.Contains(a.Choices, i) {
			list = append(list, f.choice(i))
		}
	}
	switch {
	case len(list) == 0 && !f.required:
		return nil, nil
	case f.kind == some:
		return list, f.checkCount(len(list))
	case len(list) != 1:
		return nil, errOne
	}
	return list[0], nil
}

// choice returns the value of choice i.
func (f field) choice(i int) any {
	if f.kind == yesNo {
		return i == 0
	}
	return f.choices[i].Const
}
