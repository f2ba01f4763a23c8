package acp

import (
	"fmt"
	"strings"

	"github.com/coder/acp-go-sdk"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
)

// planned continues /undo or /redo with the answer to its PlanUndo: the plan is shown to the
// user, who approves it; then it is performed. It runs in the loop, after the update for the
// event was sent.
func (s *session) planned(t *turn, e event.Event) {
	runs := s.turns.runs(t)
	plan, ok := e.(event.UndoPlan)
	if runs && plan.ID != "" {
		s.askUndo(t, plan)
		return
	}
	if runs && ok {
		s.feed.note(plan.Why)
	}
	s.turns.finish(t, stopped(acp.StopReasonEndTurn))
}

// askUndo asks the user to approve an undo.
func (s *session) askUndo(t *turn, p event.UndoPlan) {
	verb := "Undo"
	if p.Redo {
		verb = "Redo"
	}
	ask := event.Ask{ID: p.ID, Title: fmt.Sprintf("%s the changes of %s in %s?", verb, phrase.Count(len(p.Turns), "turn"), phrase.Count(len(p.Diffs), "file")), Diffs: p.Diffs}
	for _, d := range p.Conflicts {
		ask.Warnings = append(ask.Warnings, d.Path+" is not restored, because others changed the same lines")
	}
	for _, l := range p.Lost {
		ask.Warnings = append(ask.Warnings, l.Path+" cannot be restored: "+l.Why)
	}
	for _, l := range p.Unsaved {
		ask.Warnings = append(ask.Warnings, "content not kept: "+strings.TrimPrefix(l.Path+": ", ": ")+l.Why)
	}
	s.feed.ask(ask)
	s.questions.permission(ask, func(row *dialog.Row) {
		s.do(func() { s.feed.answered(ask.ID) })
		if row != nil && row.Kind == dialog.Yes {
			s.outbox.Send(event.ApplyUndo{Ref: screen.Await(&s.answers, func(event.Event) { s.turns.finish(t, stopped(acp.StopReasonEndTurn)) }), ID: p.ID})
			return
		}
		s.turns.finish(t, stopped(acp.StopReasonEndTurn))
	})
}
