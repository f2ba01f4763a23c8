package prompt

import (
	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/screen"
	"agent/internal/tui/transcript"
)

// returns puts prompts that had no effect back into the editor.
type returns struct {
	feed    *transcript.Feed
	rewinds *screen.Rewinds
	send    func(event.Command) // to the agent
	editor  *editor.Editor
}

// apply handles an event of the agent.
func (r *returns) apply(ev event.Event) {
	switch ev := ev.(type) {
	case event.Unsent:
		r.editor.Prepend(ev.Text)
	case *event.Rewound:
		if r.rewinds.Returning != nil {
			r.editor.Prepend(r.rewinds.Returning.Text)
			r.rewinds.Returning = nil
		}
	case *event.TurnEnd:
		r.takeBack()
	}
}

// takeBack removes the prompt of an interrupted turn from the session and returns it to
// the editor, if nothing of the answer has arrived.
func (r *returns) takeBack() {
	n := len(r.feed.Log.Prompts)
	if !r.feed.Unanswered || n == 0 || r.rewinds.Problem() != "" {
		return
	}
	last := r.feed.Log.Prompts[n-1]
	r.rewinds.Returning = &last
	r.send(event.Rewind{Keep: last.At})
}
