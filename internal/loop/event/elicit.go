package event

import "agent/internal/elicit"

// Of returns the ask with a question of an MCP server.
func (a Ask) Of(q elicit.Question) Ask {
	a.Form, a.Question, a.Choices, a.Many = &q.Form, q.Text, nil, q.Many
	for _, text := range q.Choices {
		a.Choices = append(a.Choices, Choice{Text: text})
	}
	return a
}

// Chooses reports whether the question is answered with a choice or in the user's own words.
func (a Ask) Chooses() bool { return len(a.Choices) > 0 || a.Form.AsksValue() }

// To returns the answer to a question of an MCP server.
func (a Answer) To(q elicit.Question) elicit.Answer {
	want := Answered
	if q.URL != "" {
		want = Allow
	}
	if a.Decision != want {
		return elicit.Answer{Action: elicit.Decline, Why: a.Note}
	}
	return elicit.Answer{Action: elicit.Accept, Choices: a.Choices, Text: a.Note}
}
