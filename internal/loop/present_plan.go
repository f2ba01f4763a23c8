package loop

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/plan"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/tools"
)

//go:embed present_plan.md
var presentPlanText string

// Limits of a plan.
const (
	maxSteps     = 30
	maxPlanItems = 100  // of another list
	maxPlanLine  = 500  // characters of the title or an item
	maxPlan      = 8000 // characters in all
)

// planner presents plans to the user.
type planner struct {
	rec         *recorder
	permissions *permissions
	user        turn.Approver // nil if there is no user
}

// insteadOfChange returns the Instead of a turn. In permission mode plan, a delegate describes
// a change of files in its answer. Other agents make it a step of their plan, if they can
// present one.
func insteadOfChange(delegated bool) func(tools.Call, func(tool string) bool) string {
	return func(c tools.Call, offered func(tool string) bool) string {
		switch {
		case c.Effect != tools.Write:
			return ""
		case delegated:
			return "Describe the change in your answer instead"
		case offered(plan.Tool):
			return "Make it a step of the plan that you present with " + plan.Tool + ". The user approves the plan to allow edits"
		}
		return ""
	}
}

// newPresentPlan returns the tool with which the model presents a plan.
func newPresentPlan(p planner) conversationTool {
	return newConversationTool(func(id string) tools.Tool { return p.tool(id) })
}

func (p planner) tool(id string) tools.Tool {
	return tools.New(plan.Tool, presentPlanText, func(_ context.Context, args event.Plan) (tools.Call, error) {
		if p.permissions.Mode() != event.ModePlan {
			return tools.Call{}, errors.New("the permission mode is not plan, so there is nothing to approve. Do the work now. If the user must decide something first, ask")
		}
		if err := checkPlan(args); err != nil {
			return tools.Call{}, err
		}
		call := tools.Call{Title: "plan " + session.FirstWords(args.Title), Effect: tools.Read}
		call.Run = func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
			e, err := p.decide(ctx, id, args)
			if err != nil {
				return tools.Result{}, err
			}
			if err := p.record(e); err != nil {
				return tools.Result{}, err
			}
			return tools.Result{Text: plan.Result(e), Summary: plan.Summary(e), EndsTurn: e.State == event.PlanPresented}, nil
		}
		return call, nil
	}, planForm())
}

func checkPlan(p event.Plan) error {
	if err := oneLineOf("the title", p.Title); err != nil {
		return err
	}
	switch n := len(p.Steps); {
	case n == 0:
		return errors.New("the plan has no steps: send 1 to 30")
	case n > maxSteps:
		return fmt.Errorf("the plan has %d steps, at most %d are allowed: merge some of them", n, maxSteps)
	}
	for _, list := range []struct {
		name  string
		items []string
	}{{"step", p.Steps}, {"file", p.Files}, {"risk", p.Risks}, {"check", p.Checks}} {
		if n := len(list.items); n > maxPlanItems {
			return fmt.Errorf("the plan has %s, at most %d are allowed: leave out the least important", phrase.Count(n, list.name), maxPlanItems)
		}
		for i, item := range list.items {
			if err := oneLineOf(fmt.Sprintf("%s %d", list.name, i+1), item); err != nil {
				return err
			}
		}
	}
	if n := utf8.RuneCountInString(plan.Markdown(p)); n > maxPlan {
		return fmt.Errorf("the plan has %d characters: shorten it to %d", n, maxPlan)
	}
	return nil
}

// oneLineOf returns an error if text is blank, too long or more than one line.
func oneLineOf(what, text string) error {
	if err := fits(what, text, maxPlanLine); err != nil {
		return err
	}
	if strings.ContainsAny(text, "\r\n") {
		return fmt.Errorf("%s has more than one line: write one line, and move the details to notes", what)
	}
	return nil
}

// decide asks the user about a plan and returns the decision. If the user has edited
// the plan so that it cannot be carried out, decide says so and asks again.
func (p planner) decide(ctx context.Context, id string, presented event.Plan) (*event.PlanSet, error) {
	e := event.PlanSet{ID: id, Plan: presented, Text: plan.Markdown(presented), State: event.PlanPresented}
	if p.user == nil {
		return &e, nil
	}
	ask := event.Ask{ID: id, Title: "Approve this plan?", Effect: event.ReadEffect, Plan: e.Text}
	for {
		answer, _, err := p.user.Approve(ctx, ask, standing.Grant{})
		if err != nil {
			return nil, err
		}
		decided, problem := edited(e, cmp.Or(answer.Text, ask.Plan))
		decided.Note = strings.TrimSpace(answer.Note)
		switch {
		case answer.Decision != event.Allow:
			decided.State = event.PlanRejected
			return &decided, nil
		case problem == "":
			decided.State, decided.Mode = event.PlanApproved, string(modeAfterPlan(answer.Mode))
			return &decided, nil
		}
		p.rec.notify(problem)
		ask.Plan = answer.Text
	}
}

// edited returns e with the text as the user edited it, or e and what the user must
// change in the text.
func edited(e event.PlanSet, text string) (changed event.PlanSet, problem string) {
	if strings.TrimSpace(text) == strings.TrimSpace(e.Text) {
		return e, ""
	}
	if problem := plan.Problem(text); problem != "" {
		return e, problem
	}
	now := plan.Parse(text)
	now.Title = cmp.Or(now.Title, e.Plan.Title)
	e.Plan, e.Text, e.Edited = now, text, true
	return e, ""
}

// modeAfterPlan returns the mode in which the turn continues after an approval.
func modeAfterPlan(m event.Mode) event.Mode {
	if m == event.ModePlan || !slices.Contains(event.Modes, m) {
		return event.ModeAsk
	}
	return m
}

// record records the decision on a plan. After an approval it sets the mode, and makes
// the steps the todo list.
func (p planner) record(e *event.PlanSet) error {
	e.Meta = p.rec.meta()
	if err := p.rec.emit(e); err != nil {
		return err
	}
	if e.State != event.PlanApproved {
		return nil
	}
	p.permissions.setMode(event.Ref{}, event.Mode(e.Mode))
	return p.rec.emit(&event.TodoSet{Meta: p.rec.meta(), ID: e.ID, Items: plan.Todo(e.Plan)})
}
