package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"agent/internal/history"
	"agent/internal/loop/session"
	"agent/internal/tui/ink"
)

// sessionsCommand is `agent sessions`.
func sessionsCommand() *cobra.Command {
	cmd := listCommand("sessions")
	cmd.Short = "list, read, search, export and tidy sessions"
	cmd.Long = `Sessions lists the sessions of this directory, the newest first. Its commands do
more with them. An ID may be shortened as long as one session alone begins
with it.`
	cmd.Example = `  agent sessions --all
  agent sessions search "out of memory" --dir .
  agent sessions show 1ng2j0n
  agent sessions export 1ng2j0n -o session.html
  agent --resume 1ng2j0n`
	cmd.AddCommand(
		listCommand("list"), treeCommand(), showCommand(), searchCommand(), schemaCommand(), renameCommand(), removeCommand(),
		exportCommand(), importCommand(), repairCommand(),
	)
	return cmd
}

// here are the flags that say of which directory's sessions a command speaks.
type here struct {
	all bool
	dir string
}

func (h *here) add(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&h.all, "all", "a", false, "the sessions of all directories")
	cmd.Flags().StringVar(&h.dir, "dir", "", "the sessions of this directory (default: the current one)")
}

// wanted returns the directory, empty for all.
func (h *here) wanted() (string, error) {
	if h.all && h.dir != "" {
		return "", usage("--all and --dir: only one of them")
	}
	if h.all {
		return "", nil
	}
	return absolute(h.dir)
}

// absolute returns the directory of a name, as sessions have it.
func absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("the working directory is gone or cannot be read (%w): cd to another one", err)
	}
	return abs, nil
}

// listCommand lists sessions under a name of its own.
func listCommand(name string) *cobra.Command {
	var h here
	cmd := &cobra.Command{
		Use:   name,
		Short: "list the sessions of this directory",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := h.entries(cmd)
			if err != nil || len(all) == 0 {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tWHEN\tDIRECTORY\tMESSAGES\tTITLE")
			for _, e := range all {
				e.row(w, "")
			}
			return w.Flush()
		},
	}
	h.add(cmd)
	return cmd
}

// treeCommand is `agent sessions tree`.
func treeCommand() *cobra.Command {
	var h here
	cmd := &cobra.Command{
		Use:   "tree",
		Short: "list the sessions, forks below what they were forked from",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := h.entries(cmd)
			if err != nil || len(all) == 0 {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tWHEN\tDIRECTORY\tMESSAGES\tTITLE")
			for e, depth := range tree(all) {
				e.row(w, strings.Repeat("  ", max(depth-1, 0))+strings.Repeat("└ ", min(depth, 1)))
			}
			return w.Flush()
		},
	}
	h.add(cmd)
	return cmd
}

// entry is a session in a list.
type entry struct {
	history.Info
	session.Outline
}

// entries returns the sessions that h wants, and says so if there are none.
func (h *here) entries(cmd *cobra.Command) ([]entry, error) {
	dir, err := h.wanted()
	if err != nil {
		return nil, err
	}
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	all, err := entries(cmd.Context(), store, dir)
	if err == nil && len(all) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "There is no session here yet. agent sessions --all lists those of all directories.")
	}
	return all, err
}

// entries returns the sessions of a directory, or all if it is empty, the one
// written to last first.
func entries(ctx context.Context, store *history.Store, dir string) ([]entry, error) {
	index, err := store.Index(ctx, history.Summariser{Version: session.SummaryVersion, Add: session.Summarize})
	if err != nil {
		return nil, err
	}
	dir = history.AsWritten(dir)
	var all []entry
	for _, i := range index {
		if dir == "" || i.Dir == dir {
			all = append(all, entry{i.Info, session.SummaryOf(i.Summary).Outline()})
		}
	}
	return all, nil
}

// row writes e as a line of a table, whose ID follows what leads to it.
func (e entry) row(w io.Writer, lead string) {
	fmt.Fprintf(w, "%s%s\t%s\t%s\t%d\t%s\n", lead, e.ID, when(e.Modified, time.Now()),
		ink.SanitizeLine(short(e.Dir)), e.Messages, ink.Truncate(ink.SanitizeLine(e.Title), 60))
}

// tree yields all with their depth: each fork comes below its parent where
// that is there.
func tree(all []entry) iter.Seq2[entry, int] {
	there := map[string]bool{}
	for _, e := range all {
		there[e.ID] = true
	}
	forks := map[string][]entry{}
	for _, e := range all {
		parent := e.Parent
		if !there[parent] || parent == e.ID {
			parent = ""
		}
		forks[parent] = append(forks[parent], e)
	}
	return func(yield func(entry, int) bool) {
		shown := map[string]bool{}
		var below func(parent string, depth int) bool
		below = func(parent string, depth int) bool {
			for _, e := range forks[parent] {
				if shown[e.ID] {
					continue
				}
				shown[e.ID] = true
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
			if !shown[e.ID] && !yield(e, 0) {
				return
			}
		}
	}
}

// view opens a session for reading. The caller closes it.
func view(id string) (*history.View, error) {
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	v, err := store.View(id)
	if err != nil {
		return nil, lookedFor(err)
	}
	return v, nil
}

// lookedFor tells where sessions are listed, if err is that there is none.
func lookedFor(err error) error {
	if errors.Is(err, history.ErrNotFound) {
		return fmt.Errorf("%w. agent sessions --all lists them", err)
	}
	return err
}

// stateOf folds what is sound of some records. Each damage is told.
func stateOf(records iter.Seq2[history.Record, error], tell func(error)) (session.State, error) {
	return session.Fold(func(yield func(history.Record, error) bool) {
		for r, err := range records {
			switch {
			case errors.As(err, new(history.Problem)):
				tell(err)
			case !yield(r, err):
				return
			}
		}
	})
}

// exactly refuses any other number of arguments as wrong usage.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("give it %s", what)
		}
		return nil
	}
}

// atLeast refuses fewer arguments as wrong usage.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return usage("give it %s", what)
		}
		return nil
	}
}

// when writes a time as people say it: the hour of today, else the date.
func when(t, now time.Time) string {
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format(time.DateOnly)
}

// warn says something on standard error that came from anywhere.
func warn(format string, args ...any) {
	newConsole(os.Stderr).say(fmt.Sprintf(format, args...) + "\n")
}
