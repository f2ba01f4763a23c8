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
		said = append(said, "The user leaves the choice to you: decide, and state your decision in your answer.")
	}
	if len(d.Chosen) > 0 {
		said = append(said, "The user chose: "+strings.Join(d.Chosen, "; "))
	}
	if d.Note != "" {
		said = append(said, "The user's own words: "+d.Note)
	}
	return strings.Join(said, "\n")
}

// AnswerSummary returns a summary for the user if the answer shows no choice.
func AnswerSummary(d *event.Decided) string {
	if d.Decision == event.Refuse {
		return "left to the model"
	}
	return ""
}
