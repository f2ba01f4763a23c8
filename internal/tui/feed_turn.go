package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// call changes the tool call of that id, and what tells of it.
func (f *feed) call(id string, change func(*tool)) {
	r := f.tools[id]
	if r == nil {
		r = f.addMessage(llm.ToolCall)
		r.item.(*tool).id = id
		f.tools[id] = r
	}
	t := r.item.(*tool)
	change(t)
	r.touch()
	foldCalls(f.calls)
	if t.head != nil && t.head != t {
		f.tools[t.head.id].touch()
	}
}

func (f *feed) asked(ask event.Ask) {
	if ask.AboutTurn() {
		return
	}
	f.call(ask.ID, func(t *tool) {
		t.title, t.effect, t.targets, t.stage = ask.Title, ask.Effect, ask.Targets, asking
	})
}

func (f *feed) decided(ev *event.Decided) {
	f.call(ev.ID, func(t *tool) {
		t.decided, t.note = true, saidWith(ev)
		if ev.Decision == event.Always {
			t.granted = ev.Scope
		}
		if t.stage == asking {
			t.stage = waiting
		}
	})
}

func (f *feed) toolEnd(ev *event.ToolEnd) {
	f.call(ev.Result.ID, func(t *tool) { t.end(ev) })
	f.tools[ev.Result.ID].end = f.list.events() - 1
	f.files.take(ev)
}

// stepEnd ends a reply and what it called for. What follows does not touch any
// of it, so that a page may begin there.
func (f *feed) stepEnd(ev *event.StepEnd) {
	f.arrived()
	f.settle()
	if n := ev.Usage.Input + ev.Usage.Output; n > 0 { // a reply that was stopped tells none
		f.used = n
	}
	if ev.Cost != nil {
		f.cost += *ev.Cost
	}
	f.bound(true)
}

// tally counts the lines that a turn adds and removes, by path.
type tally map[string]*[2]int

// take counts what an event tells.
func (n tally) take(ev event.Event) {
	switch ev := ev.(type) {
	case *event.UserSaid:
		if !ev.Steered {
			clear(n)
		}
	case *event.TurnEnd:
		clear(n)
	case *event.ToolEnd:
		for _, d := range ev.Diffs {
			if n[d.Path] == nil {
				n[d.Path] = new([2]int)
			}
			n[d.Path][0] += d.Added
			n[d.Path][1] += d.Removed
		}
	}
}

// rewind forgets what was told from event number keep on.
func (f *feed) rewind(keep int) {
	f.arrived()
	f.settle()
	f.running, f.stopping, f.killing, f.cut = false, false, false, false
	f.said = slices.DeleteFunc(f.said, func(s event.PastPrompt) bool { return s.At >= keep })
	f.turns = len(f.turned())
	f.kept, f.used, f.answer, f.todo = keep, 0, "", nil
	clear(f.files)
	if len(f.pending) > 0 {
		f.begin()
	}
}

// turned are the prompts that began a turn, oldest first.
func (f *feed) turned() []event.PastPrompt {
	return slices.DeleteFunc(slices.Clone(f.said), func(s event.PastPrompt) bool { return s.Steered })
}

// surveyed takes what the session amounts to, of which the last events were told
// before.
func (f *feed) surveyed(s event.Opened) {
	own := f.prompts[min(len(f.said), len(f.prompts)):]
	f.prompts = nil
	for _, p := range s.Prompts {
		f.prompts = append(f.prompts, p.Text)
	}
	f.prompts = append(f.prompts, own...)
	f.said, f.turns, f.cost, f.todo = s.Prompts, s.Turns, s.Cost, s.Todo
	if f.model == "" {
		f.model, f.host, f.baseURL = s.Model, s.Host, s.BaseURL
	}
	if f.mode == "" {
		f.mode = s.Mode
	}
}

// goesOn takes what answers from here on, and in which mode: it may be another
// than the session had.
func (f *feed) goesOn(o Options) {
	if o.Model != "" {
		f.model, f.why, f.context, f.effort = o.Model, o.ModelWhy, o.Context, o.Effort
		f.host, f.baseURL = o.Host, o.BaseURL
	}
	if o.Mode != "" {
		f.mode = o.Mode
	}
}

// recalled takes what a session that was rewound told last, unless it told more
// since.
func (f *feed) recalled(r recalled) {
	if r.keep != f.kept {
		return
	}
	if f.used == 0 {
		f.used = r.used
	}
	if f.answer == "" {
		f.answer = r.answer
	}
	if f.todo == nil {
		f.todo = r.todo
	}
}

// retry is a failed try, with the time at which the next one comes.
type retry struct {
	event.Retrying
	at   time.Time
	left time.Duration
}

func (r *retry) class() class { return said }

func (r *retry) draw(c canvas) []string {
	text := strings.TrimRight(ink.Sanitize(r.Error), ".")
	text += fmt.Sprintf(". Trying again in %s (%d of %d).", phrase.Seconds(r.left), r.Attempt, r.Of)
	if r.Hint != "" {
		text += "\n" + ink.Sanitize(r.Hint)
	}
	return ink.Hang(c.st.Yellow.Render(ink.MarkFailed), ink.Wrap(text, c.inner()))
}

func (f *feed) retrying(ev event.Retrying) {
	f.dropOpen()
	f.arrived()
	f.failed = &retry{ev, f.now().Add(ev.In), ev.In}
	f.retry = f.list.add(f.failed)
}

func (f *feed) turnEnd(ev *event.TurnEnd) {
	f.arrived()
	f.settle()
	f.running, f.stopping, f.killing, f.cut = false, false, false, ev.Cut
	facts := f.changed()
	facts = append(facts, phrase.Duration(ev.Duration))
	if n := ev.Usage.Input + ev.Usage.Output; n > 0 {
		facts = append(facts, phrase.Thousands(n)+" tokens")
	}
	if ev.Cost != nil {
		facts = append(facts, phrase.Dollars(*ev.Cost))
	}
	switch {
	case ev.Reason == event.UserInterrupt:
		stopped := "stopped"
		if ev.Error != "" {
			stopped += ": " + ink.SanitizeLine(ev.Error)
		}
		facts = append([]string{stopped}, facts...)
	case ev.Reason != event.Done:
		f.list.put(&fault{why(ev), ev.Hint})
	}
	f.list.put(&ending{strings.Join(facts, " · ")})
	clear(f.files)
}

func (f *feed) compacted(ev *event.Compacted) {
	text := "cut old content from what the model is told"
	if ev.Why != "" {
		text += " (" + ink.SanitizeLine(ev.Why) + ")"
	}
	f.list.put(&ending{text + ": about " + phrase.Thousands(ev.Saved) + " tokens saved; the session keeps all of it"})
}

// answered takes away that a call waits for the person, as soon as they decided.
func (f *feed) answered(id string) {
	if r := f.tools[id]; r != nil {
		r.item.(*tool).stage = waiting
		r.touch()
	}
}

// resumed ends what the session left open: nothing of it runs any more.
func (f *feed) resumed() {
	f.arrived()
	f.settle()
	f.shellGone()
	f.running, f.stopping, f.pending = false, false, nil
}

// settle ends what can no longer go on: text that streamed stays as far as it
// came, a call that the model was still writing never was one.
func (f *feed) settle() {
	for _, p := range f.open {
		switch it := p.row.item.(type) {
		case *answer:
			it.done = true
			var text strings.Builder
			for _, r := range p.rows() {
				text.WriteString(r.item.(*answer).own())
			}
			f.answer = text.String()
		case *thinking:
			it.done = true
		case *tool:
			f.list.remove(p.row)
		}
		p.row.touch()
	}
	f.open = nil
	for _, r := range f.calls {
		if t := r.item.(*tool); t.stage != finished && t.id != "" {
			f.call(t.id, (*tool).abandon)
		}
	}
	f.calls, f.reply = nil, ""
	clear(f.tools)
}

// changed says what the turn wrote: "2 files changed, +4 −1".
func (f *feed) changed() []string {
	if len(f.files) == 0 {
		return nil
	}
	added, removed := 0, 0
	for _, n := range f.files {
		added += n[0]
		removed += n[1]
	}
	return []string{fmt.Sprintf("%s changed, +%d −%d", phrase.Count(len(f.files), "file"), added, removed)}
}

// why says in a line why a turn ended early.
func why(ev *event.TurnEnd) string {
	if ev.Error != "" {
		return ev.Error
	}
	switch ev.Reason {
	case event.OutOfTokens:
		return "the reply reached its limit of tokens"
	case event.Filtered:
		return "the provider refused to answer"
	case event.MaxSteps:
		return fmt.Sprintf("stopped after %s", phrase.Count(ev.Steps, "step"))
	case event.AllFailed:
		return "stopped: the tools failed in step after step"
	case event.LogError:
		return "the session cannot be written"
	}
	return "the turn ended: " + string(ev.Reason)
}

// tick advances what moves.
func (f *feed) tick() {
	f.shellTick()
	for _, r := range f.calls {
		if t := r.item.(*tool); t.stage == running {
			t.took = f.now().Sub(t.began)
			r.touch()
			if t.head != nil && t.head != t {
				f.tools[t.head.id].touch()
			}
		}
	}
	if f.failed != nil {
		f.failed.left = f.failed.at.Sub(f.now())
		f.retry.touch()
	}
}

// working reports whether a tool runs, whose line has the spinner then.
func (f *feed) working() bool {
	if f.typed != nil {
		return true
	}
	for _, r := range f.calls {
		if r.item.(*tool).stage == running {
			return true
		}
	}
	return false
}
