package session

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
)

// Tally counts the steps, tokens and tool calls of sessions, rewound turns included.
// The copied steps of a fork count once. What a delegate used counts in its own
// session, by model: a DelegateEnd does not count here, unlike in Index.Used. The zero
// value is empty. Use it in one goroutine.
type Tally struct {
	models  map[string]*ModelCount
	calls   map[[2]string]*CallCount // by model and tool
	replies map[string]bool          // counted replies
	model   string                   // of the current session
	open    []talliedCall            // calls of the current step
}

// ModelCount counts the steps of a model.
type ModelCount struct {
	Model    string    `json:"model"` // PROVIDER/NAME
	Steps    int       `json:"steps"`
	Usage    llm.Usage `json:"usage"`
	Cost     float64   `json:"cost_usd"` // of the steps with a known price
	Unpriced int       `json:"steps_without_price"`
}

// CallCount counts the calls that a model made of a tool.
type CallCount struct {
	Model string `json:"model"` // PROVIDER/NAME
	Tool  string `json:"tool"`
	Calls int    `json:"calls"`
	// Rejected calls did not run: the tool or a file does not exist, or the arguments
	// are not valid.
	Rejected int `json:"rejected"`
	Denied   int `json:"denied"` // by the user or a rule
	Failed   int `json:"failed"` // ran and failed
}

// Add adds the counts of another tool or model to c.
func (c *CallCount) Add(o CallCount) {
	c.Calls += o.Calls
	c.Rejected += o.Rejected
	c.Denied += o.Denied
	c.Failed += o.Failed
}

// Edits reports whether the tool of c edits files in place.
func (c CallCount) Edits() bool {
	return slices.Contains([]string{"edit", "patch", "apply_patch"}, c.Tool)
}

// Add adds the counts of another model to c.
func (c *ModelCount) Add(o ModelCount) {
	c.Steps += o.Steps
	c.Usage = c.Usage.Add(o.Usage)
	c.Cost += o.Cost
	c.Unpriced += o.Unpriced
}

type talliedCall struct {
	id, tool, reply string
	end             *event.ToolEnd // nil before its result
}

// Tallied reports whether a record can count. It is fast, because most records are
// long and do not count. A quoted text in a record has escaped quotes, so it cannot
// look like a field.
func Tallied(r history.Record) bool {
	switch name, err := event.NameIn(r.Body); {
	case err != nil:
		return false
	case name == "message":
		return bytes.Contains(r.Body, []byte(`"kind":"tool_call"`))
	case name == "tool_end":
		return !bytes.Contains(r.Body, []byte(`"outcome":"ok"`))
	default:
		return name == "step_end" || name == event.ModelRecord
	}
}

// Add counts the next event of a session.
func (t *Tally) Add(e event.Durable) {
	switch e := e.(type) {
	case *event.ModelSet:
		t.model = e.Model
	case *event.MessageDone:
		if m := e.Message; m.Kind == llm.ToolCall {
			t.open = append(t.open, talliedCall{id: m.ID, tool: m.Name, reply: m.Reply})
		}
	case *event.ToolEnd:
		for i := range t.open {
			if t.open[i].id == e.Result.ID {
				t.open[i].end = e
			}
		}
	case *event.StepEnd:
		t.step(e)
	}
}

// step counts a step and its calls.
func (t *Tally) step(e *event.StepEnd) {
	calls := t.open
	t.open = nil
	if t.counted(e.Reply) {
		return
	}
	if t.models == nil {
		t.models = map[string]*ModelCount{}
	}
	m := t.models[e.Model]
	if m == nil {
		m = &ModelCount{Model: e.Model}
		t.models[e.Model] = m
	}
	one := ModelCount{Steps: 1, Usage: e.Usage, Unpriced: 1}
	if e.Cost != nil {
		one.Cost, one.Unpriced = *e.Cost, 0
	}
	m.Add(one)
	t.countCalls(e.Model, calls)
}

// EndSession ends the current session. It counts the calls of a step that did not
// end.
func (t *Tally) EndSession() {
	if len(t.open) > 0 && !t.counted(t.open[0].reply) {
		t.countCalls(t.model, t.open)
	}
	t.model, t.open = "", nil
}

// counted reports whether a reply was counted before, and remembers it.
func (t *Tally) counted(reply string) bool {
	if reply == "" || t.replies[reply] {
		return reply != ""
	}
	if t.replies == nil {
		t.replies = map[string]bool{}
	}
	t.replies[reply] = true
	return false
}

func (t *Tally) countCalls(model string, calls []talliedCall) {
	if t.calls == nil {
		t.calls = map[[2]string]*CallCount{}
	}
	for _, c := range calls {
		key := [2]string{model, c.tool}
		n := t.calls[key]
		if n == nil {
			n = &CallCount{Model: model, Tool: c.tool}
			t.calls[key] = n
		}
		n.Calls++
		switch {
		case c.end == nil:
		case c.end.Outcome == event.Refused:
			n.Denied++
		case c.end.Outcome == event.Failed && c.end.Effect == "": // it was never prepared
			n.Rejected++
		case c.end.Outcome == event.Failed:
			n.Failed++
		}
	}
}

// Models returns the counts of each model, the most used first.
func (t *Tally) Models() []ModelCount {
	out := []ModelCount{}
	for _, name := range slices.Sorted(maps.Keys(t.models)) {
		out = append(out, *t.models[name])
	}
	slices.SortStableFunc(out, func(a, b ModelCount) int { return cmp.Compare(b.Steps, a.Steps) })
	return out
}

// Calls returns the counts of each model and tool, by model and then by tool.
func (t *Tally) Calls() []CallCount {
	out := []CallCount{}
	for _, c := range t.calls {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b CallCount) int {
		return cmp.Or(strings.Compare(a.Model, b.Model), strings.Compare(a.Tool, b.Tool))
	})
	return out
}
