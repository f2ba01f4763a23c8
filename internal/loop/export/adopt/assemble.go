package adopt

import (
	"fmt"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
)

// entry is one thing that the file of another program tells.
type entry struct {
	at    time.Time
	model string
	// Kind, Text, Name, Input, Raw, IsError and Images are as they shall be;
	// Reply and ID are the file's own names, empty where it has none. An entry
	// without a kind says that the person stopped the turn.
	message llm.Message
	usage   llm.Usage // of the reply
	weak    bool      // a prompt that counts only if it is answered
	auto    bool      // a prompt that the other program made up
	outcome event.Outcome
	diffs   []event.Diff
}

// assemble makes a session of what a file tells: turns that begin and end,
// replies with the results of their calls, one for each.
// Those without a time have that of the one before, the first begins at start.
func assemble(entries []entry, start time.Time, left *tally) []event.Durable {
	a := assembler{now: start, entries: entries, left: left, results: map[string][]int{}, used: map[string]bool{}, taken: map[int]bool{}}
	for i, e := range entries {
		if e.message.Kind == llm.ToolResult {
			a.results[e.message.ID] = append(a.results[e.message.ID], i)
		}
	}
	for i := range entries {
		a.take(i)
	}
	if a.weak != nil {
		left.add(localCommands)
	}
	a.endTurn("")
	return a.events
}

// localCommands is what a tally calls what was said to the other program alone.
const localCommands = "commands to the other program, which its model did not answer"

type assembler struct {
	entries []entry
	left    *tally
	events  []event.Durable
	results map[string][]int // indexes of results, by the file's id of the call
	taken   map[int]bool     // results that belong to a call
	used    map[string]bool  // ids of calls, as they are here

	now     time.Time
	weak    *entry
	inTurn  bool
	began   time.Time
	steps   int
	usage   llm.Usage
	spoke   bool // the model said the last word
	replies int
	reply   string // that is open, empty if none is
	theirs  string // what the file calls it
	after   bool   // a result of it has come
	step    event.StepEnd
	open    []openCall
}

// openCall is a call whose result is to come.
type openCall struct {
	message llm.Message
	title   string
	at      time.Time
	result  int // an index, -1 if there is none
}

func (a *assembler) take(i int) {
	e := a.entries[i]
	switch e.message.Kind {
	case llm.User:
		if a.weak != nil {
			a.left.add(localCommands)
		}
		if a.weak = nil; e.weak {
			a.weak = &e
			return
		}
		a.user(e)
	case llm.Assistant, llm.Thinking, llm.ToolCall:
		if a.weak != nil {
			a.user(*a.weak)
			a.weak = nil
		}
		a.model(i)
	case llm.ToolResult:
		a.result(i)
	default:
		a.tick(e)
		a.endTurn(event.UserInterrupt)
	}
}

// tick moves the clock to e, if the file tells when that was.
func (a *assembler) tick(e entry) {
	if !e.at.IsZero() {
		a.now = e.at
	}
}

// user begins a turn, unless the one that the person began has no answer yet.
func (a *assembler) user(e entry) {
	steered := a.inTurn && a.steps == 0 && a.reply == ""
	if !steered {
		a.endTurn("")
	}
	a.tick(e)
	if !a.inTurn {
		a.inTurn, a.began = true, a.now
	}
	a.spoke = false
	a.add(&event.UserSaid{Meta: a.meta(), Text: e.message.Text, Images: e.message.Images, Steered: steered, Auto: e.auto})
}

func (a *assembler) model(i int) {
	e := a.entries[i]
	if len(a.events) == 0 {
		a.user(entry{at: e.at, auto: true, message: llm.Message{Text: "[how this conversation began is not recorded]"}})
	}
	if a.reply == "" || e.message.Reply != a.theirs || e.message.Reply == "" && a.after {
		a.endStep()
		a.replies++
		a.reply, a.theirs = fmt.Sprintf("imported_%d", a.replies), e.message.Reply
		a.step = event.StepEnd{Reply: a.reply, Finish: llm.Stop}
	}
	a.tick(e)
	if !a.inTurn {
		a.inTurn, a.began = true, a.now
	}
	if e.model != "" {
		a.step.Model = e.model
	}
	if e.usage != (llm.Usage{}) {
		a.step.Usage = e.usage // each part of a reply tells of all of it
	}
	m := e.message
	m.Reply = a.reply
	a.spoke = m.Kind == llm.Assistant
	if m.Kind == llm.ToolCall {
		a.call(&m, i)
	}
	a.add(&event.MessageDone{Meta: a.meta(), Message: m})
}

// call names a call and finds its result.
func (a *assembler) call(m *llm.Message, at int) {
	c := openCall{result: -1, at: a.now, title: export.CallTitle(m.Name, m.Input)}
	for _, r := range a.results[m.ID] {
		if r > at && !a.taken[r] && m.ID != "" {
			c.result, a.taken[r] = r, true
			break
		}
	}
	id := m.ID
	for n := 2; m.ID == "" || a.used[m.ID]; n++ {
		if m.ID = fmt.Sprintf("%s_%d", id, n); id == "" {
			m.ID = fmt.Sprintf("call_%d", len(a.used)+n)
		}
	}
	a.used[m.ID] = true
	if m.Name == "" {
		m.Name, c.title = "unknown", "a tool without a name"
	}
	a.step.Finish = llm.Calls
	c.message = *m
	a.open = append(a.open, c)
}

func (a *assembler) result(i int) {
	a.tick(a.entries[i])
	if !a.taken[i] {
		a.left.add(noCall)
		return
	}
	for n, c := range a.open {
		if c.result == i {
			a.close(c)
			a.open = append(a.open[:n:n], a.open[n+1:]...)
			a.after, a.spoke = true, false
			return
		}
	}
}

// close gives a call its result.
func (a *assembler) close(c openCall) {
	if c.result < 0 {
		a.left.add(madeUp + "results of calls that have none")
		a.add(noResult(a.meta(), c.message, c.title))
		return
	}
	e := a.entries[c.result]
	end := &event.ToolEnd{Meta: a.meta(), Title: c.title, Outcome: e.outcome, Diffs: e.diffs, Result: e.message}
	if !e.at.IsZero() {
		end.Time = e.at
		end.Duration = max(e.at.Sub(c.at), 0)
	}
	end.Result.ID, end.Result.Reply = c.message.ID, c.message.Reply
	if end.Outcome == "" {
		end.Outcome = event.OK
		if e.message.IsError {
			end.Outcome = event.Failed
		}
	}
	end.Result.IsError = end.Outcome != event.OK
	a.add(end)
}

// endStep ends the reply that is open, with all its calls.
func (a *assembler) endStep() {
	if a.reply == "" {
		return
	}
	for _, c := range a.open {
		a.close(c)
	}
	a.steps++
	a.usage = a.usage.Add(a.step.Usage)
	step := a.step
	step.Meta = a.meta()
	a.add(&step)
	a.open, a.reply, a.theirs, a.after = nil, "", "", false
}

// endTurn ends the turn that is open, for a reason or for what it looks like.
func (a *assembler) endTurn(reason event.Reason) {
	if !a.inTurn {
		return
	}
	a.endStep()
	end := &event.TurnEnd{Meta: a.meta(), Reason: reason, Steps: a.steps, Usage: a.usage, Duration: max(a.now.Sub(a.began), 0)}
	switch {
	case reason != "":
	case a.spoke:
		end.Reason = event.Done
	default:
		end.Reason, end.Error = event.UserInterrupt, "how this turn ended is not recorded"
	}
	a.add(end)
	a.inTurn, a.steps, a.usage = false, 0, llm.Usage{}
}

func (a *assembler) add(e event.Durable) { a.events = append(a.events, e) }

func (a *assembler) meta() event.Meta { return event.Meta{Time: a.now} }
