// Package plan formats plans as Markdown, parses them, and writes the tool results about
// them. Its functions are pure: they neither ask the user nor record events. Start
// reading at Markdown and Parse.
package plan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// Tool is the name of the tool with which the model presents a plan.
const Tool = "present_plan"

// Markdown returns p as Markdown, which Parse reads.
func Markdown(p event.Plan) string {
	var b strings.Builder
	b.WriteString("# " + p.Title + "\n\n## Steps\n\n")
	for i, step := range p.Steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, step)
	}
	for _, s := range []struct {
		heading string
		items   []string
	}{{"Files", p.Files}, {"Risks", p.Risks}, {"Checks", p.Checks}} {
		if len(s.items) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n- %s\n", s.heading, strings.Join(s.items, "\n- "))
		}
	}
	if notes := strings.TrimSpace(p.Notes); notes != "" {
		b.WriteString("\n## Notes\n\n" + notes + "\n")
	}
	return b.String()
}

// maxEdited is the maximum length in characters of a plan that the user edited.
const maxEdited = 20_000

// Problem says why a plan that the user edited cannot be approved, for the user. It is
// empty if the plan can be approved.
func Problem(text string) string {
	n := utf8.RuneCountInString(text)
	switch {
	case strings.TrimSpace(text) == "":
		return "The plan is empty. Edit it again, or reject it."
	case n > maxEdited:
		return fmt.Sprintf("The plan is too long (%s characters). Shorten it to %s.", phrase.Thousands(n), phrase.Thousands(maxEdited))
	case len(Parse(text).Steps) == 0:
		return "The plan has no steps. Write each step as a list item: 1. Add a test"
	}
	return ""
}

// maxTodo is the maximum length of an item of the todo list, in characters.
const maxTodo = 200

// Todo returns the steps of p as a todo list of pending items.
func Todo(p event.Plan) []event.TodoItem {
	var items []event.TodoItem
	for _, step := range p.Steps {
		if r := []rune(step); len(r) > maxTodo {
			step = string(r[:maxTodo-1]) + "…"
		}
		items = append(items, event.TodoItem{Text: step, State: event.TodoPending})
	}
	return items
}
