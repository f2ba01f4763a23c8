package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// amounts returns the steps, time, models, tokens and cost of a turn on one line.
func amounts(f *finish) string {
	cost := ""
	if f.Cost != nil {
		cost = phrase.Dollars(*f.Cost)
	}
	return join(phrase.Count(f.Steps, "step"), phrase.Duration(f.Duration), strings.Join(f.models, ", "), tokens(f.Usage), cost)
}

// result returns how a call ended, in a few words.
func result(e *event.ToolEnd) string {
	words := OneLine(e.Summary, maxWords)
	if words == "" && len(e.Diffs) == 1 {
		words = diffStat(e.Diffs[0])
	}
	return join(outcome(e.Outcome), words, duration(e))
}

// titleShows reports whether the title line of c already shows the path and size of d.
func titleShows(c *call, d event.Diff) bool {
	return len(c.end.Diffs) == 1 && c.end.Summary == "" && strings.Contains(c.title, d.Path)
}

// duration returns how long a call took; empty below 0.1 s.
func duration(e *event.ToolEnd) string {
	if e.Duration < 100*time.Millisecond {
		return ""
	}
	return phrase.Duration(e.Duration)
}

// decisions describes the user's decisions about a call; empty without one.
func decisions(c *call) string {
	return join(decision(cmp.Or(c.Answer, c.Approval)), decision(c.Rerun))
}

// decision describes a decision of the user about a call; empty for nil.
func decision(d *event.Decided) string {
	if d == nil {
		return ""
	}
	what := ""
	switch d.Rerun {
	case event.ReachNetwork:
		what = " (run again with the network)"
	case event.ReachAll:
		what = " (run again outside the sandbox)"
	case event.ReachHome:
		what = " (run again with the home directory)"
	case event.ReachNotUndoable:
		what = " (run again with changes that cannot be undone)"
	}
	text := ""
	switch d.Decision {
	case event.Allow:
		text = "Approved by the user" + what
	case event.Always:
		text = "Approved by the user" + what + ", always allowed: " + OneLine(d.Scope, MaxTitle)
	case event.Refuse:
		text = "Rejected by the user" + what
	}
	if hunks, approved := d.Parts(); approved > 0 {
		text += fmt.Sprintf(" (%d of %s)", approved, phrase.Count(hunks, "hunk"))
	}
	if said := join(append([]string{d.Note}, d.LineComments()...)...); said != "" {
		text += ": “" + OneLine(said, 4*MaxTitle) + "”"
	}
	return text
}

// stat returns the size of d, and that it was not written if c only proposed it.
func (c *call) stat(d event.Diff) string {
	if len(c.end.Diffs) == 0 {
		return diffStat(d) + ", not written"
	}
	return diffStat(d)
}

// diffStat returns the size of a change.
func diffStat(d event.Diff) string {
	stat := fmt.Sprintf("+%d −%d", d.Added, d.Removed)
	switch {
	case d.Created:
		stat += ", new"
	case d.Deleted:
		stat += ", deleted"
	}
	return stat
}

// arguments formats the arguments of a call, or the name and arguments of the tool that it
// calls in effect. It is empty if the title, the diff or
// the plan shows them, or if the task of a delegate has them.
func arguments(c *call) string {
	if c.Message.Raw != "" {
		return clean(c.Message.Raw)
	}
	if c.Todo != nil || c.Plan != nil || c.delegation != nil || c.end != nil && len(c.diffs()) > 0 {
		return ""
	}
	var b strings.Builder
	input, inTitle := c.Message.Input, true
	if c.end != nil && c.end.Effective != nil {
		fmt.Fprintf(&b, "tool: %s\n", c.end.Effective.Tool)
		input, inTitle = c.end.Effective.Arguments, false
	}
	for name, value := range fields(input) {
		inTitle = inTitle && strings.Contains(c.title, value)
		gap := " "
		if strings.Contains(value, "\n") {
			gap = "\n"
		}
		fmt.Fprintf(&b, "%s:%s%s\n", name, gap, strings.TrimSuffix(value, "\n"))
	}
	if inTitle {
		return ""
	}
	return clean(b.String())
}

// fields yields the fields of an object in order: strings as they are, other values
// as JSON.
func fields(object []byte) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		dec := json.NewDecoder(bytes.NewReader(object))
		if t, err := dec.Token(); err != nil || t != json.Delim('{') {
			return
		}
		for dec.More() {
			name, err := dec.Token()
			var value json.RawMessage
			if err != nil || dec.Decode(&value) != nil {
				return
			}
			text := string(value)
			_ = json.Unmarshal(value, &text) // other values stay JSON
			if !yield(fmt.Sprint(name), text) {
				return
			}
		}
	}
}

// indent returns raw as indented JSON.
func indent(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return clean(string(raw))
	}
	return clean(b.String())
}
