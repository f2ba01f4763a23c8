package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/session"
	"agent/internal/tools/tempdir"
)

// RenameOptions are the options of `agent sessions rename`.
type RenameOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	ID, Title string
}

// NewCmdRename returns `agent sessions rename`.
func NewCmdRename(f *command.Factory, runF command.RunFunc[RenameOptions]) *cobra.Command {
	return &cobra.Command{
		Use:     "rename ID TITLE...",
		Short:   "set the title of a session; an empty title restores the default (its first words)",
		Example: "  agent sessions rename 1ng2j0n fix the parser timeout",
		Args:    command.MinArgs(2, "a session ID and a title: agent sessions rename ID TITLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			title := strings.Join(strings.Fields(strings.Join(args[1:], " ")), " ")
			return command.Or(runF, renameRun)(cmd.Context(), &RenameOptions{IO: f.IO, Store: f.Store, ID: args[0], Title: title})
		},
	}
}

func renameRun(_ context.Context, opts *RenameOptions) error {
	store, err := opts.Store()
	if err != nil {
		return err
	}
	record, err := event.Encode(&event.Renamed{Meta: event.Meta{Time: time.Now()}, Title: opts.Title})
	if err != nil {
		return err
	}
	log, problems, err := store.ResumeTail(opts.ID)
	if err != nil {
		return HintList(err)
	}
	for _, p := range problems {
		opts.IO.Damaged(p)
	}
	return errors.Join(log.Append(record, true), log.Close())
}

// DeleteOptions are the options of `agent sessions delete`.
type DeleteOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	IDs []string
	Yes bool // do not ask for confirmation
}

// NewCmdDelete returns `agent sessions delete`.
func NewCmdDelete(f *command.Factory, runF command.RunFunc[DeleteOptions]) *cobra.Command {
	opts := &DeleteOptions{IO: f.IO, Store: f.Store}
	cmd := &cobra.Command{
		Use:     "delete ID...",
		Aliases: []string{"remove"},
		Short:   "delete sessions permanently, with their files and delegates",
		Example: "  agent sessions delete 1ng2j0n 1ng3q8v",
		Args:    command.MinArgs(1, "session IDs: agent sessions delete ID..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.IDs = args
			return command.Or(runF, deleteRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask for confirmation")
	return cmd
}

func deleteRun(_ context.Context, opts *DeleteOptions) error {
	store, err := opts.Store()
	if err != nil {
		return err
	}
	ids, err := fullIDs(store, opts)
	if err != nil {
		return err
	}
	all, err := store.ListWithDelegates("")
	if err != nil {
		return err
	}
	what := phrase.Count(len(ids), "session")
	if n := countDelegates(all, ids); n > 0 {
		what += " and " + phrase.Count(n, "session") + " of delegates"
	}
	if !opts.Yes {
		if !opts.IO.Interactive() {
			return errors.New("nothing was deleted: there is no terminal for the confirmation. To delete without it, add --yes")
		}
		if !opts.IO.Confirm(fmt.Sprintf("Delete %s permanently? [y/N] ", what)) {
			return errors.New("nothing was deleted")
		}
	}
	var failed error
	for _, id := range ids {
		if err := store.Remove(id); !errors.Is(err, history.ErrNotFound) { // deleted with its parent
			failed = errors.Join(failed, err)
		}
		tempdir.Remove(id)
	}
	return failed
}

// countDelegates returns how many of all are sessions of delegates that belong to the
// sessions ids and are not themselves among those.
func countDelegates(all []history.Info, ids []string) (n int) {
	headers := map[string]history.Header{}
	for _, i := range all {
		headers[i.ID] = i.Header
	}
	for _, i := range all {
		goes := slices.Contains(ids, i.Parent) || slices.Contains(ids, history.Owner(i.Header, headers).ID)
		if i.Agent != "" && goes && !slices.Contains(ids, i.ID) {
			n++
		}
	}
	return n
}

// fullIDs returns the full IDs of the sessions to delete, without duplicates, and
// prints their titles on standard error.
func fullIDs(store *history.Store, opts *DeleteOptions) ([]string, error) {
	var ids []string
	for _, short := range opts.IDs {
		v, err := store.View(short)
		if err != nil {
			return nil, HintList(err)
		}
		if id := v.Header().ID; !slices.Contains(ids, id) {
			opts.IO.Warn("%s  %s", id, session.OutlineOf(v.Pass(0)).Title)
			ids = append(ids, id)
		}
		if err := v.Close(); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// RepairOptions are the options of `agent sessions repair`.
type RepairOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	IDs []string
	All bool // all sessions instead of IDs
}

// NewCmdRepair returns `agent sessions repair`.
func NewCmdRepair(f *command.Factory, runF command.RunFunc[RepairOptions]) *cobra.Command {
	opts := &RepairOptions{IO: f.IO, Store: f.Store}
	cmd := &cobra.Command{
		Use:   "repair ID | --all",
		Short: "check sessions for damage and remove incomplete records",
		Long: `Repair checks every record of a session and reports damage. It moves an incomplete
last record, for example after a power failure, out of the log into a file next to
it. Damaged records elsewhere are skipped when the session is read; later records
are unaffected.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.All != (len(args) == 0) {
				return command.Usage("expected session IDs or --all")
			}
			opts.IDs = args
			return command.Or(runF, repairRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.All, "all", "a", false, "check all sessions")
	return cmd
}

func repairRun(_ context.Context, opts *RepairOptions) error {
	store, err := opts.Store()
	if err != nil {
		return err
	}
	ids := opts.IDs
	if opts.All {
		if ids, err = sessionIDs(store, ""); err != nil {
			return err
		}
	}
	var failed error
	damaged := 0
	for _, id := range ids {
		problems, err := store.Repair(id)
		if err != nil {
			failed = errors.Join(failed, HintList(err))
			continue
		}
		if len(problems) > 0 {
			damaged++
		}
		for _, p := range problems {
			opts.IO.Out.Say(id + ": " + p.Text + "\n")
		}
	}
	fmt.Fprintf(opts.IO.Out, "%s checked, %d damaged\n", phrase.Count(len(ids), "session"), damaged)
	return failed
}
