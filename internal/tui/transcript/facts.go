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
)

// Facts are the facts of a session apart from its items, as the status line shows
// them.
type Facts struct {
	Title string // that the user gave the session

	Model   string // as provider/model, empty if none is connected
	Why     string // why this model was chosen
	Effort  string // reasoning effort, empty for the default of the model
	Host    string // that requests go to, if it is not the provider's own
	BaseURL string // the same as a whole URL, without secrets
	Context int    // context window in tokens, 0 if unknown
	Mode    string // permission mode

	Used   int     // tokens of the context window that the last step took
	Cost   float64 // US dollars of the session, as far as prices are known
	Turns  int
	Answer string // the text of the last answer

	Todo []event.TodoItem
	Jobs []event.Job
}

// update takes the facts of an event.
func (f *Facts) update(ev event.Event) {
	switch ev := ev.(type) {
	case *event.ModelSet:
		f.Model, f.Why, f.Context, f.Effort = ev.Model, ev.Why, ev.Context, ev.Effort
		f.Host, f.BaseURL = ev.Host, ev.BaseURL
	case *event.ModeSet:
		f.Mode = ev.Mode
	case *event.Renamed:
		f.Title = ev.Title
	case *event.TodoSet:
		f.Todo = ev.Items
	case event.JobsNow:
		f.Jobs = ev.Jobs
	case *event.MessageDone:
		if m := ev.Message; m.Kind == llm.Assistant && strings.TrimSpace(m.Text) != "" {
			f.Answer = m.Text
		}
	case *event.StepEnd:
		f.Used = cmp.Or(ev.Usage.Input+ev.Usage.Output, f.Used) // an interrupted reply reports none
		if ev.Cost != nil {
			f.Cost += *ev.Cost
		}
	}
}

// addEarlier takes facts of earlier events that later ones do not have. These are
// the facts that go when a session is rewound.
func (f *Facts) addEarlier(e Facts) {
	f.Used, f.Answer = cmp.Or(f.Used, e.Used), cmp.Or(f.Answer, e.Answer)
	if f.Todo == nil {
		f.Todo = e.Todo
	}
}

// survey takes the facts of the whole session, of which the last events were shown
// before.
func (f *Facts) survey(s event.Opened) {
	f.Turns, f.Cost, f.Todo = s.Turns, s.Cost, s.Todo
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
	Failed   bool      // the last turn ended with an error
}

// begin begins a turn if none runs.
func (r *Run) begin(now time.Time) {
	if !r.Running {
		r.Since = now
	}
	*r = Run{Running: true, Since: r.Since}
}

// end ends the turn.
func (r *Run) end(cut, failed bool) { *r = Run{Since: r.Since, Cut: cut, Failed: failed} }

// PromptLog holds the prompts of the user.
type PromptLog struct {
	Prompts []event.PastPrompt // that are in the conversation, oldest first
	Recall  []string           // sent or typed in this session, oldest first
	Pending []PendingPrompt    // sent, but not in the conversation yet
}

// PendingPrompt is a prompt that is not in the conversation yet.
type PendingPrompt struct {
	Text   string
	Steers bool // a turn ran when it was sent
}

// TurnPrompts returns the prompts that began a turn, oldest first.
func (l *PromptLog) TurnPrompts() []event.PastPrompt {
	return slices.DeleteFunc(slices.Clone(l.Prompts), func(p event.PastPrompt) bool { return p.Steered })
}

// said adds a prompt that is event number at.
func (l *PromptLog) said(ev *event.UserSaid, at int) {
	if i := slices.IndexFunc(l.Pending, func(p PendingPrompt) bool { return p.Text == ev.Text }); i >= 0 {
		l.Pending = l.Pending[i+1:]
	}
	l.Recall = append(l.Recall, ev.Text)
	l.Prompts = append(l.Prompts, event.PastPrompt{Text: ev.Text, Time: ev.Time, At: at, Steered: ev.Steered})
}

// survey takes all prompts of the session, of which the last are known.
func (l *PromptLog) survey(prompts []event.PastPrompt) {
	typed := l.Recall[min(len(l.Prompts), len(l.Recall)):]
	l.Recall = nil
	for _, p := range prompts {
		l.Recall = append(l.Recall, p.Text)
	}
	l.Recall = append(l.Recall, typed...)
	l.Prompts = prompts
}

// lineCounts counts the lines that a turn adds and removes, by path.
type lineCounts map[string]*[2]int

// add counts the lines of an event. It starts again with each turn.
func (n lineCounts) add(ev event.Event) {
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

// summary returns the counts as "2 files changed, +4 −1", or nothing.
func (n lineCounts) summary() []string {
	if len(n) == 0 {
		return nil
	}
	added, removed := 0, 0
	for _, lines := range n {
		added += lines[0]
		removed += lines[1]
	}
	return []string{fmt.Sprintf("%s changed, +%d −%d", phrase.Count(len(n), "file"), added, removed)}
}
