package sessions

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/tui/ink"
)

// ListOptions are what `agent sessions list` and `agent sessions tree` need.
type ListOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	All  bool
	Dir  string
	Tree bool // forks follow the session that they were forked from
}

// NewCmdList returns `agent sessions list`.
func NewCmdList(f *command.Factory, runF command.RunFunc[ListOptions]) *cobra.Command {
	return newCmdList(f, "list", runF)
}

// NewCmdTree returns `agent sessions tree`.
func NewCmdTree(f *command.Factory, runF command.RunFunc[ListOptions]) *cobra.Command {
	cmd := newCmdList(f, "tree", runF)
	cmd.Short = "list the sessions, forks below what they were forked from"
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
				return command.Usage("--all and --dir: only one of them")
			}
			return command.Or(runF, listRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.All, "all", "a", false, "the sessions of all directories")
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "the sessions of this directory (default: the current one)")
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
	all, err := Entries(ctx, store, dir)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(opts.IO.Err, "There is no session here yet. agent sessions --all lists those of all directories.")
		return nil
	}
	w := tabwriter.NewWriter(opts.IO.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tWHEN\tDIRECTORY\tMESSAGES\tTITLE")
	if opts.Tree {
		for e, depth := range tree(all) {
			e.row(w, strings.Repeat("  ", max(depth-1, 0))+strings.Repeat("└ ", min(depth, 1)))
		}
	} else {
		for _, e := range all {
			e.row(w, "")
		}
	}
	return w.Flush()
}

// row prints e as a line of a table, with indent before its ID.
func (e Entry) row(w io.Writer, indent string) {
	fmt.Fprintf(w, "%s%s\t%s\t%s\t%d\t%s\n", indent, e.ID, when(e.Modified, time.Now()),
		ink.SanitizeLine(command.Short(e.Dir)), e.Messages, ink.Truncate(ink.SanitizeLine(e.Title), 60))
}

// when formats a time: the hour if it is today, else the date.
func when(t, now time.Time) string {
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format(time.DateOnly)
}

// tree yields all with their depth. Each fork follows its parent if that is
// among them.
func tree(all []Entry) iter.Seq2[Entry, int] {
	listed := map[string]bool{}
	for _, e := range all {
		listed[e.ID] = true
	}
	forks := map[string][]Entry{}
	for _, e := range all {
		parent := e.Parent
		if !listed[parent] || parent == e.ID {
			parent = ""
		}
		forks[parent] = append(forks[parent], e)
	}
	return func(yield func(Entry, int) bool) {
		var below func(parent string, depth int) bool
		below = func(parent string, depth int) bool {
			for _, e := range forks[parent] {
				if !listed[e.ID] {
					continue
				}
				delete(listed, e.ID)
				if !yield(e, depth) || !below(e.ID, depth+1) {
					return false
				}
			}
			return true
		}
		if !below("", 0) {
			return
		}
		for _, e := range all { // headers that name one another in a ring
			if listed[e.ID] && !yield(e, 0) {
				return
			}
		}
	}
}
