package sessions

import (
	"cmp"
	"strings"

	"agent/internal/loop/event"
)

// Failure describes for the user why a tool call did not succeed, on one line:
// "error: no such file", "denied: changes files". The text may hold control
// characters.
func Failure(e *event.ToolEnd) string {
	text, rest, _ := strings.Cut(cmp.Or(e.Error, e.Result.Text), "\n")
	if e.Error == "" && e.Source != "" { // the first line marks the text as data
		text, _, _ = strings.Cut(rest, "\n")
	}
	if e.Outcome != event.Refused {
		if e.Unattended && e.Summary != "" { // it says how to allow a second run
			text = e.Summary
		}
		return string(e.Outcome) + ": " + text
	}
	if e.Summary != "" { // Result is written for the model
		text = e.Summary
	}
	for _, prefix := range []string{"refused", "rejected", "denied"} {
		if strings.HasPrefix(strings.ToLower(text), prefix) {
			return text
		}
	}
	return "denied: " + text
}
