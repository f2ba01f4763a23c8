package sessions

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/loop/session"
	"agent/internal/tui/ink"
)

// StatsOptions are the options of `agent sessions stats`.
type StatsOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	Dir    string // count the sessions of this directory only
	Output string // text or json
}

// NewCmdStats returns `agent sessions stats`.
func NewCmdStats(f *command.Factory, runF command.RunFunc[StatsOptions]) *cobra.Command {
	opts := &StatsOptions{IO: f.IO, Store: f.Store}
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "count steps, tokens, cost and failed tool calls of all sessions",
		Long: `Stats counts steps, tokens and cost for each model, and the tool calls for each
model and tool. Rewound turns count; the turns that a fork copied count once. The
steps of delegates count for their own models.

Rejected calls did not run because the tool or a file does not exist or the
arguments are not valid. Denied calls were not approved. Failed calls ran and
failed.`,
		Example: `  agent sessions stats
  agent sessions stats --dir . --output json`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := command.TextOrJSON(opts.Output); err != nil {
				return err
			}
			return command.Or(runF, statsRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "count only the sessions of this `directory`")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "text", "output `format`: text or json")
	return cmd
}

func statsRun(ctx context.Context, opts *StatsOptions) error {
	store, err := opts.Store()
	if err != nil {
		return err
	}
	dir := ""
	if opts.Dir != "" {
		if dir, err = command.Absolute(opts.Dir); err != nil {
			return err
		}
	}
	ids, err := sessionIDs(store, dir)
	if err != nil {
		return err
	}
	t := session.Tally{}
	query := history.Query{IDs: ids, Keep: session.Tallied}
	current := ""
	for h, err := range session.Search(ctx, store, query) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			opts.IO.Warn("%v", err)
			continue
		}
		if h.ID != current {
			t.EndSession()
			current = h.ID
		}
		t.Add(h.Event)
	}
	t.EndSession()
	own, err := store.List(dir)
	if err != nil {
		return err
	}
	s := stats{Sessions: len(own), Delegates: len(ids) - len(own), Models: t.Models(), Calls: t.Calls()}
	if opts.Output == "json" {
		return opts.IO.Out.JSON(s)
	}
	return s.print(opts.IO.Out)
}

// stats is what `agent sessions stats` prints.
type stats struct {
	Sessions  int                  `json:"sessions"` // without those of delegates
	Delegates int                  `json:"delegates"`
	Models    []session.ModelCount `json:"models"`
	Calls     []session.CallCount  `json:"calls"`
}

// print prints s as tables.
func (s stats) print(out command.Console) error {
	var all session.ModelCount
	for _, m := range s.Models {
		all.Add(m)
	}
	count := phrase.Count(s.Sessions, "session")
	if s.Delegates > 0 {
		count += ", " + phrase.Count(s.Delegates, "delegate")
	}
	fmt.Fprintf(out, "%s, %s, %s\n", count, phrase.Count(all.Steps, "step"), price(all))
	if all.Steps == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nMODEL\tSTEPS\tINPUT\tCACHED\tOUTPUT\tCOST")
	for _, m := range s.Models {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n", ink.SanitizeLine(m.Model), m.Steps, phrase.Thousands(m.Usage.Input),
			phrase.Thousands(m.Usage.Cached), phrase.Thousands(m.Usage.Output), price(m))
	}
	if err := w.Flush(); err != nil || len(s.Calls) == 0 {
		return err
	}
	var edits session.CallCount
	fmt.Fprintln(w, "\nMODEL\tTOOL\tCALLS\tREJECTED\tDENIED\tFAILED")
	for _, c := range s.Calls {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\n", ink.SanitizeLine(c.Model), ink.Truncate(ink.SanitizeLine(c.Tool), 40), c.Calls, c.Rejected, c.Denied, c.Failed)
		if c.Edits() {
			edits.Add(c)
		}
	}
	if err := w.Flush(); err != nil || edits.Calls == 0 {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d of %s failed.\n", edits.Rejected+edits.Failed, phrase.Count(edits.Calls, "edit"))
	return err
}

// price returns what the steps of m cost, as far as their prices are known.
func price(m session.ModelCount) string {
	switch m.Unpriced {
	case 0:
		return phrase.Dollars(m.Cost)
	case m.Steps:
		return "price unknown"
	}
	return fmt.Sprintf("%s and %s without a price", phrase.Dollars(m.Cost), phrase.Count(m.Unpriced, "step"))
}
