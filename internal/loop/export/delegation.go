package export

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/session/calls"
)

// delegation is a delegate: part of the call that started it, or an item of its own if
// the user started it or it worked in the background.
type delegation struct {
	start *event.DelegateStart // nil if it is not recorded
	end   *event.DelegateEnd   // nil if it is not recorded
}

func (*delegation) isItem() {}

// name returns the name of the delegate: "explore 2".
func (d *delegation) name() string {
	if d.end != nil {
		return OneLine(event.DelegateLabel(d.end.Name, d.end.ID), MaxTitle)
	}
	return OneLine(event.DelegateLabel(d.start.Name, d.start.ID), MaxTitle)
}

// words describes how the delegate ended and what it used, on one line.
func (d *delegation) words() string {
	text := "no end recorded"
	if d.end != nil {
		text = DelegateAmounts(d.end)
	}
	if d.start == nil {
		return text
	}
	text = join(text, OneLine(d.start.Model, maxWords))
	if d.start.Session != "" {
		text = join(text, "session "+OneLine(d.start.Session, maxWords))
	}
	return text
}

// task returns what the delegate worked on.
func (d *delegation) task() string {
	if d.start == nil {
		return ""
	}
	return strings.TrimSpace(d.start.Prompt)
}

// answer returns the answer of the delegate, unless a message of the conversation has it.
func (d *delegation) answer() string {
	if d.end == nil || d.end.Background {
		return ""
	}
	return strings.TrimSpace(d.end.Answer)
}

// failed reports whether the delegate did not finish its task.
func (d *delegation) failed() bool { return d.end == nil || d.end.Reason != event.Done }

// DelegateAmounts returns how a delegate ended, its steps, time, tokens and cost on one
// line.
func DelegateAmounts(e *event.DelegateEnd) string {
	how := ending(e.Reason)
	how = strings.ToLower(how[:1]) + how[1:]
	if e.Error != "" {
		how += ": " + OneLine(e.Error, 4*MaxTitle)
	}
	cost, steps, took := "", "", ""
	if e.Cost != nil {
		cost = phrase.Dollars(*e.Cost)
	}
	if e.Steps > 0 {
		steps = phrase.Count(e.Steps, "step")
	}
	if e.Duration > 0 {
		took = phrase.Duration(e.Duration)
	}
	return join(how, steps, took, tokens(e.Usage), cost)
}

// delegateEnd takes the end of a delegate. A delegate whose call c waits for it is a part
// of that call.
func (b *itemBuilder) delegateEnd(e *event.DelegateEnd, c *calls.Call) {
	d := &delegation{end: e}
	if i := slices.IndexFunc(b.delegates, func(s *event.DelegateStart) bool { return s.ID == e.ID }); i >= 0 {
		d.start = b.delegates[i]
		b.delegates = slices.Delete(b.delegates, i, i+1)
	}
	if c == nil {
		b.add(d)
	}
}

// delegation writes a delegate that is not part of a call.
func (m markdown) delegation(d *delegation) {
	mark := "✓"
	if d.failed() {
		mark = "✗"
	}
	fmt.Fprintf(m, "%s %s · %s\n\n", mark, codeSpan(d.name()), literal(d.words()))
	m.texts(d)
}

// texts writes the task and the answer of a delegate, collapsed.
func (m markdown) texts(d *delegation) {
	if task := d.task(); task != "" {
		m.folded("Task", sanitizeMarkdown(task, true))
	}
	if answer := d.answer(); answer != "" {
		m.folded("Answer", sanitizeMarkdown(answer, false))
	}
}

// delegationView is the data of a delegate.
type delegationView struct {
	Mark, Name, Words string
	Failed            bool
	Task, Answer      template.HTML
}

// delegationOf returns the view of d; nil for nil.
func (h *page) delegationOf(d *delegation) *delegationView {
	if d == nil {
		return nil
	}
	v := &delegationView{Mark: "✓", Name: d.name(), Words: d.words(), Failed: d.failed()}
	if v.Failed {
		v.Mark = "✗"
	}
	if task := d.task(); task != "" {
		v.Task = h.prose.html(task)
	}
	if answer := d.answer(); answer != "" {
		v.Answer = h.prose.html(answer)
	}
	return v
}
