package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Feed reduces events to the items of a transcript and to the facts of the
// session. A resumed session goes through it in the same way as a live one.
type Feed struct {
	Facts
	Run
	PromptLog

	list    *Transcript
	now     func() time.Time
	reply   reply
	shell   shell
	changed lineCounts // by this turn
	kept    int        // events that the session was last rewound to
}

// NewFeed returns a feed that adds to list. Now is the clock of durations.
func NewFeed(list *Transcript, now func() time.Time) *Feed {
	return &Feed{
		list: list, now: now, changed: lineCounts{},
		reply: reply{list: list, tools: map[string]*Row{}}, shell: shell{list: list},
	}
}

// Apply takes the next event. It ignores event.Partial: its text was shown as it
// streamed, and comes again in a finished message.
func (f *Feed) Apply(ev event.Event) {
	f.count(ev)
	f.Facts.update(ev)
	switch ev := ev.(type) {
	case *event.UserSaid:
		f.userSaid(ev)
	case *event.MessageDone:
		f.reply.finish(ev.Message)
	case *event.Decided:
		f.reply.decided(ev)
	case *event.ToolStart:
		f.reply.call(ev.ID, func(t *Tool) { t.start(ev, f.now()) })
	case *event.ToolEnd:
		f.reply.ended(ev)
		f.changed.add(ev)
	case *event.TodoSet:
		if ev.ID != "" {
			f.reply.call(ev.ID, func(t *Tool) { t.todo = ev.Items })
		}
	case *event.StepEnd: // what follows changes no item before it, so a page may begin
		f.settle()
		f.split(true)
	case *event.TurnEnd:
		f.turnEnd(ev)
	case *event.Renamed:
		f.list.append(&Closing{"session renamed to " + ink.Quoted(ev.Title)})
	case *event.Compacted:
		f.compacted(ev)
	case event.Streamed:
		f.reply.begin(ev.Reply)
		if !f.Stopping { // finished messages bring the text of an interrupted reply
			f.reply.stream(ev.Delta)
		}
	case *event.ShellStart:
		line := f.shell.start(ev, f.now())
		if n := len(f.Recall); n == 0 || f.Recall[n-1] != line {
			f.Recall = append(f.Recall, line)
		}
	case *event.ShellEnd:
		f.shell.end(ev)
		if !f.Running {
			f.Stopping, f.Killing = false, false
		}
	case event.Progress:
		f.shell.progress(ev)
		f.reply.progress(ev)
	case event.Asked:
		f.reply.asked(ev.Ask)
	case event.Retrying:
		f.reply.retrying(ev, f.now())
	case event.Notice:
		f.list.Add(&Notice{ev.Text})
	case event.Unsent:
		f.Pending = slices.DeleteFunc(f.Pending, func(p PendingPrompt) bool { return p.Text == ev.Text })
	}
}

// count counts a durable event, with which a page may begin.
func (f *Feed) count(ev event.Event) {
	bytes := 0
	switch ev := ev.(type) {
	case *event.Partial, *event.Rewound:
		return
	case *event.UserSaid:
		if !ev.Steered && !ev.Auto {
			f.endReply()
			f.split(false)
			f.list.turn = f.list.Events()
		}
		bytes = len(ev.Text)
	case *event.MessageDone:
		bytes = len(ev.Message.Text)
	case *event.ToolEnd:
		bytes = len(ev.Result.Text)
	case event.Durable:
	default:
		return
	}
	f.list.count(bytes)
}

// split begins a new page if the last one is full. A command of the user that
// runs moves along, since the page where it began has no event of its end.
func (f *Feed) split(inTurn bool) {
	before := f.list.last()
	f.list.split(inTurn)
	if f.shell.row != nil && f.list.last() != before {
		f.list.moveToLast(f.shell.row, before)
	}
}

func (f *Feed) userSaid(ev *event.UserSaid) {
	if ev.Auto {
		f.list.append(&Notice{ev.Text})
		return
	}
	f.PromptLog.said(ev, f.list.Events()-1)
	f.list.append(&Prompt{Text: ev.Text})
	if !ev.Steered {
		f.Turns++
		f.beginTurn()
	}
}

// PromptSent takes a prompt that was sent to the agent.
func (f *Feed) PromptSent(text string) {
	f.Pending = append(f.Pending, PendingPrompt{text, f.Running})
	if !f.Running {
		f.beginTurn()
	}
}

// RetrySent takes a retry that was sent to the agent.
func (f *Feed) RetrySent() { f.beginTurn() }

func (f *Feed) beginTurn() {
	f.Run.begin(f.now())
	clear(f.changed)
}

// endReply ends the reply that streams, of which the text so far is the answer.
func (f *Feed) endReply() { f.Answer = cmp.Or(f.reply.settle(), f.Answer) }

// settle ends the reply, and removes the notice of a failed request.
func (f *Feed) settle() {
	f.reply.clearRetry()
	f.endReply()
}

func (f *Feed) turnEnd(ev *event.TurnEnd) {
	f.settle()
	f.Run.end(ev.Cut, ev.Reason != event.Done && ev.Reason != event.UserInterrupt)
	facts := append(f.changed.summary(), phrase.Duration(ev.Duration))
	if n := ev.Usage.Input + ev.Usage.Output; n > 0 {
		facts = append(facts, phrase.Thousands(n)+" tokens")
	}
	if ev.Cost != nil {
		facts = append(facts, phrase.Dollars(*ev.Cost))
	}
	switch {
	case ev.Reason == event.UserInterrupt:
		text := "interrupted"
		if ev.Error != "" {
			text += ": " + ink.SanitizeLine(ev.Error)
		}
		facts = append([]string{text}, facts...)
	case ev.Reason != event.Done:
		f.list.append(&Problem{Explain(ev), ev.Hint})
	}
	f.list.append(&Closing{strings.Join(facts, " · ")})
	clear(f.changed)
}

func (f *Feed) compacted(ev *event.Compacted) {
	text := "context compacted"
	if ev.Why != "" {
		text += " (" + ink.SanitizeLine(ev.Why) + ")"
	}
	f.list.append(&Closing{text + ": about " + phrase.Thousands(ev.Saved) + " tokens saved; the transcript is kept"})
}

// Rewind forgets the events from number keep on.
func (f *Feed) Rewind(keep int) {
	f.settle()
	f.Run.end(false, false)
	f.Prompts = slices.DeleteFunc(f.Prompts, func(p event.PastPrompt) bool { return p.At >= keep })
	f.Turns = len(f.TurnPrompts())
	f.kept, f.Used, f.Answer, f.Todo = keep, 0, "", nil
	clear(f.changed)
	if len(f.Pending) > 0 {
		f.beginTurn()
	}
}

// TakeSurvey takes the facts of the whole session, of which the last events were
// shown before.
func (f *Feed) TakeSurvey(s event.Opened) {
	f.PromptLog.survey(s.Prompts)
	f.Facts.survey(s)
}

// FinishReplay ends what the session left open: nothing of it runs any more.
func (f *Feed) FinishReplay() {
	f.settle()
	f.shell.abandon()
	f.Run.end(f.Cut, f.Failed)
	f.Pending = nil
}

// Answered shows that a call no longer waits for approval, as soon as the user
// decided.
func (f *Feed) Answered(id string) { f.reply.answered(id) }

// ShellLine returns the command of the user that runs, as the user types it;
// empty if none does.
func (f *Feed) ShellLine() string {
	if f.shell.row == nil {
		return ""
	}
	return f.shell.command().Line
}

// Tick updates the times of what runs.
func (f *Feed) Tick() {
	f.shell.tick(f.now())
	f.reply.tick(f.now())
}

// Working reports whether a tool runs, whose line has the spinner then.
func (f *Feed) Working() bool { return f.shell.row != nil || f.reply.runs() }

// Streams reports whether q is found in text that streams and is no event yet.
func (f *Feed) Streams(q ink.Query) bool { return f.reply.contains(q) }

// TodoNow returns the active item of the model's plan in a line; empty if no turn
// runs or no item is active.
func (f *Feed) TodoNow() string {
	i := activeItem(f.Todo)
	if !f.Running || i >= len(f.Todo) || f.Todo[i].State != event.TodoActive {
		return ""
	}
	return fmt.Sprintf("%s %d of %d  %s", markTodoActive, i+1, len(f.Todo), ink.SanitizeLine(f.Todo[i].Text))
}

// Explain says in a line why a turn ended early.
func Explain(ev *event.TurnEnd) string {
	if ev.Error != "" {
		return ev.Error
	}
	switch ev.Reason {
	case event.OutOfTokens:
		return "the reply reached the output token limit"
	case event.Filtered:
		return "the provider blocked the reply (content filter)"
	case event.MaxSteps:
		return fmt.Sprintf("stopped after %s", phrase.Count(ev.Steps, "step"))
	case event.AllFailed:
		return "stopped: all tool calls failed in several consecutive steps"
	case event.LogError:
		return "cannot save the session"
	}
	return "the turn ended: " + string(ev.Reason)
}

// DecisionNote returns what the user added to a decision: the choices that they
// took, and their own words.
func DecisionNote(ev *event.Decided) string {
	said := slices.Clone(ev.Chosen)
	if ev.Note != "" {
		said = append(said, ev.Note)
	}
	return strings.Join(said, "; ")
}
