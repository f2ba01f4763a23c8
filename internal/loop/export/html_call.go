package export

import (
	"html/template"
	"slices"
	"strconv"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
)

// callView is the data of a tool call.
type callView struct {
	Mark, Title, Words string
	Failed, Open       bool
	Decision           string
	Diffs              []diffView
	Plan               []planView
	Delegation         *delegationView // nil for most calls
	Proposal           *proposalView   // nil for most calls
	Shown              bool            // the output is collapsed
	Arguments          string
	Output             string
	OutputLines        string
	Images             []picture
	Empty              string // note if there is no other content
}

type diffView struct {
	Path, Stat string // empty if the title shows them
	Lines      template.HTML
}

type planView struct{ Mark, State, Text string }

func planOf(p *event.TodoSet) []planView {
	if p == nil {
		return nil
	}
	var out []planView
	for _, i := range p.Items {
		v := planView{"○", "pending", OneLine(i.Text, 4*MaxTitle)}
		switch i.State {
		case event.TodoDone:
			v.Mark, v.State = "✓", "done"
		case event.TodoActive:
			v.Mark, v.State = "▸", "active"
		}
		out = append(out, v)
	}
	return out
}

// callOf returns the view of c. Failed calls, diffs, plans and images are expanded.
func callOf(c *call) callView {
	v := callView{Mark: "✗", Title: OneLine(c.title, 4*MaxTitle), Failed: true, Decision: decisions(c)}
	if v.Title == "" {
		v.Title = "unnamed tool"
	}
	if c.end == nil {
		v.Words, v.Empty = "no result recorded", "No result recorded."
		v.Arguments = arguments(c)
		return v
	}
	if c.end.Outcome == event.OK {
		v.Mark, v.Failed = "✓", false
	}
	v.Words = result(c.end)
	for _, d := range c.diffs() {
		view := diffView{Lines: diffHTML(d.Unified)}
		if !titleShows(c, d) {
			view.Path, view.Stat = OneLine(d.Path, 4*MaxTitle), c.stat(d)
		}
		v.Diffs = append(v.Diffs, view)
	}
	v.Arguments = arguments(c)
	if c.Plan == nil { // else its steps are the items
		v.Plan = planOf(c.Todo)
	} else {
		v.Decision = "" // the plan shows it
	}
	v.Shown = c.shown()
	v.Output = c.output()
	v.OutputLines = phrase.Count(lines(v.Output), "line")
	v.Images = pictures(c.end.Result.Images)
	v.Open = v.Failed || c.Plan != nil || len(v.Plan)+len(v.Diffs)+len(v.Images) > 0
	if v.Output == "" && c.delegation == nil && len(v.Diffs)+len(v.Images) == 0 {
		v.Empty = "No output."
	}
	return v
}

// turnRow is a row of the table of turns.
type turnRow struct {
	Number                    int
	Words, Trouble            string
	Tools, Took, Tokens, Cost string

	models        []string
	calls         int
	usage         llm.Usage
	duration      time.Duration
	cost          float64
	ended, priced bool
}

// turnRows returns a row for each turn, and the totals.
func turnRows(events []event.Durable) (rows []turnRow, total turnRow) {
	total.priced = true
	for i := range items(events) {
		switch i := i.(type) {
		case *prompt:
			if i.turn > 0 {
				words := OneLine(i.Text, maxWords)
				if words == "" {
					words = "(images only)"
				}
				rows = append(rows, turnRow{Number: i.turn, Words: words})
			}
		case *call:
			total.calls++
			if len(rows) > 0 {
				rows[len(rows)-1].calls++
			}
		case *finish:
			if len(rows) > 0 {
				rows[len(rows)-1].end(i)
			}
			total.add(i)
		}
	}
	for i := range rows {
		rows[i].show()
	}
	total.show()
	return rows, total
}

func (r *turnRow) end(f *finish) {
	r.priced = true
	r.add(f)
	if f.Reason != event.Done {
		r.Trouble = ending(f.Reason)
	}
}

func (r *turnRow) add(f *finish) {
	r.ended = true
	r.usage = r.usage.Add(f.Usage)
	r.duration += f.Duration
	if f.Cost != nil {
		r.cost += *f.Cost
	}
	r.priced = r.priced && f.Cost != nil
	for _, m := range f.models {
		if !slices.Contains(r.models, m) {
			r.models = append(r.models, m)
		}
	}
}

// show formats the known amounts.
func (r *turnRow) show() {
	if r.calls > 0 {
		r.Tools = strconv.Itoa(r.calls)
	}
	if !r.ended {
		return
	}
	r.Took = phrase.Duration(r.duration)
	if n := r.usage.Total(); n > 0 {
		r.Tokens = phrase.Thousands(n)
	}
	if r.priced {
		r.Cost = phrase.Dollars(r.cost)
	}
}
