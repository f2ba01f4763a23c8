// Package sessions holds `agent sessions` and its commands, and reads stored sessions
// for the screen: the session picker, previews and prompt history. It never runs a
// session. Start reading at NewCmdSessions.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/loop/session"
)

// NewCmdSessions returns `agent sessions`. Lines are the schemas of stream-json.
func NewCmdSessions(f *command.Factory, lines Schemas) *cobra.Command {
	cmd := newCmdList(f, "sessions", nil)
	cmd.Short = "list, show, search, export and delete sessions"
	cmd.Long = `Sessions lists the sessions of this directory, the most recently used first. Any
unique prefix of an ID is accepted.`
	cmd.Example = `  agent sessions --all
  agent sessions search "out of memory" --dir .
  agent sessions show 1ng2j0n
  agent sessions export 1ng2j0n --file session.html
  agent --resume 1ng2j0n`
	cmd.AddCommand(
		NewCmdList(f, nil), NewCmdTree(f, nil), NewCmdShow(f, nil), NewCmdSearch(f, nil), NewCmdStats(f, nil), NewCmdSchema(f, lines, nil), NewCmdRename(f, nil),
		NewCmdDelete(f, nil), NewCmdExport(f, nil), NewCmdImport(f, nil), NewCmdRepair(f, nil),
	)
	return cmd
}

// Entry is a session in a list.
type Entry struct {
	history.Info
	session.Outline
	// Owner is the ID of the session that this delegate belongs to; its own ID if it
	// is not the session of a delegate, or if that session was deleted.
	Owner string
}

// Entries returns the sessions of dir, or all sessions if dir is empty, the most
// recently used first. Sessions of delegates are not among them.
func Entries(ctx context.Context, store *history.Store, dir string) ([]Entry, error) {
	all, err := entriesWithDelegates(ctx, store, dir)
	return slices.DeleteFunc(all, func(e Entry) bool { return e.Agent != "" }), err
}

// entriesWithDelegates is Entries with the sessions of delegates. They are in the
// directory of the session that they belong to.
func entriesWithDelegates(ctx context.Context, store *history.Store, dir string) ([]Entry, error) {
	index, err := store.Index(ctx, history.Summariser{Version: session.SummaryVersion, Add: session.Summarize})
	if err != nil {
		return nil, err
	}
	headers := map[string]history.Header{}
	for _, i := range index {
		headers[i.ID] = i.Header
	}
	in := history.InDir(dir)
	var all []Entry
	for _, i := range index {
		owner := history.Owner(i.Header, headers)
		e := Entry{i.Info, session.SummaryOf(i.Summary).Outline(), owner.ID}
		if !in(owner) || e.Messages == 0 && session.IsUnused(store, i.ID) {
			continue
		}
		all = append(all, e)
	}
	return all, nil
}

// HintList adds to a history.ErrNotFound how to list the sessions.
func HintList(err error) error {
	if errors.Is(err, history.ErrNotFound) {
		return fmt.Errorf("%w. To list all sessions: agent sessions --all", err)
	}
	return err
}

// View opens the session id for reading. The caller closes the view.
func View(openStore func() (*history.Store, error), id string) (*history.View, error) {
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	v, err := store.View(id)
	return v, HintList(err)
}
