package window

import (
	"encoding/json"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/llm/marker"
	"agent/internal/loop/event"
	"agent/internal/loop/plan"
)

// todoTool is the tool with which the model sets its plan.
const todoTool = "todo"

// withPlans returns out, the compacted form of msgs. If out no longer has the call with
// the plan that the user approved, or the one that set the model's todo list, withPlans
// inserts a note with its content at index at.
func (s *shortener) withPlans(msgs, out []llm.Message, at int) []llm.Message {
	out = slices.Clone(out)
	for i, m := range slices.Backward(out) {
		if isPlanNote(m) {
			out = slices.Delete(out, i, i+1)
			if i < at {
				at--
			}
		}
	}
	var notes []llm.Message
	add := func(kind, text, call string) {
		there := slices.ContainsFunc(out, func(m llm.Message) bool { return call != "" && m.Kind == llm.ToolCall && m.ID == call })
		if text != "" && !there {
			notes = append(notes, llm.Message{Kind: llm.User, Reply: kind, Text: text})
		}
	}
	text, call := approvedPlan(msgs)
	add(approvedNote, text, call)
	text, call = planOf(msgs)
	add(planNote, text, call)
	return slices.Insert(out, at, notes...)
}

// isPlanNote reports whether m is a note of withPlans.
func isPlanNote(m llm.Message) bool { return m.Reply == planNote || m.Reply == approvedNote }

// removedPlan is the result of a call with a plan that the user has removed from the
// context.
const removedPlan = marker.Begin + "the user removed this plan."

// approvedPlan returns the newest plan that must stay, as a note, and the ID of the
// call that presented it. The plan is empty if there is none; the ID is empty if an
// earlier note has the plan.
func approvedPlan(msgs []llm.Message) (note, call string) {
	results := llm.Results(msgs)
	for _, m := range slices.Backward(msgs) {
		if m.Reply == approvedNote {
			return m.Text, ""
		}
		r := results[m.ID]
		if m.Kind != llm.ToolCall || m.Name != plan.Tool || r == nil || r.IsError {
			continue
		}
		if strings.HasPrefix(r.Text, removedPlan) {
			return "", ""
		}
		if text := plan.Kept(m.Input, r.Text); text != "" {
			return text, m.ID
		}
	}
	return "", ""
}

// planOf returns the model's todo list as a note, and the ID of the call that set it.
// The list is empty if there is none, or if a plan was approved later, whose steps are
// the todo list; the ID is empty if an earlier note has the list.
func planOf(msgs []llm.Message) (list, call string) {
	results := llm.Results(msgs)
	for _, m := range slices.Backward(msgs) {
		switch r := results[m.ID]; {
		case m.Reply == planNote:
			return m.Text, ""
		case m.Reply == approvedNote:
			return "", ""
		case m.Kind != llm.ToolCall || r == nil || r.IsError:
			continue
		case m.Name == plan.Tool && plan.Kept(m.Input, r.Text) != "":
			return "", ""
		case m.Name != todoTool:
			continue
		}
		var args struct {
			Items []event.TodoItem `json:"items"`
		}
		if json.Unmarshal(m.Input, &args) != nil {
			continue
		}
		var b strings.Builder
		for _, item := range args.Items {
			b.WriteString("\n- " + string(item.State) + ": " + item.Text)
		}
		if b.Len() == 0 {
			return "", m.ID
		}
		return "[Your todo list so far, as you set it with todo:]" + b.String(), m.ID
	}
	return "", ""
}
