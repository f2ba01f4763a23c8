package transcript

import (
	"slices"

	"agent/internal/loop/event"
)

// PromptLog holds the prompts of the user.
type PromptLog struct {
	Prompts []event.PastPrompt // prompts in the conversation, oldest first
	Recall  []string           // prompts and commands of this session, oldest first
	Pending []PendingPrompt    // prompts that are sent but not in the conversation yet

	changes event.ChangeCount // since continueTurn
	earlier event.ChangeSum   // of the last turn before
}

// PendingPrompt is a prompt that is not in the conversation yet.
type PendingPrompt struct {
	Text   string
	Steers bool // sent during a turn
}

// TurnPrompts returns the prompts that started a turn, oldest first.
func (l *PromptLog) TurnPrompts() []event.PastPrompt {
	return slices.DeleteFunc(slices.Clone(l.Prompts), func(p event.PastPrompt) bool { return p.Steered })
}

// said adds a prompt, which is event number at.
func (l *PromptLog) said(ev *event.UserSaid, at int) {
	if i := slices.IndexFunc(l.Pending, func(p PendingPrompt) bool { return p.Text == ev.Text }); i >= 0 {
		l.Pending = l.Pending[i+1:]
	}
	l.Recall = append(l.Recall, ev.Text)
	l.Prompts = append(l.Prompts, event.PastPrompt{Text: ev.Text, Time: ev.Time, At: at, Steered: ev.Steered})
	if !ev.Steered {
		l.continueTurn()
	}
}

// changed counts what an event reports for the last turn.
func (l *PromptLog) changed(ev event.Event) {
	if i := l.lastTurn(); l.changes.Add(ev) && i >= 0 {
		more := l.changes.Sum()
		sum := &l.Prompts[i].Changes
		sum.Files, sum.Added = l.earlier.Files+more.Files, l.earlier.Added+more.Added
		sum.Removed, sum.Commands = l.earlier.Removed+more.Removed, l.earlier.Commands+more.Commands
	}
}

// lastTurn returns the index of the last prompt that began a turn, negative if none did.
func (l *PromptLog) lastTurn() int {
	i := len(l.Prompts) - 1
	for i >= 0 && l.Prompts[i].Steered {
		i--
	}
	return i
}

// continueTurn begins to count what follows the last turn so far.
func (l *PromptLog) continueTurn() {
	l.changes, l.earlier = event.ChangeCount{}, event.ChangeSum{}
	if i := l.lastTurn(); i >= 0 {
		l.earlier = l.Prompts[i].Changes
	}
}

// ChangedSince returns how many file changes followed event number at.
func (l *PromptLog) ChangedSince(at int) int {
	n := 0
	for _, p := range l.Prompts {
		if p.At >= at {
			n += p.Changes.Files
		}
	}
	return n
}

// takeSummary sets all prompts of the session, after the last ones were added.
func (l *PromptLog) takeSummary(prompts []event.PastPrompt) {
	typed := l.Recall[min(len(l.Prompts), len(l.Recall)):]
	l.Recall = nil
	for _, p := range prompts {
		l.Recall = append(l.Recall, p.Text)
	}
	l.Recall = append(l.Recall, typed...)
	l.Prompts = prompts
	l.continueTurn()
}

// Jump scrolls t to the previous prompt above the first line of the window, or to the
// next one; after the last prompt, to the end.
func (l *PromptLog) Jump(t *Transcript, back bool) {
	at, within := t.TopEvent()
	n, found := l.index(at)
	switch {
	case back && within && found:
		t.Seek(Target{At: at})
	case back && n > 0:
		t.Seek(Target{At: l.Prompts[n-1].At})
	case back:
		t.ShowStart()
	default:
		if found {
			n++
		}
		if n == len(l.Prompts) {
			t.ShowEnd()
			return
		}
		t.Seek(Target{At: l.Prompts[n].At})
	}
}

// Shown returns the number of prompts up to the last line of the window of t.
func (l *PromptLog) Shown(t *Transcript) int {
	at, _ := t.LowestEvent()
	n, found := l.index(at)
	if found {
		n++
	}
	return n
}

// index returns the number of prompts before an event, and whether that is one itself.
func (l *PromptLog) index(at int) (n int, found bool) {
	return slices.BinarySearchFunc(l.Prompts, at, func(p event.PastPrompt, at int) int { return p.At - at })
}
