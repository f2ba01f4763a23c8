package transcript

import (
	"cmp"
	"fmt"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// SessionState holds the state of a session apart from its items, mostly for the status
// line.
type SessionState struct {
	Title string // set by the user

	Model   string // as provider/model, empty if none is connected
	Why     string // why this model was chosen
	Effort  string // reasoning effort, empty for the default of the model
	Host    string // host of the requests, if it is not the provider's default
	BaseURL string // base URL of the requests, without secrets
	Context int    // context window in tokens, 0 if unknown
	Mode    string // permission mode

	Used   int     // tokens of the context window used by the last step
	Cost   float64 // cost of the session in US dollars, as far as prices are known
	Turns  int
	Answer string // all text since the last tool result before it
	final  llm.Answer

	Todo []event.TodoItem
	Jobs []event.Job
	// Delegates are those since the program started, oldest first.
	Delegates []event.Delegate
	// Evidence is that of the last turn with checks or edits; nil if there is none.
	Evidence *event.Evidence
	// Plan is the newest approved plan; nil if there is none.
	Plan *event.PlanSet

	Budget   event.BudgetNow
	BudgetAt time.Time // when Budget was reported
}

// update applies an event.
func (f *SessionState) update(ev event.Event) {
	switch ev := ev.(type) {
	case *event.ModelSet:
		f.Model, f.Why, f.Context, f.Effort = ev.Model, ev.Why, ev.Context, ev.Effort
		f.Host, f.BaseURL = ev.Host, ev.BaseURL
	case *event.ModeSet:
		f.Mode = ev.Mode
	case *event.Renamed:
		f.Title = ev.Title
		f.spend(ev.Cost)
	case *event.Compacted:
		f.spend(ev.Cost)
	case *event.TodoSet:
		f.Todo = ev.Items
	case *event.PlanSet:
		if ev.State == event.PlanApproved {
			f.Plan = ev
		}
	case event.JobsNow:
		f.Jobs = ev.Jobs
	case event.DelegatesNow:
		f.Delegates = newDelegates(f.Delegates, ev.Delegates)
	case *event.DelegateEnd:
		endDelegate(f.Delegates, ev)
		f.spend(ev.Cost)
	case *event.MessageDone:
		f.final.Add(ev.Message)
		f.Answer = cmp.Or(f.final.Text(), f.Answer)
	case *event.UserSaid:
		if ev.Auto {
			f.final.Add(llm.Message{Kind: llm.User})
		} else {
			f.final.End()
		}
	case *event.ToolEnd:
		f.final.Add(ev.Result)
	case *event.StepEnd:
		f.Used = cmp.Or(ev.Usage.Total(), f.Used) // an interrupted reply reports none
		f.spend(ev.Cost)
	case *event.TurnEnd:
		if ev.Evidence != nil {
			f.Evidence = ev.Evidence
		}
	}
}

// spend adds a cost, if it is known.
func (f *SessionState) spend(usd *float64) {
	if usd != nil {
		f.Cost += *usd
	}
}

// addEarlier fills missing state from earlier events, for the state that a rewind
// resets.
func (f *SessionState) addEarlier(e SessionState) {
	f.Used, f.Answer = cmp.Or(f.Used, e.Used), cmp.Or(f.Answer, e.Answer)
	if f.Todo == nil {
		f.Todo = e.Todo
	}
	if f.Evidence == nil {
		f.Evidence = e.Evidence
	}
	if f.Plan == nil {
		f.Plan = e.Plan
	}
}

// takeSummary applies the summary of the complete session, after its last events were
// shown.
func (f *SessionState) takeSummary(s event.Opened) {
	f.Turns, f.Cost, f.Todo, f.Plan = s.Turns, s.Cost, s.Todo, s.Plan
	if f.Model == "" {
		f.Model, f.Host, f.BaseURL = s.Model, s.Host, s.BaseURL
	}
	f.Mode = cmp.Or(f.Mode, s.Mode)
}

// Run is the state of the current turn.
type Run struct {
	Running  bool
	Stopping bool      // the user interrupted it
	Killing  bool      // the user interrupted it again
	Since    time.Time // when the turn began
	Cut      bool      // the last answer was truncated, and can be continued
	Failed   bool      // the last turn failed
	Exited   bool      // the program exited during the last turn
	// Unanswered is set if a prompt of the user began the turn, and nothing of the answer
	// has arrived. It remains set if the user then interrupts the turn.
	Unanswered bool
}

// begin starts a turn if none is running.
func (r *Run) begin(now time.Time) {
	if !r.Running {
		r.Since = now
	}
	*r = Run{Running: true, Since: r.Since}
}

// end ends the turn. Only the fields of result about the last turn count.
func (r *Run) end(result Run) {
	*r = Run{Since: r.Since, Cut: result.Cut, Failed: result.Failed, Exited: result.Exited, Unanswered: result.Unanswered}
}

// turnChanges counts the files and lines changed in a turn.
type turnChanges struct {
	files          event.ChangeCount
	added, removed int             // lines of edits
	edits          map[string]bool // calls with diffs, by ID
}

// add counts the changes of an event and resets the counts at each turn.
func (n *turnChanges) add(ev event.Event) {
	switch ev := ev.(type) {
	case *event.UserSaid:
		if !ev.Steered {
			*n = turnChanges{}
		}
	case *event.TurnEnd:
		*n = turnChanges{}
	case *event.ToolEnd:
		if ev.Outcome == event.Refused { // the diffs were not written
			return
		}
		for _, d := range ev.Diffs {
			n.files.File(d.Path)
			n.added += d.Added
			n.removed += d.Removed
			if n.edits == nil {
				n.edits = map[string]bool{}
			}
			n.edits[ev.Result.ID] = true
		}
	case *event.FilesChanged:
		if !n.edits[ev.ID] {
			n.files.Add(ev)
		}
	}
}

// summary returns the counts as "2 files changed, +4 −1", or nil.
func (n *turnChanges) summary() []string {
	sum := n.files.Sum()
	if sum.Files == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s changed, +%d −%d", phrase.Count(sum.Files, "file"), sum.Added+n.added, sum.Removed+n.removed)}
}
