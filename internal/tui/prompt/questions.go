package prompt

import (
	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
)

// Questions opens and closes the questions of the agent. If one closes without an answer, a
// comment or a plan that is being typed becomes the draft.
type Questions struct {
	editor *editor.Editor
	dialog *dialog.Dialog
	drafts *Drafts
}

// apply opens and closes questions after an event of the agent.
func (q *Questions) apply(ev event.Event) {
	switch ev := ev.(type) {
	case event.Asked:
		q.dialog.Push(ev.Ask, !q.editor.Blank())
		q.drafts.Resume(ev.Ask)
	case *event.Decided:
		q.withdraw(ev.ID)
	case event.AskDone:
		q.withdraw(ev.ID)
	case *event.ToolEnd:
		q.withdraw(ev.Result.ID)
	case *event.Rewound, *event.TurnEnd:
		q.End(func(ask event.Ask) bool { return ask.Agent == "" })
	}
}

// End closes the questions for which gone reports true.
func (q *Questions) End(gone func(event.Ask) bool) {
	if q.dialog.Waits() && gone(q.dialog.First()) {
		q.drafts.KeepTyped()
	}
	q.dialog.Drop(gone)
}

// withdraw closes a question that is answered, or whose call has ended.
func (q *Questions) withdraw(id string) {
	if q.dialog.First().ID == id {
		q.drafts.KeepTyped()
	}
	q.dialog.Withdraw(id)
}
