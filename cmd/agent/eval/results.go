package eval

import (
	"fmt"
	"text/tabwriter"
	"time"

	"agent/cmd/agent/command"
	"agent/internal/llm"
	"agent/internal/llm/phrase"
	"agent/internal/tui/ink"
)

// results are the results of all tasks, with their sums.
type results struct {
	Solved   int       `json:"solved"`
	Steps    int       `json:"steps"`
	Usage    llm.Usage `json:"usage"`
	Cost     *float64  `json:"cost_usd,omitempty"` // nil if a price is unknown
	Calls    int       `json:"calls"`
	Rejected int       `json:"rejected"`
	Denied   int       `json:"denied"`
	Tasks    []result  `json:"tasks"`
}

// add adds the result of a task.
func (r *results) add(t result) {
	switch {
	case t.Cost == nil:
		r.Cost = nil
	case len(r.Tasks) == 0:
		sum := *t.Cost
		r.Cost = &sum
	case r.Cost != nil:
		*r.Cost += *t.Cost
	}
	r.Tasks = append(r.Tasks, t)
	if t.Solved {
		r.Solved++
	}
	r.Steps += t.Steps
	r.Usage = r.Usage.Add(t.Usage)
	r.Calls += t.Calls
	r.Rejected += t.Rejected
	r.Denied += t.Denied
}

// print prints r as a table or as JSON.
func (r *results) print(out command.Console, format string) error {
	if format == "json" {
		return out.JSON(r)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TASK\tSOLVED\tSTEPS\tINPUT\tOUTPUT\tCOST\tCALLS\tREJECTED\tDENIED\tTIME\tSESSION")
	for _, t := range r.Tasks {
		solved := "no"
		if t.Solved {
			solved = "yes"
		}
		took := time.Duration(t.Duration) * time.Millisecond
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", ink.SanitizeLine(t.Name), solved, counts(t.Steps, t.Usage, t.Cost, t.Calls, t.Rejected, t.Denied), phrase.Duration(took), t.Session)
	}
	fmt.Fprintf(w, "all\t%d of %d\t%s\n", r.Solved, len(r.Tasks), counts(r.Steps, r.Usage, r.Cost, r.Calls, r.Rejected, r.Denied))
	return w.Flush()
}

// counts returns the columns that tasks and their sum have.
func counts(steps int, u llm.Usage, cost *float64, calls, rejected, denied int) string {
	price := "unknown"
	if cost != nil {
		price = phrase.Dollars(*cost)
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%d\t%d\t%d", steps, phrase.Thousands(u.Input), phrase.Thousands(u.Output), price, calls, rejected, denied)
}
