package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// amounts tells in one line what a turn took.
func amounts(f *finish) string {
	cost := ""
	if f.Cost != nil {
		cost = phrase.Dollars(*f.Cost)
	}
	return join(phrase.Count(f.Steps, "step"), phrase.Duration(f.Duration), strings.Join(f.models, ", "), tokens(f.Usage), cost)
}

// result tells in a few words how a call ended.
func result(e *event.ToolEnd) string {
	words := OneLine(e.Summary, maxWords)
	if words == "" && len(e.Diffs) == 1 {
		words = diffStat(e.Diffs[0])
	}
	return join(outcome(e.Outcome), words, duration(e))
}

// tells reports whether the line of c tells of d already.
func tells(c *call, d event.Diff) bool {
	return len(c.end.Diffs) == 1 && c.end.Summary == "" && strings.Contains(c.title, d.Path)
}

// duration is how long a call took, where that is worth a word.
func duration(e *event.ToolEnd) string {
	if e.Duration < 100*time.Millisecond {
		return ""
	}
	return phrase.Duration(e.Duration)
}

// decision tells what the person decided of a call.
func decision(d *event.Decided) string {
	if d == nil {
		return ""
	}
	said := ""
	switch d.Decision {
	case event.Allow:
		said = "Allowed by the person"
	case event.Always:
		said = "Allowed by the person, and from here on: " + OneLine(d.Scope, MaxTitle)
	case event.Refuse:
		said = "Refused by the person"
	}
	if d.Note != "" {
		said += ": “" + OneLine(d.Note, 4*MaxTitle) + "”"
	}
	return said
}

// diffStat tells the size of a change.
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

// arguments returns what the model wanted of a tool, to be read. It is empty
// where the title, the change or the plan says as much.
func arguments(c *call) string {
	if c.message.Raw != "" {
		return clean(c.message.Raw)
	}
	if c.plan != nil || c.end != nil && len(c.end.Diffs) > 0 {
		return ""
	}
	var b strings.Builder
	told := true
	for name, value := range fields(c.message.Input) {
		told = told && strings.Contains(c.title, value)
		gap := " "
		if strings.Contains(value, "\n") {
			gap = "\n"
		}
		fmt.Fprintf(&b, "%s:%s%s\n", name, gap, strings.TrimSuffix(value, "\n"))
	}
	if told {
		return ""
	}
	return clean(b.String())
}

// fields yields the fields of an object in their order: texts as they are, the
// rest as JSON.
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
			_ = json.Unmarshal(value, &text) // what is no text stays as it is
			if !yield(fmt.Sprint(name), text) {
				return
			}
		}
	}
}

// indent writes JSON on many lines.
func indent(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return clean(string(raw))
	}
	return clean(b.String())
}
