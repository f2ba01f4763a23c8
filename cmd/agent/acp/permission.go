package acp

import (
	"strconv"

	"github.com/coder/acp-go-sdk"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
)

// permission asks the user to approve a call or to choose, and passes the chosen row to
// answer: nil if the user chose none or the editor could not ask.
func (q *questions) permission(ask event.Ask, answer func(*dialog.Row)) {
	rows := rowsOf(ask)
	kind, title, status := kindOf(ask.Effect, ask.Diffs), askTitle(ask), acp.ToolCallStatusPending
	request := acp.RequestPermissionRequest{
		SessionId: q.session, Options: optionsOf(rows),
		ToolCall: acp.ToolCallUpdate{
			ToolCallId: acp.ToolCallId(ask.ID), Title: &title, Kind: &kind, Status: &status,
			Content: q.feed.askContent(ask), Locations: q.feed.locations(ask.Targets, ask.Diffs), RawInput: askInput(ask),
		},
	}
	var response acp.RequestPermissionResponse
	q.send(ask.ID, acp.ClientMethodSessionRequestPermission, request, &response, func(err error) {
		switch {
		case err != nil:
			answer(nil)
		case response.Outcome.Selected == nil: // the user cancelled the turn
			q.cancel()
			answer(nil) // the question of a delegate in the background belongs to no turn
		default:
			answer(selected(rows, response.Outcome.Selected.OptionId))
		}
	})
}

// askInput returns the command of a question for editors that show only the raw input; nil
// for other questions.
func askInput(ask event.Ask) any {
	for _, t := range ask.Targets {
		if t.Kind == event.CommandTarget {
			return map[string]string{"command": t.Value, "cwd": t.Dir}
		}
	}
	return nil
}

// rowsOf returns the answers to a question. An editor has none with a comment.
func rowsOf(ask event.Ask) []dialog.Row {
	var out []dialog.Row
	for _, r := range dialog.RowsOf(ask).All {
		if r.Kind != dialog.Comment {
			out = append(out, r)
		}
	}
	return out
}

// optionsOf returns the answers as options of a permission request.
func optionsOf(rows []dialog.Row) []acp.PermissionOption {
	kinds := map[dialog.Kind]acp.PermissionOptionKind{
		dialog.Yes: acp.PermissionOptionKindAllowOnce, dialog.Choice: acp.PermissionOptionKindAllowOnce,
		dialog.Skip: acp.PermissionOptionKindAllowOnce, dialog.Always: acp.PermissionOptionKindAllowAlways, dialog.No: acp.PermissionOptionKindRejectOnce,
	}
	var out []acp.PermissionOption
	for _, r := range rows {
		out = append(out, acp.PermissionOption{OptionId: optionID(r), Kind: kinds[r.Kind], Name: dialog.ExactLine(r.Text)})
	}
	return out
}

// optionID returns the ID of an answer: its digit in a dialog.
func optionID(r dialog.Row) acp.PermissionOptionId {
	return acp.PermissionOptionId(strconv.Itoa(r.Digit))
}

// selected returns the row with the ID of an option; nil if there is none.
func selected(rows []dialog.Row, id acp.PermissionOptionId) *dialog.Row {
	for i, r := range rows {
		if optionID(r) == id {
			return &rows[i]
		}
	}
	return nil
}

// answerOf returns the answer to a question. Without a row it is rejected.
func answerOf(ask event.Ask, row *dialog.Row) event.Answer {
	answer := event.Answer{ID: ask.ID, Decision: event.Refuse}
	if row == nil {
		answer.Note = "the user did not answer in the editor"
		return answer
	}
	switch row.Kind {
	case dialog.Yes:
		answer.Decision, answer.Mode = event.Allow, row.Mode
	case dialog.Always:
		answer.Decision = event.Always
	case dialog.Choice:
		answer.Decision, answer.Choices = event.Answered, []int{row.Digit - 1}
	case dialog.Skip:
		answer.Decision = event.Answered
	}
	return answer
}
