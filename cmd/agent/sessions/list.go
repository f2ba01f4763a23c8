package sessions

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// ListOptions are the options of `agent sessions list` and `agent sessions tree`.
type ListOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	All  bool
	Dir  string
	Tree bool // print forks below their original, delegates below their parent
}

// NewCmdList returns `agent sessions list`.
func NewCmdList(f *command.Factory, runF command.RunFunc[ListOptions]) *cobra.Command {
	return newCmdList(f, "list", runF)
}

// NewCmdTree returns `agent sessions tree`.
func NewCmdTree(f *command.Factory, runF command.RunFunc[ListOptions]) *cobra.Command {
	cmd := newCmdList(f, "tree", runF)
	cmd.Short = "list the sessions as a tree of forks and delegates"
	return cmd
}

func newCmdList(f *command.Factory, name string, runF command.RunFunc[ListOptions]) *cobra.Command {
	opts := &ListOptions{IO: f.IO, Store: f.Store, Tree: name == "tree"}
	cmd := &cobra.Command{
		Use:   name,
		Short: "list the sessions of this directory",
		Args:  command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.All && opts.Dir != "" {
				return command.Usage("--all and --dir exclude each other: use one of them")
			}
			return command.Or(runF, listRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.All, "all", "a", false, "list the sessions of all directories")
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "list the sessions of this `directory` (default: the current directory)")
	return cmd
}

func listRun(ctx context.Context, opts *ListOptions) error {
	dir := ""
	if !opts.All {
		var err error
		if dir, err = command.Absolute(opts.Dir); err != nil {
			return err
		}
	}
	store, err := opts.Store()
	if err != nil {
		return err
	}
	entries := Entries
	if opts.Tree {
		entries = entriesWithDelegates
	}
	all, err := entries(ctx, store, dir)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(opts.IO.Err, "There are no sessions in this directory. To list all: agent sessions --all")
		return nil
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tWHEN\tDIRECTORY\tMESSAGES\tTITLE")
	if opts.Tree {
		printTree(w, all)
	} else {
		for _, e := range all {
			e.row(w, "")
		}
	}
	return w.Flush()
}

// row prints e as a row of the table, with indent before its ID.
func (e Entry) row(w io.Writer, indent string) {
	title := ink.Truncate(ink.SanitizeLine(e.Title), 60)
	if e.Agent != "" {
		name := strings.TrimSpace(ink.SanitizeLine(e.Agent + " " + e.Delegate))
		title = name + "  " + title + "  " + delegateState(e.Ended)
	}
	fmt.Fprintf(w, "%s%s\t%s\t%s\t%d\t%s\n", indent, e.ID, formatTime(e.Modified, time.Now()),
		ink.SanitizeLine(command.Short(e.Dir)), e.Messages, title)
}

// delegateState describes how the last turn of a delegate ended.
func delegateState(r event.Reason) string {
	switch r {
	case event.Done:
		return "done"
	case event.UserInterrupt:
		return "stopped"
	case "":
		return "not finished"
	}
	return "failed"
}

// formatTime formats t: the time of day if it is today, else the date.
func formatTime(t, now time.Time) string {
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format(time.DateOnly)
}

// delegatesFirst orders the entries below a session: delegates in the order in which
// they were started, then forks.
func delegatesFirst(a, b Entry) int {
	switch {
	case a.Agent != "" && b.Agent != "":
		return strings.Compare(a.ID, b.ID)
	case a.Agent != "":
		return -1
	case b.Agent != "":
		return 1
	}
	return 0
}

// printTree prints all to a table. A fork or a delegate is indented below its parent if
// that is among them.
func printTree(w io.Writer, all []Entry) {
	left := map[string]bool{} // IDs to print
	for _, e := range all {
		left[e.ID] = true
	}
	forks := map[string][]Entry{}
	for _, e := range all {
		parent := e.Parent
		if !left[parent] || parent == e.ID {
			parent = ""
		}
		forks[parent] = append(forks[parent], e)
	}
	for id, below := range forks {
		if id != "" {
			slices.SortStableFunc(below, delegatesFirst)
		}
	}
	var print func(entries []Entry, depth int)
	print = func(entries []Entry, depth int) {
		for _, e := range entries {
			if left[e.ID] {
				delete(left, e.ID)
				e.row(w, strings.Repeat("  ", max(depth-1, 0))+strings.Repeat("└ ", min(depth, 1)))
				print(forks[e.ID], depth+1)
			}
		}
	}
	print(forks[""], 0)
	for _, e := range all { // parents that form a cycle
		if left[e.ID] {
			e.row(w, "")
		}
	}
}
