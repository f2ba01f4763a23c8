package transcript

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
func (f *Feed) call(id string, change func(*Tool)) {
	r := f.tools[id]
	if r == nil {
		r = f.addMessage(llm.ToolCall)
		r.Item.(*Tool).id = id
		f.tools[id] = r
	}
	t := r.Item.(*Tool)
	change(t)
	r.Touch()
	foldCalls(f.calls)
	if t.head != nil && t.head != t {
		f.tools[t.head.id].Touch()
	}
}

func (f *Feed) asked(ask event.Ask) {
	if ask.AboutTurn() {
		return
	}
	f.call(ask.ID, func(t *Tool) {
		t.Title, t.Effect, t.targets, t.Stage = ask.Title, ask.Effect, ask.Targets, asking
	})
}

func (f *Feed) decided(ev *event.Decided) {
	f.call(ev.ID, func(t *Tool) {
		t.decided, t.note = true, DecisionNote(ev)
		if ev.Decision == event.Always {
			t.granted = ev.Scope
		}
		if t.Stage == asking {
			t.Stage = waiting
		}
	})
}

func (f *Feed) toolEnd(ev *event.ToolEnd) {
	f.call(ev.Result.ID, func(t *Tool) { t.end(ev) })
	f.tools[ev.Result.ID].end = f.list.Events() - 1
	f.files.take(ev)
}

// stepEnd ends a reply and what it called for. What follows does not touch any
// of it, so that a page may begin there.
func (f *Feed) stepEnd(ev *event.StepEnd) {
	f.arrived()
	f.settle()
	if n := ev.Usage.Input + ev.Usage.Output; n > 0 { // a reply that was stopped tells none
		f.Used = n
	}
	if ev.Cost != nil {
		f.Cost += *ev.Cost
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

// Rewind forgets what was told from event number keep on.
func (f *Feed) Rewind(keep int) {
	f.arrived()
	f.settle()
	f.Running, f.Stopping, f.Killing, f.Cut = false, false, false, false
	f.Prompts = slices.DeleteFunc(f.Prompts, func(s event.PastPrompt) bool { return s.At >= keep })
	f.Turns = len(f.TurnPrompts())
	f.kept, f.Used, f.Answer, f.Todo = keep, 0, "", nil
	clear(f.files)
	if len(f.Pending) > 0 {
		f.begin()
	}
}

// TurnPrompts are the prompts that began a turn, oldest first.
func (f *Feed) TurnPrompts() []event.PastPrompt {
	return slices.DeleteFunc(slices.Clone(f.Prompts), func(s event.PastPrompt) bool { return s.Steered })
}

// TakeSurvey takes what the session amounts to, of which the last events were told
// before.
func (f *Feed) TakeSurvey(s event.Opened) {
	own := f.Recall[min(len(f.Prompts), len(f.Recall)):]
	f.Recall = nil
	for _, p := range s.Prompts {
		f.Recall = append(f.Recall, p.Text)
	}
	f.Recall = append(f.Recall, own...)
	f.Prompts, f.Turns, f.Cost, f.Todo = s.Prompts, s.Turns, s.Cost, s.Todo
	if f.Model == "" {
		f.Model, f.Host, f.BaseURL = s.Model, s.Host, s.BaseURL
	}
	if f.Mode == "" {
		f.Mode = s.Mode
	}
}

// TakeLastFacts takes what a session that was rewound told last, unless it told more
// since.
func (f *Feed) TakeLastFacts(r LastFacts) {
	if r.keep != f.kept {
		return
	}
	if f.Used == 0 {
		f.Used = r.used
	}
	if f.Answer == "" {
		f.Answer = r.answer
	}
	if f.Todo == nil {
		f.Todo = r.todo
	}
}

// Retry is a failed try, with the time at which the next one comes.
type Retry struct {
	event.Retrying
	at   time.Time
	left time.Duration
}

func (r *Retry) Class() Class { return Apart }

func (r *Retry) Draw(c Canvas) []string {
	text := strings.TrimRight(ink.Sanitize(r.Error), ".")
	text += fmt.Sprintf(". Trying again in %s (%d of %d).", phrase.Seconds(r.left), r.Attempt, r.Of)
	if r.Hint != "" {
		text += "\n" + ink.Sanitize(r.Hint)
	}
	return ink.Hang(c.Styles.Yellow.Render(ink.MarkFailed), ink.Wrap(text, c.Inner()))
}

func (f *Feed) retrying(ev event.Retrying) {
	f.dropOpen()
	f.arrived()
	f.failed = &Retry{ev, f.now().Add(ev.In), ev.In}
	f.retry = f.list.Add(f.failed)
}

func (f *Feed) turnEnd(ev *event.TurnEnd) {
	f.arrived()
	f.settle()
	f.Running, f.Stopping, f.Killing, f.Cut = false, false, false, ev.Cut
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
		f.list.put(&Problem{Explain(ev), ev.Hint})
	}
	f.list.put(&Closing{strings.Join(facts, " · ")})
	clear(f.files)
}

func (f *Feed) compacted(ev *event.Compacted) {
	text := "cut old content from what the model is told"
	if ev.Why != "" {
		text += " (" + ink.SanitizeLine(ev.Why) + ")"
	}
	f.list.put(&Closing{text + ": about " + phrase.Thousands(ev.Saved) + " tokens saved; the session keeps all of it"})
}

// Answered takes away that a call waits for the person, as soon as they decided.
func (f *Feed) Answered(id string) {
	if r := f.tools[id]; r != nil {
		r.Item.(*Tool).Stage = waiting
		r.Touch()
	}
}

// FinishReplay ends what the session left open: nothing of it runs any more.
func (f *Feed) FinishReplay() {
	f.arrived()
	f.settle()
	f.shellGone()
	f.Running, f.Stopping, f.Pending = false, false, nil
}

// settle ends what can no longer go on: text that streamed stays as far as it
// came, a call that the model was still writing never was one.
func (f *Feed) settle() {
	for _, p := range f.open {
		switch it := p.row.Item.(type) {
		case *answer:
			it.done = true
			var text strings.Builder
			for _, r := range p.rows() {
				text.WriteString(r.Item.(*answer).own())
			}
			f.Answer = text.String()
		case *thinking:
			it.done = true
		case *Tool:
			f.list.remove(p.row)
		}
		p.row.Touch()
	}
	f.open = nil
	for _, r := range f.calls {
		if t := r.Item.(*Tool); t.Stage != Finished && t.id != "" {
			f.call(t.id, (*Tool).abandon)
		}
	}
	f.calls, f.reply = nil, ""
	clear(f.tools)
}

// changed says what the turn wrote: "2 files changed, +4 −1".
func (f *Feed) changed() []string {
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

// Explain says in a line why a turn ended early.
func Explain(ev *event.TurnEnd) string {
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

// Tick advances what moves.
func (f *Feed) Tick() {
	f.shellTick()
	for _, r := range f.calls {
		if t := r.Item.(*Tool); t.Stage == running {
			t.took = f.now().Sub(t.began)
			r.Touch()
			if t.head != nil && t.head != t {
				f.tools[t.head.id].Touch()
			}
		}
	}
	if f.failed != nil {
		f.failed.left = f.failed.at.Sub(f.now())
		f.retry.Touch()
	}
}

// Working reports whether a tool runs, whose line has the spinner then.
func (f *Feed) Working() bool {
	if f.Shell != nil {
		return true
	}
	for _, r := range f.calls {
		if r.Item.(*Tool).Stage == running {
			return true
		}
	}
	return false
}

// DecisionNote is what the person said with a decision: the choices that they took,
// and their own words.
func DecisionNote(ev *event.Decided) string {
	said := slices.Clone(ev.Chosen)
	if ev.Note != "" {
		said = append(said, ev.Note)
	}
	return strings.Join(said, "; ")
}
