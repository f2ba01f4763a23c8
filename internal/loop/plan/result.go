package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"agent/internal/loop/event"
)

// The beginnings of results with plans that must stay in the context window. Saved
// sessions contain these texts: never change them.
const (
	approvedBegin  = "The user approved the plan."
	changedBegin   = "The user changed the plan and approved it."
	presentedBegin = "The plan was presented."
)

// changedHead precedes the text of a plan that the user changed.
const changedHead = "\n\nThe plan as the user changed it:\n\n"

// Result returns what the model gets as the result of presenting a plan.
func Result(e *event.PlanSet) string {
	var b strings.Builder
	switch e.State {
	case event.PlanApproved:
		begin, act := approvedBegin, "Carry it out now."
		if e.Edited {
			begin, act = changedBegin, "Carry out the changed plan now, not the one that you presented."
		}
		fmt.Fprintf(&b, "%s %s Its steps are your todo list: update it as you go. The permission mode is now %s.", begin, act, mode(e.Mode))
		if e.Note != "" {
			b.WriteString("\nThe user's comment: " + e.Note)
		}
	case event.PlanRejected:
		next := "Ask the user what to change, then present the revised plan with " + Tool + "."
		if b.WriteString("The user rejected the plan"); e.Note != "" {
			b.WriteString(", with this comment: " + e.Note)
			next = "Revise the plan as the comment says and present it again with " + Tool + ". If the comment is a question, answer it first."
		} else {
			if b.WriteString(" without a comment."); e.Edited {
				next = "Start from the plan as the user changed it, and ask what else to change. Then present it again with " + Tool + "."
			}
		}
		b.WriteString("\nThe permission mode is still plan: do not change files. " + next)
	default:
		return presentedBegin + " Nobody can approve it in this run. Carry it out when the user asks for it."
	}
	if e.Edited {
		b.WriteString(changedHead + strings.TrimSpace(e.Text) + "\n")
	}
	return b.String()
}

// Approved reports whether result is that of a plan that the user approved.
func Approved(result string) bool {
	return strings.HasPrefix(result, approvedBegin) || strings.HasPrefix(result, changedBegin)
}

// mode describes a permission mode to the model.
func mode(name string) string {
	switch event.Mode(name) {
	case event.ModeAuto:
		return event.ModeAuto.Name() + ": edits and commands in the sandbox need no approval"
	case event.ModeAll:
		return "all: nothing needs approval"
	}
	return "ask: the user approves each change"
}

// Summary returns the decision on a plan in a few words, for the user.
func Summary(e *event.PlanSet) string {
	switch {
	case e.State == event.PlanRejected:
		return "rejected"
	case e.State == event.PlanPresented:
		return "nobody to approve it"
	case e.Edited:
		return "changed and approved"
	}
	return "approved"
}

// Kept returns a note with the plan of a call, which can replace the call when the
// conversation is compacted. It returns an empty text unless the plan was approved, or
// presented without a user. args and result are those of the call.
func Kept(args json.RawMessage, result string) string {
	head := "[The plan that the user approved:]\n"
	switch {
	case strings.HasPrefix(result, presentedBegin):
		head = "[The plan that you presented:]\n"
	case strings.HasPrefix(result, changedBegin):
		if _, text, ok := strings.Cut(result, changedHead); ok {
			return head + strings.TrimSpace(text)
		}
	case !strings.HasPrefix(result, approvedBegin):
		return ""
	}
	var p event.Plan
	if json.Unmarshal(args, &p) != nil {
		return ""
	}
	return head + strings.TrimSpace(Markdown(p))
}
