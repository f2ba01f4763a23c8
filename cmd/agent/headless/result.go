package headless

import (
	"cmp"
	"encoding/json"
	"slices"

	"agent/cmd/agent/exit"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/turn"
	"agent/internal/tools/manifest"
)

// Result is the result of a run: the object that --output json prints.
type Result struct {
	Type    string `json:"type"` // "result"
	Session string `json:"session,omitempty"`
	Model   string `json:"model"`
	Answer  string `json:"answer"` // all text since the last tool result
	// Continued is set if Answer was cut off and the model continued it.
	Continued bool      `json:"continued,omitempty"`
	Reason    string    `json:"reason"` // why the turn ended
	Error     string    `json:"error,omitempty"`
	Hint      string    `json:"hint,omitempty"`
	Steps     int       `json:"steps"`
	Usage     llm.Usage `json:"usage"`
	Cost      *float64  `json:"cost_usd,omitempty"` // nil if a price is unknown
	Duration  int64     `json:"duration_ms"`
	ExitCode  int       `json:"exit_code"`
	// Evidence is nil if nothing was checked or edited.
	Evidence *event.Evidence `json:"evidence,omitempty"`
	// Files are what the turn changed, also with commands; nil if it changed no files.
	Files *changedFiles `json:"files_changed,omitempty"`
	// Plan is the plan that the model presented; nil if it presented none.
	Plan *presentedPlan `json:"plan,omitempty"`

	// RunLater are changed files that programs run, or that say what they run, such as a Makefile.
	RunLater []string `json:"run_later,omitempty"`
	// Denied are the calls that needed approval when nobody could give it, in their order.
	Denied []deniedCall `json:"denied,omitempty"`

	run progress
}

// progress is what a result needs to know of the turn until it ends.
type progress struct {
	final  llm.Answer
	denied denials
	strict bool // see Turn.StrictDenied
	edited bool // a tool has begun to change files
	late   bool // input that came too late has ended the turn
}

// lateInput is the error of a run whose input came too late.
const lateInput = "input came after 3 s; use --stdin"

// changedFiles are the changed files in a result. A file that several calls changed is
// counted for each.
type changedFiles struct {
	Files   int                `json:"files"`
	Added   int                `json:"added"`                   // lines
	Removed int                `json:"removed"`                 // lines
	Paths   []string           `json:"paths,omitempty"`         // the first ones of each call, sorted
	Omitted int                `json:"paths_omitted,omitempty"` // how many are not in Paths
	Lost    []event.LostChange `json:"lost,omitempty"`          // changes that cannot be undone
}

// add adds what a call changed.
func (c *changedFiles) add(e *event.FilesChanged) *changedFiles {
	if c == nil {
		c = &changedFiles{}
	}
	c.Files, c.Added, c.Removed = c.Files+e.Files, c.Added+e.Added, c.Removed+e.Removed
	c.Paths = slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.Paths, e.Paths))))
	c.Omitted += max(e.Files-len(e.Paths), 0)
	c.Lost = slices.Concat(c.Lost, e.Lost)
	return c
}

// deniedCall is a denied call in a result.
type deniedCall struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Why   string `json:"why"` // for the user, with the flags that would allow the call
}

// presentedPlan is a plan in a result.
type presentedPlan struct {
	event.Plan
	Text string `json:"text"` // the same as Markdown

	call string // ID of the call that presented it
}

// Add updates the result with e and reports whether e ends the turn.
func (r *Result) Add(e event.Event) (ended bool) {
	switch e := e.(type) {
	case *event.MessageDone:
		m := e.Message
		if !json.Valid([]byte(m.Text)) { // an answer in JSON has no place for them
			m.Text = m.WithSources()
		}
		r.run.final.Add(m)
	case *event.UserSaid:
		r.run.final.Add(llm.Message{Kind: llm.User})
	case *event.PlanSet:
		r.Plan = &presentedPlan{Plan: e.Plan, Text: e.Text, call: e.ID}
	case *event.ToolEnd:
		if r.Plan == nil || e.Result.ID != r.Plan.call { // the text before the plan is the answer
			r.run.final.Add(llm.Message{Kind: llm.ToolResult})
		}
		r.endCall(e)
	case *event.ToolStart:
		r.run.edited = r.run.edited || e.Effect == event.WriteEffect
	case *event.FilesChanged:
		r.run.denied.changed(e)
		r.Files, r.run.edited = r.Files.add(e), r.run.edited || e.ID != "" // without an ID, other programs may have changed them
	case event.Delegated:
		switch e := e.Event.(type) {
		case *event.ToolEnd:
			r.endCall(e)
		case *event.FilesChanged:
			r.run.denied.changed(e)
		case *event.ToolStart:
			r.run.edited = r.run.edited || e.Effect == event.WriteEffect
		}
	case *event.TurnEnd:
		r.end(e)
		return true
	}
	return false
}

// endCall updates the result with the end of a call.
func (r *Result) endCall(e *event.ToolEnd) {
	if r.run.denied.end(e); e.Unattended {
		r.Denied = append(r.Denied, deniedCall{e.Result.ID, e.Title, cmp.Or(e.Error, e.Result.Text)})
	}
}

// end updates the result with the end of the turn.
func (r *Result) end(e *event.TurnEnd) {
	r.Reason, r.Error, r.Hint = string(e.Reason), flags(e.Error), Advice(e.Hint)
	r.Steps, r.Usage, r.Cost, r.Duration = e.Steps, e.Usage, e.Cost, e.Duration.Milliseconds()
	r.Evidence = e.Evidence
	switch e.Reason {
	case event.Done:
		r.ExitCode = exit.Done
	case event.UserInterrupt:
		r.ExitCode = exit.Interrupted
	case event.MaxSteps, event.OverBudget, event.AllFailed, event.Repeating:
		r.ExitCode = exit.Limit
	case event.LogError: // no later prompt saves the conversation
		r.ExitCode = exit.Failed
		r.Hint = "Free up disk space or fix the error, or run without saving the session: --no-session"
	default:
		r.ExitCode = exit.Failed
	}
}

// finish completes the result after the last event. Killed is the exit code of the
// signal that ends the program; 0 for none.
func (r *Result) finish(schema *turn.Schema, killed int) {
	if r.Files != nil {
		r.RunLater = slices.DeleteFunc(slices.Clone(r.Files.Paths), func(path string) bool { return !manifest.Runs(path) })
	}
	switch {
	case killed != 0:
		r.ExitCode = killed
	case r.run.late:
		r.ExitCode, r.Error = exit.Failed, lateInput
		r.Hint = "The run had begun without it. With --stdin, or - as the last argument, agent run waits for the input to end."
	case (r.run.denied.left() || r.run.strict && len(r.Denied) > 0) && r.ExitCode != exit.Interrupted && (r.ExitCode != exit.Limit || r.Reason == string(event.AllFailed)):
		r.ExitCode = exit.Denied
	}
	r.SetAnswer(schema)
}

// SetAnswer sets the answer after the end of the turn: the part of it that matches the
// schema if there is one.
func (r *Result) SetAnswer(schema *turn.Schema) {
	if r.run.final.Ended() { // text before a tool call is not the answer
		return
	}
	r.Answer, r.Continued = r.run.final.Text(), r.run.final.Continued()
	if schema != nil {
		r.Answer, _ = schema.Answer(&r.run.final) // the turn has checked it
	}
}
