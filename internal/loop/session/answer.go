package session

import (
	_ "embed"
	"strings"

	"agent/internal/loop/event"
)

// AnswerText returns what the model gets as the result of a question that the
// user answered.
func AnswerText(d *event.Decided) string {
	var said []string
	if d.Decision == event.Refuse {
		said = append(said, "The person leaves it to you: decide for yourself, and say in your answer what you decided.")
	}
	if len(d.Chosen) > 0 {
		said = append(said, "The person chose: "+strings.Join(d.Chosen, "; "))
	}
	if d.Note != "" {
		said = append(said, "In their own words: "+d.Note)
	}
	return strings.Join(said, "\n")
}

// AnswerSummary returns what the user does not see in the answer itself.
func AnswerSummary(d *event.Decided) string {
	if d.Decision == event.Refuse {
		return "left to the model"
	}
	return ""
}
