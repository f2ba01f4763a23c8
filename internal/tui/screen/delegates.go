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

// Delegate returns the delegate of that ID. It reports false if there is none.
func (c *Conversation) Delegate(id int) (event.Delegate, bool) {
	i := slices.IndexFunc(c.Feed.Delegates, func(d event.Delegate) bool { return d.ID == id })
	if i < 0 {
		return event.Delegate{}, false
	}
	return c.Feed.Delegates[i], true
}

// DelegateFacts returns what a delegate has used: steps, tokens, time and cost.
func (c *Conversation) DelegateFacts(d event.Delegate) []string {
	facts := transcript.DelegateFacts(d.Steps, d.Tokens, transcript.DelegateTime(d, c.Now()))
	if d.Cost > 0 {
		facts = append(facts, phrase.Dollars(d.Cost))
	}
	return facts
}

// DelegateHints returns the keys that act on a delegate; nil if it has ended.
func (c *Conversation) DelegateHints(d event.Delegate) (hints []string) {
	if !d.Running() {
		return nil
	}
	if !transcript.InBackground(d) {
		hints = append(hints, c.Keys.Name(keys.DetachDelegate)+" background")
	}
	return append(hints, c.Keys.Name(keys.StopDelegate)+" stop", c.Keys.Name(keys.SteerDelegate)+" message")
}

// Background returns the delegates that run without a tool call that waits for them.
func (c *Conversation) Background() []event.Delegate {
	return slices.DeleteFunc(slices.Clone(c.Feed.Delegates), func(d event.Delegate) bool { return !transcript.InBackground(d) })
}

// AsksInBackground reports whether a background delegate asks a question. An interrupt
// of the turn does not withdraw it.
func (c *Conversation) AsksInBackground(ask event.Ask) bool {
	if ask.Agent == "" {
		return false
	}
	id, _, _ := event.CutAskID(ask.ID)
	if d, ok := c.Delegate(id); ok {
		return transcript.InBackground(d)
	}
	return !c.Feed.Running
}

// StopsAtEnd names what the end of the program stops: "1 job and 2 delegates"; empty
// if nothing runs.
func (c *Conversation) StopsAtEnd() string {
	var all []string
	if n := transcript.Running(c.Feed.Jobs); n > 0 {
		all = append(all, phrase.Count(n, "job"))
	}
	if n := len(transcript.RunningDelegates(c.Feed.Delegates)); n > 0 {
		all = append(all, phrase.Count(n, "delegate"))
	}
	return strings.Join(all, " and ")
}

// Agents returns the agents that can be started.
func (c *Conversation) Agents() []Agent {
	if c.Options.Agents == nil {
		return nil
	}
	return c.Options.Agents()
}

// CheckAgent reports why an agent cannot be started: there is none of that name, or the
// task is empty.
func (c *Conversation) CheckAgent(name, task string) string {
	var names []string
	for _, a := range c.Agents() {
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
