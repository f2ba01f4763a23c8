package screen

import (
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/transcript"
)

// Delegates describes the delegates of the session, and the agents that can be started as
// one.
type Delegates struct {
	*Window
	feed *transcript.Feed
}

// All returns the delegates since the program started, oldest first.
func (ds *Delegates) All() []event.Delegate { return ds.feed.State.Delegates }

// Find returns the delegate of that ID. It reports false if there is none.
func (ds *Delegates) Find(id int) (event.Delegate, bool) {
	i := slices.IndexFunc(ds.feed.State.Delegates, func(d event.Delegate) bool { return d.ID == id })
	if i < 0 {
		return event.Delegate{}, false
	}
	return ds.feed.State.Delegates[i], true
}

// Usage returns what a delegate has used: steps, tokens, time and cost.
func (ds *Delegates) Usage(d event.Delegate) []string {
	facts := transcript.DelegateUsage(d.Steps, d.Tokens, transcript.DelegateTime(d, ds.Now()))
	if d.Cost > 0 {
		facts = append(facts, phrase.Dollars(d.Cost))
	}
	return facts
}

// Hints returns the keys that act on a delegate; nil if it has ended.
func (ds *Delegates) Hints(d event.Delegate) (hints []string) {
	if !d.Running() {
		return nil
	}
	if !transcript.InBackground(d) {
		hints = append(hints, ds.Keys.Name(keys.DetachDelegate)+" background")
	}
	return append(hints, ds.Keys.Name(keys.StopDelegate)+" stop", ds.Keys.Name(keys.SteerDelegate)+" message")
}

// Background returns the delegates that run without a tool call that waits for them.
func (ds *Delegates) Background() []event.Delegate {
	return slices.DeleteFunc(slices.Clone(ds.feed.State.Delegates), func(d event.Delegate) bool { return !transcript.InBackground(d) })
}

// AskInBackground reports whether a background delegate asks a question. An interrupt
// of the turn does not withdraw it.
func (ds *Delegates) AskInBackground(ask event.Ask) bool {
	if ask.Agent == "" {
		return false
	}
	id, _, _ := event.CutAskID(ask.ID)
	if d, ok := ds.Find(id); ok {
		return transcript.InBackground(d)
	}
	return !ds.feed.Running
}

// StopsAtEnd names what the end of the program stops: "1 job and 2 delegates"; empty
// if nothing runs.
func (ds *Delegates) StopsAtEnd() string {
	var all []string
	if n := transcript.Running(ds.feed.State.Jobs); n > 0 {
		all = append(all, phrase.Count(n, "job"))
	}
	if n := len(transcript.RunningDelegates(ds.feed.State.Delegates)); n > 0 {
		all = append(all, phrase.Count(n, "delegate"))
	}
	return strings.Join(all, " and ")
}

// Agents returns the agents that can be started.
func (ds *Delegates) Agents() []Agent {
	if ds.Options.Agents == nil {
		return nil
	}
	return ds.Options.Agents()
}

// Check reports why an agent cannot be started: there is none of that name, or the
// task is empty.
func (ds *Delegates) Check(name, task string) string {
	var names []string
	for _, a := range ds.Agents() {
		names = append(names, a.Name)
	}
	switch {
	case len(names) == 0:
		return "There are no agents in this session."
	case !slices.Contains(names, name):
		text := "There is no agent " + ink.Quoted(name) + "."
		if near := phrase.Nearest(name, names); near != "" {
			text = "There is no agent " + ink.Quoted(name) + " (did you mean " + near + "?)."
		}
		return text + " The agents are: " + ink.SanitizeLine(strings.Join(names, ", ")) + "."
	case strings.TrimSpace(task) == "":
		return "Describe the task after the name: " + event.Mention + name + " find all callers of Close."
	}
	return ""
}
