package adopt

import (
	"fmt"
	"time"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
)

// entry is a message or an event in the file of another program.
type entry struct {
	at    time.Time
	model string
	// Kind, Text, Name, Input, Raw, IsError and Images are final. Reply and ID are
	// those of the file, empty if it has none. An entry without a Kind means that the
	// user interrupted the turn.
	message llm.Message
	usage   llm.Usage // of the reply
	weak    bool      // a prompt that is kept only if it is answered
	auto    bool      // a prompt that the other program wrote
	outcome event.Outcome
	diffs   []event.Diff
}

// assemble builds a valid session from entries: complete turns, and replies with one
// result for each call. An entry without a time has that of the previous entry, or
// start.
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

// localCommands is the tally of commands for the other program itself.
const localCommands = "commands that the model of the other program did not answer"

// assembler is an assemble in progress.
type assembler struct {
	entries []entry
	left    *tally
	events  []event.Durable
	results map[string][]int // indexes of results, by the call ID of the file
	taken   map[int]bool     // results that belong to a call
	used    map[string]bool  // call IDs of the new session

	now     time.Time
	weak    *entry
	inTurn  bool
	began   time.Time
	steps   int
	usage   llm.Usage
	spoke   bool // the last message is an answer of the model
	replies int
	reply   string // ID of the open reply; empty if none is open
	theirs  string // its ID in the file
	after   bool   // a result of one of its calls has been added
	step    event.StepEnd
	open    []openCall
}

// openCall is a call without a result yet.
type openCall struct {
	message llm.Message
	title   string
	at      time.Time
	result  int // index of its entry, -1 if there is none
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

// tick sets the time to that of e, if e has one.
func (a *assembler) tick(e entry) {
	if !e.at.IsZero() {
		a.now = e.at
	}
}

// user starts a turn, or steers the open one if that has no answer yet.
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
		a.user(entry{at: e.at, auto: true, message: llm.Message{Text: "[The beginning of this conversation was not recorded.]"}})
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
		a.step.Usage = e.usage // each part of a reply has the usage of the whole reply
	}
	m := e.message
	m.Reply = a.reply
	a.spoke = m.Kind == llm.Assistant
	if m.Kind == llm.ToolCall {
		a.call(&m, i)
	}
	a.add(&event.MessageDone{Meta: a.meta(), Message: m})
}

// call assigns a unique ID to a call and finds its result.
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
		m.Name, c.title = "unknown", "unnamed tool"
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

// close adds the result of a call.
func (a *assembler) close(c openCall) {
	if c.result < 0 {
		a.left.add(madeUp + "results of calls without one")
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

// endStep ends the open reply with all its calls.
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

// endTurn ends the open turn. An empty reason is derived from the last message.
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
		end.Reason, end.Error = event.UserInterrupt, "the end of this turn was not recorded"
	}
	a.add(end)
	a.inTurn, a.steps, a.usage = false, 0, llm.Usage{}
}

func (a *assembler) add(e event.Durable) { a.events = append(a.events, e) }

func (a *assembler) meta() event.Meta { return event.Meta{Time: a.now} }
