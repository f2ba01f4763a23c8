package transcript

import (
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/markdown"
)

// DelegateLabel returns the name of a delegate: "explore 2". It is sanitized.
func DelegateLabel(name string, id int) string {
	return ink.SanitizeLine(event.DelegateLabel(name, id))
}

// RunningDelegates returns the delegates that have not ended.
func RunningDelegates(all []event.Delegate) []event.Delegate {
	return slices.DeleteFunc(slices.Clone(all), func(d event.Delegate) bool { return !d.Running() })
}

// InBackground reports whether a delegate runs without a tool call that waits for it.
func InBackground(d event.Delegate) bool { return d.Running() && (d.Background || d.Call == "") }

// Delegating reports whether a delegate runs.
func (f *Feed) Delegating() bool {
	return slices.ContainsFunc(f.State.Delegates, event.Delegate.Running)
}

// DelegateNow returns in a few words what a delegate does now, or how it ended. It is
// sanitized.
func DelegateNow(d event.Delegate) string {
	switch {
	case d.State == event.DelegateWaiting:
		return "waits for your answer"
	case d.State != event.DelegateWorking:
		return ink.SanitizeLine(string(d.State))
	case d.Action == "":
		return "starting"
	}
	return ink.SanitizeLine(d.Action)
}

// DelegateUsage returns what a delegate has used: steps, tokens and time.
func DelegateUsage(steps, tokens int, took time.Duration) (facts []string) {
	if steps > 0 {
		facts = append(facts, phrase.Count(steps, "step"))
	}
	if tokens > 0 {
		facts = append(facts, phrase.Thousands(tokens)+" tokens")
	}
	return append(facts, phrase.Seconds(took))
}

// DelegateLine draws a delegate on one line: its name, its task, what it does now and
// what it has used. took is how long it has worked. In a narrow window it
// leaves out the tokens, then the steps.
func DelegateLine(st *ink.Styles, d event.Delegate, took time.Duration, width int) string {
	const least = 30 // minimum columns for the task and the action
	label := DelegateLabel(d.Name, d.ID) + "  "
	facts := DelegateUsage(d.Steps, d.Tokens, took)
	right, room := "", 0
	for {
		right = strings.Join(facts, " · ")
		room = width - ink.Gutter - lipgloss.Width(label) - lipgloss.Width(right) - 2
		if room >= least || len(facts) == 1 {
			break
		}
		facts = slices.Delete(facts, len(facts)-2, len(facts)-1)
	}
	now, text := DelegateNow(d), ""
	if task := ink.SanitizeLine(d.Task); task != "" && room >= least { // a fixed part of the room, so that the action stays in place
		text = ink.Truncate(task, room/2) + " · "
	}
	text += now
	return DelegateMark(st, d) + " " + ink.Spread(label+ink.Truncate(text, max(room, 1)), st.Dim.Render(right), max(width-ink.Gutter, 1))
}

// DelegateMark returns the mark of a delegate.
func DelegateMark(st *ink.Styles, d event.Delegate) string {
	switch {
	case d.State == event.DelegateWaiting:
		return st.Yellow.Render(ink.MarkAsked)
	case d.State == event.DelegateDone:
		return st.Green.Render(ink.MarkDone)
	case !d.Running():
		return st.Red.Render(ink.MarkFailed)
	}
	return ink.MarkRunning
}

// DelegateTime returns how long a delegate has worked.
func DelegateTime(d event.Delegate, now time.Time) time.Duration {
	if !d.Running() {
		now = d.Ended
	}
	return now.Sub(d.Began)
}

// delegateStart shows the prompt with which the user started a delegate. The line of
// a tool call shows any other delegate.
func (f *Feed) delegateStart(ev *event.DelegateStart) {
	if ev.Call != "" {
		return
	}
	text := typedStart(ev)
	f.list.append(&Prompt{Text: text})
	f.recall(text)
}

// typedStart returns the prompt with which the user started a delegate.
func typedStart(ev *event.DelegateStart) string { return event.Mention + ev.Name + " " + ev.Prompt }

// delegateEnd shows how a background delegate ended. The result of its tool call shows
// the end of any other delegate.
func (f *Feed) delegateEnd(ev *event.DelegateEnd) {
	if ev.Background {
		f.list.append(&Delegated{End: ev})
		f.untold = append(f.untold, ev)
	}
}

// answerTold reports whether a message of the program is the answer of a background
// delegate, which the transcript has already. It returns the name of the delegate.
func (f *Feed) answerTold(text string) (label string, ok bool) {
	for i, ev := range f.untold {
		label := DelegateLabel(ev.Name, ev.ID)
		if strings.Contains(text, label) && strings.Contains(text, ev.Answer) {
			f.untold = slices.Delete(f.untold, i, i+1)
			return label, true
		}
	}
	return "", false
}

// delegates sets the delegates of the tool calls that wait for them. It touches only
// the rows of those that changed.
func (r *reply) delegates(all []event.Delegate, now time.Time) {
	for _, d := range all {
		row := r.tools[d.Call]
		if d.Call == "" || row == nil {
			continue
		}
		t, before := row.Item.(*Tool), event.Delegate{}
		if t.delegate != nil {
			before = *t.delegate
		}
		if d == before {
			continue
		}
		t.delegate = &d
		t.tick(now)
		r.markChanged(row)
	}
}

// newDelegates returns the delegates of a list. A delegate whose end is known stays ended,
// because the list may be older.
func newDelegates(before, list []event.Delegate) []event.Delegate {
	out := slices.Clone(list)
	for i, d := range out {
		if !d.Running() {
			continue
		}
		if j := slices.IndexFunc(before, func(b event.Delegate) bool { return b.ID == d.ID && !b.Running() }); j >= 0 {
			out[i] = before[j]
		}
	}
	return out
}

// endDelegate updates the list of delegates with the end of one.
func endDelegate(all []event.Delegate, ev *event.DelegateEnd) {
	i := slices.IndexFunc(all, func(d event.Delegate) bool { return d.ID == ev.ID && d.Running() })
	if i < 0 {
		return
	}
	d := &all[i]
	d.State, d.Ended = ev.State(), d.Began.Add(ev.Duration)
	d.Steps, d.Tokens = ev.Steps, ev.Usage.Total()
	if ev.Cost != nil {
		d.Cost = *ev.Cost
	}
}

// DelegateEnding returns how a delegate ended: "done", "stopped" or "failed: " and the
// reason. It is sanitized.
func DelegateEnding(ev *event.DelegateEnd) string {
	if s := ev.State(); s != event.DelegateFailed {
		return string(s)
	}
	return "failed: " + ink.SanitizeLine(Explain(&event.TurnEnd{Reason: ev.Reason, Error: ev.Error, Steps: ev.Steps}))
}

// Delegated is an item for the end of a background delegate. It expands to the answer.
type Delegated struct {
	End *event.DelegateEnd
	expandable
}

func (d *Delegated) class() class { return steps }

func (d *Delegated) more() bool { return d.End.Answer != "" || d.End.Transcript != "" }

// Draw implements Item.
func (d *Delegated) Draw(c Canvas) []string {
	ev := d.End
	mark := c.Styles.Green.Render(ink.MarkDone)
	if ev.Reason != event.Done {
		mark = c.Styles.Red.Render(ink.MarkFailed)
	}
	open := d.Open || c.Full
	facts := DelegateUsage(ev.Steps, ev.Usage.Total(), ev.Duration)
	right := strings.Join(facts, " · ")
	if !open && d.more() && c.key != "" && c.Width >= keyWidth {
		right += " (" + c.key + ")"
	}
	left := DelegateLabel(ev.Name, ev.ID) + "  " + DelegateEnding(ev)
	if c.Inner()-lipgloss.Width(right)-2 < min(lipgloss.Width(left), 24) {
		right = facts[len(facts)-1]
	}
	out := []string{mark + " " + ink.Spread(left, c.Styles.Dim.Render(right), c.Inner())}
	if !open {
		return out
	}
	text, more := ink.Head(ev.Answer, c.limit())
	md := markdown.New(c.Styles)
	md.Append(text)
	md.Finish()
	lines := append(slices.Clone(md.Lines(max(c.Width-4, 1))), c.omitted(more)...)
	if ev.Transcript != "" {
		lines = append(lines, ink.RenderLines(c.Styles.Dim, ink.Wrap("Transcript: "+ink.SanitizeLine(ev.Transcript), max(c.Width-4, 1)))...)
	}
	for _, l := range lines {
		out = append(out, strings.TrimRight("    "+l, " "))
	}
	return out
}
