package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// Feed turns events into items of a transcript and the state of the session. Live and
// resumed sessions use it in the same way.
type Feed struct {
	State SessionState
	Log   PromptLog
	Run
	Sandbox event.SandboxNow // of the model's commands

	list    *Transcript
	now     func() time.Time
	reply   reply
	shell   shell
	changed turnChanges // of the current turn
	hooks   []hookRun   // that the agent waits for, oldest first
	kept    int         // number of events kept by the last rewind
	// untold are the background delegates that have ended since their answers were last
	// sent to the model.
	untold []*event.DelegateEnd
}

// NewFeed returns a feed that adds to list. now is the clock for durations.
func NewFeed(list *Transcript, now func() time.Time) *Feed {
	return &Feed{
		list: list, now: now,
		reply: reply{list: list, tools: map[string]*Row{}}, shell: shell{list: list},
	}
}

// Apply applies the next event. It ignores event.Partial, whose text was already
// streamed and comes again in the finished message.
func (f *Feed) Apply(ev event.Event) {
	f.count(ev)
	f.State.update(ev)
	f.Log.changed(ev)
	switch ev := ev.(type) {
	case *event.UserSaid:
		f.userSaid(ev)
	case *event.MessageDone:
		f.Unanswered = f.Unanswered && ev.Message.Kind == llm.Thinking
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
	case *event.PlanSet:
		f.planSet(ev)
	case *event.StepEnd: // later events change no item before it, so a page may start
		f.finishReply()
		f.split(true)
	case *event.TurnEnd:
		f.turnEnd(ev)
	case *event.PermissionRemoved:
		f.list.append(&Closing{"permission removed: " + ink.SanitizeLine(ev.Text)})
	case *event.Renamed:
		if ev.Model == "" {
			f.list.append(&Closing{"session renamed to " + ink.Quoted(ev.Title)})
		}
	case *event.Compacted:
		f.Unanswered = false // a rewind would undo the compaction
		f.compacted(ev)
	case *event.ShellStart:
		f.Unanswered = false // a rewind would remove the command
		f.recall(f.shell.start(ev, f.now()))
	case *event.ShellEnd:
		f.shell.end(ev)
		if !f.Running {
			f.Stopping, f.Killing = false, false
		}
	case *event.FilesChanged:
		f.filesChanged(ev)
	case *event.Undone:
		f.list.append(&Undone{Undone: ev})
	case *event.DelegateStart:
		f.delegateStart(ev)
	case *event.DelegateEnd:
		f.delegateEnd(ev)
	default:
		f.preview(ev)
	}
}

// preview applies the next event that is not stored.
func (f *Feed) preview(ev event.Event) {
	switch ev := ev.(type) {
	case event.Streamed:
		f.reply.begin(ev.Reply)
		if !f.Stopping { // the finished messages have the text of an interrupted reply
			f.reply.stream(ev.Delta)
		}
	case event.Progress:
		f.shell.progress(ev)
		f.reply.progress(ev)
	case event.Asked:
		if ev.Ask.Agent == "" { // the call of a delegate is not in this transcript
			f.reply.asked(ev.Ask)
		}
	case event.AskDone:
		f.reply.answered(ev.ID)
	case event.Retrying:
		f.reply.retrying(ev, f.now())
	case event.Summarizing:
		f.summarizing(ev)
	case event.SandboxNow:
		f.Sandbox = ev
	case event.BudgetNow:
		f.State.Budget, f.State.BudgetAt = ev, f.now()
	case event.DelegatesNow:
		f.reply.delegates(ev.Delegates, f.now())
	case event.HookNow:
		f.hookNow(ev)
	case event.Notice:
		f.list.Notify(ev.Text)
	case event.Unsent:
		f.Log.Pending = slices.DeleteFunc(f.Log.Pending, func(p PendingPrompt) bool { return p.Text == ev.Text })
	}
}

// recall adds a line to Recall, unless it is the last one.
func (f *Feed) recall(line string) {
	if n := len(f.Log.Recall); n == 0 || f.Log.Recall[n-1] != line {
		f.Log.Recall = append(f.Log.Recall, line)
	}
}

// Busy reports whether a turn or a shell command of the user runs.
func (f *Feed) Busy() bool { return f.Running || f.ShellLine() != "" }

// count counts a durable event. A page may start with it.
func (f *Feed) count(ev event.Event) {
	bytes := 0
	switch ev := ev.(type) {
	case *event.Partial, *event.Rewound:
		return
	case *event.UserSaid:
		if !ev.Steered && !ev.Auto {
			f.endReply()
			f.split(false)
			f.list.Pages.turn = f.list.Pages.Events()
		}
		bytes = len(ev.Text)
	case *event.MessageDone:
		bytes = len(ev.Message.Text)
	case *event.ToolEnd:
		bytes = len(ev.Result.Text)
	case *event.PlanSet:
		bytes = len(ev.Text)
	case event.Durable:
	default:
		return
	}
	f.list.Pages.count(bytes)
}

// split starts a new page if the last one is full. It moves a running command of the
// user to the new page, which will have the event of its end.
func (f *Feed) split(inTurn bool) {
	before := f.list.Pages.last()
	f.list.Pages.split(inTurn)
	if f.shell.row != nil && f.list.Pages.last() != before {
		f.list.moveToLast(f.shell.row, before)
	}
}

func (f *Feed) userSaid(ev *event.UserSaid) {
	if ev.Situation {
		return
	}
	if ev.Auto {
		note := shortNote(ev.Text)
		if ev.Source != "" {
			note, _, _ = strings.Cut(ev.Text, "\n")
		}
		if label, ok := f.answerTold(ev.Text); ok {
			note, f.Unanswered = "the answer of "+label, false // a rewind would remove it
		}
		f.list.append(&Notice{"Sent to the model: " + note})
		if !f.Running { // the answer of a background delegate starts a turn
			f.beginTurn()
		}
		return
	}
	f.Log.said(ev, f.list.Pages.Events()-1)
	f.list.append(&Prompt{Text: ev.Text})
	f.Unanswered = false
	if !ev.Steered {
		f.State.Turns++
		f.beginTurn()
		f.Unanswered = ev.Source == "" && ev.Text != event.ContinuePrompt
	}
}

// shortNote returns a note of the program to the model as the user sees it: the
// first line of a long one.
func shortNote(text string) string {
	const long = 400
	if first, _, more := strings.Cut(text, "\n"); more && len(text) > long {
		return first
	}
	return text
}

// PromptSent records a prompt that was sent to the agent.
func (f *Feed) PromptSent(text string) {
	f.Log.Pending = append(f.Log.Pending, PendingPrompt{text, f.Running})
	if !f.Running {
		f.beginTurn()
	}
}

// TurnSent takes a command without a prompt, which was sent to the agent and starts a
// turn.
func (f *Feed) TurnSent() { f.beginTurn() }

func (f *Feed) beginTurn() {
	f.Run.begin(f.now())
	f.changed = turnChanges{}
}

// endReply ends the streaming reply. Its text so far is the answer.
func (f *Feed) endReply() { f.State.Answer = cmp.Or(f.reply.finishAll(), f.State.Answer) }

// finishReply ends the reply and removes the notice of a retry.
func (f *Feed) finishReply() {
	f.reply.clearRetry()
	f.reply.clearSummary()
	f.endReply()
}

func (f *Feed) turnEnd(ev *event.TurnEnd) {
	f.finishReply()
	f.Run.end(f.result(ev))
	facts := append(f.changed.summary(), phrase.Duration(ev.Duration))
	if n := ev.Usage.Total(); n > 0 {
		facts = append(facts, phrase.Thousands(n)+" tokens this turn")
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
	text := strings.Join(facts, " · ")
	if line := ev.Evidence.Line(); line != "" {
		text += "\n" + ink.SanitizeLine(line)
	}
	f.list.append(&Closing{text})
	f.changed = turnChanges{}
}

// result returns the state after a turn. One that the user interrupted, or that reached a
// limit, has not failed.
func (f *Feed) result(ev *event.TurnEnd) Run {
	switch ev.Reason {
	case event.UserInterrupt:
		if ev.Error != "" {
			return Run{Cut: ev.Cut, Exited: true}
		}
		return Run{Unanswered: f.Unanswered}
	case event.ProviderError, event.LogError, event.OutOfTokens, event.Filtered, event.BadAnswer:
		return Run{Cut: ev.Cut, Failed: true}
	}
	return Run{Cut: ev.Cut}
}

// planSet shows a plan with its tool call.
func (f *Feed) planSet(ev *event.PlanSet) {
	if ev.ID == "" {
		f.list.append(&Plan{PlanSet: ev})
		return
	}
	f.reply.call(ev.ID, func(t *Tool) { t.plan = &Plan{PlanSet: ev} })
}

// summarizing shows that a summary is written, which can be interrupted like a turn.
func (f *Feed) summarizing(ev event.Summarizing) {
	if !f.Running {
		f.beginTurn()
	}
	f.reply.summarizing(ev)
}

// compacted shows what a compaction did, in one line.
func (f *Feed) compacted(ev *event.Compacted) {
	f.reply.clearSummary()
	f.State.Used = max(f.State.Used-ev.Saved, 0)
	text := compactWords(ev)
	switch ev.Step {
	case event.CompactEdit, event.CompactUndo:
	case event.CompactPin, event.CompactUnpin, event.CompactDrop:
		if ev.Title != "" {
			text += ": " + ink.SanitizeLine(ev.Title)
		}
	case event.CompactImages:
		text += ": " + ink.SanitizeLine(ev.Why)
	default:
		text = "context compacted: " + text + ", " + phrase.Thousands(ev.Saved) + " tokens saved"
	}
	f.list.append(&Closing{text})
}

// compactWords says what a compaction did.
func compactWords(ev *event.Compacted) string {
	switch ev.Step {
	case event.CompactPrompts:
		return "long earlier messages shortened"
	case event.CompactAllResults:
		return "earlier results removed"
	case event.CompactList:
		return "earlier tool calls listed"
	case event.CompactSummary:
		if ev.Model == "" {
			return "earlier steps listed"
		}
		return "summarized by " + ink.SanitizeLine(ev.Model)
	case event.CompactAnswers:
		return "long answers shortened"
	case event.CompactMerge:
		return "earlier messages merged"
	case event.CompactLatest:
		return "your latest message shortened"
	case event.CompactImages:
		return "image removed from the context"
	case event.CompactEdit:
		return "summary edited"
	case event.CompactUndo:
		return "summary undone"
	case event.CompactPin:
		return "pinned"
	case event.CompactUnpin:
		return "unpinned"
	case event.CompactDrop:
		return "dropped from the context"
	}
	return "long results shortened"
}

// Rewind drops the events from number keep on.
func (f *Feed) Rewind(keep int) {
	f.finishReply()
	f.Run.end(Run{})
	f.Log.Prompts = slices.DeleteFunc(f.Log.Prompts, func(p event.PastPrompt) bool { return p.At >= keep })
	f.Log.continueTurn()
	f.State.Turns = len(f.Log.TurnPrompts())
	f.kept, f.State.Used, f.State.Answer, f.State.Todo, f.State.Evidence, f.State.Plan = keep, 0, "", nil, nil, nil
	f.changed = turnChanges{}
	if len(f.Log.Pending) > 0 {
		f.beginTurn()
	}
}

// TakeSummary applies the summary of the complete session, after its last events were
// shown.
func (f *Feed) TakeSummary(s event.Opened) {
	f.Log.takeSummary(s.Prompts)
	f.State.takeSummary(s)
}

// FinishReplay ends calls and commands that a resumed session left open.
func (f *Feed) FinishReplay() {
	f.finishReply()
	f.shell.abandon()
	f.Run.end(f.Run)
	f.Log.Pending = nil
}

// Answered shows that a call no longer waits for approval, before the decision event
// arrives.
func (f *Feed) Answered(id string) { f.reply.answered(id) }

// ShellLine returns the running command of the user as typed, or "".
func (f *Feed) ShellLine() string {
	if f.shell.row == nil {
		return ""
	}
	return f.shell.command().Line
}

// Tick updates the running times.
func (f *Feed) Tick() {
	f.shell.tick(f.now())
	f.reply.tick(f.now())
}

// Streams reports whether q matches text that is still streaming.
func (f *Feed) Streams(q ink.Query) bool { return f.reply.contains(q) }

// TodoNow returns the active item of the model's plan on one line, or "" if no turn is
// running or no item is active.
func (f *Feed) TodoNow() string {
	i := activeItem(f.State.Todo)
	if !f.Running || i >= len(f.State.Todo) || f.State.Todo[i].State != event.TodoActive {
		return ""
	}
	return fmt.Sprintf("%s %d of %d  %s", markTodoActive, i+1, len(f.State.Todo), ink.SanitizeLine(f.State.Todo[i].Text))
}

// Explain returns on one line why a turn ended early.
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

// DecisionNote returns what the user added to a decision: the selected choices, the
// comment, and the comments on lines.
func DecisionNote(ev *event.Decided) string {
	note := slices.Clone(ev.Chosen)
	if ev.Note != "" {
		note = append(note, ev.Note)
	}
	note = append(note, ev.LineComments()...)
	return strings.Join(note, "; ")
}
