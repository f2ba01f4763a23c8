package loop

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/policy/standing"
	"agent/internal/loop/session"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tools/intake"
)

//go:embed ask.md
var askText string

// Limits of a question.
const (
	minChoices  = 2
	maxChoices  = 6
	maxQuestion = 1000 // characters
	maxChoice   = 100
	maxExplain  = 300
)

type askArgs struct {
	Question string         `json:"question"`
	Choices  []event.Choice `json:"choices"`
	Many     bool           `json:"many,omitempty" jsonschema:"the user may select several"`
}

// nobody is the result of a question if there is no user.
const nobody = "No user is available to answer. Decide yourself and state your decision in your answer, or stop and say what you need to know."

// newAsk returns the tool with which the model asks the user a question. User is nil
// if there is no user.
func newAsk(rec *recorder, user turn.Approver) conversationTool {
	return newConversationTool(func(id string) tools.Tool { return askTool(rec, user, id) })
}

func askTool(rec *recorder, user turn.Approver, id string) tools.Tool {
	return tools.New("ask", askText, func(_ context.Context, args askArgs) (tools.Call, error) {
		if err := args.check(); err != nil {
			return tools.Call{}, err
		}
		call := tools.Call{Title: "ask " + session.FirstWords(args.Question), Effect: tools.Read}
		call.Run = func(ctx context.Context, _ tools.Approved) (tools.Result, error) {
			if user == nil {
				return tools.Result{Text: nobody, Summary: "no user to ask"}, nil
			}
			answer, _, err := user.Approve(ctx, event.Ask{
				ID: id, Title: call.Title, Effect: event.Effect(call.Effect),
				Question: args.Question, Choices: args.Choices, Many: args.Many,
			}, standing.Grant{})
			if err != nil {
				return tools.Result{}, err
			}
			d := args.decided(answer)
			d.Meta = rec.meta()
			if err := rec.emit(d); err != nil {
				return tools.Result{}, err
			}
			return tools.Result{Text: session.AnswerText(d), Summary: session.AnswerSummary(d)}, nil
		}
		return call, nil
	}, intake.Form{
		Names:    []string{"ask_user", "ask_user_question", "ask_followup_question"},
		Aliases:  map[string][]string{"choices": {"options", "follow_up"}, "many": {"multi_select", "multiple"}},
		Harmless: []string{"header"},
		Elements: map[string]intake.Form{"choices": {
			Aliases: map[string][]string{"text": {"label", "title"}, "explain": {"description", "explanation"}},
		}},
		Rewrite: func(a *intake.Args) error { return a.Flatten("questions") },
	})
}

func (q askArgs) check() error {
	if err := fits("the question", q.Question, maxQuestion); err != nil {
		return err
	}
	if n := len(q.Choices); n < minChoices || n > maxChoices {
		return fmt.Errorf("the question has %s: offer %d to %d; the user can always answer in their own words", phrase.Count(n, "choice"), minChoices, maxChoices)
	}
	for i, c := range q.Choices {
		if err := fits(fmt.Sprintf("choice %d", i+1), c.Text, maxChoice); err != nil {
			return err
		}
		if n := utf8.RuneCountInString(c.Explain); n > maxExplain {
			return fmt.Errorf("the explanation of choice %d has %d characters: shorten it to %d", i+1, n, maxExplain)
		}
		if strings.ContainsAny(c.Text, "\r\n") {
			return fmt.Errorf("choice %d has more than one line: move the details to its explanation", i+1)
		}
		if slices.ContainsFunc(q.Choices[:i], func(o event.Choice) bool { return o.Text == c.Text }) {
			return fmt.Errorf("choice %d is a duplicate: %s", i+1, c.Text)
		}
	}
	return nil
}

// fits returns an error if text is blank or longer than limit characters.
func fits(what, text string, limit int) error {
	if strings.TrimSpace(text) == "" {
		return errors.New(what + " is empty")
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Errorf("%s has %d characters: shorten it to %d", what, n, limit)
	}
	return nil
}

// decided returns the event for an answer of the user. An empty answer leaves the
// choice to the model.
func (q askArgs) decided(answer event.Answer) *event.Decided {
	d := &event.Decided{ID: answer.ID, Decision: event.Answered, Note: answer.Note}
	for i, c := range q.Choices {
		if slices.Contains(answer.Choices, i) && (q.Many || len(d.Chosen) == 0) {
			d.Chosen = append(d.Chosen, c.Text)
		}
	}
	if answer.Decision == event.Refuse || len(d.Chosen) == 0 && d.Note == "" {
		d.Decision, d.Chosen = event.Refuse, nil
	}
	return d
}
