package window

import (
	"encoding/json"
	"slices"
	"strings"

	"agent/internal/llm"
	"agent/internal/loop/event"
)

// todoTool is the tool with which the model sets its plan.
const todoTool = "todo"

// withPlan returns out, the compacted form of msgs. If out no longer has the call that
// set the model's plan, withPlan inserts a note with the plan at index at.
func (s *shortener) withPlan(msgs, out []llm.Message, at int) []llm.Message {
	plan, call := planOf(msgs)
	out = slices.Clone(out)
	for i, m := range slices.Backward(out) {
		if m.Reply == planNote {
			out = slices.Delete(out, i, i+1)
			if i < at {
				at--
			}
		}
	}
	set := slices.ContainsFunc(out, func(m llm.Message) bool { return call != "" && m.Kind == llm.ToolCall && m.ID == call })
	if plan == "" || set {
		return out
	}
	return slices.Insert(out, at, llm.Message{Kind: llm.User, Reply: planNote, Text: plan})
}

// planOf returns the model's plan as a note, and the ID of the call that set it. The
// plan is empty if there is none; the ID is empty if an earlier note has the plan.
func planOf(msgs []llm.Message) (plan, call string) {
	results := llm.Results(msgs)
	for _, m := range slices.Backward(msgs) {
		if m.Reply == planNote {
			return m.Text, ""
		}
		if m.Kind != llm.ToolCall || m.Name != todoTool || results[m.ID] == nil || results[m.ID].IsError {
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
		return "[Your plan so far, as you set it with todo:]" + b.String(), m.ID
	}
	return "", ""
}
