package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/export/importer"
)

// ImportOptions are the options of `agent sessions import`.
type ImportOptions struct {
	IO      command.IO
	Store   func() (*history.Store, error)
	Version string // of the program

	Files []string // "-" is standard input
	Dir   string   // working directory of the sessions
}

// NewCmdImport returns `agent sessions import`.
func NewCmdImport(f *command.Factory, runF command.RunFunc[ImportOptions]) *cobra.Command {
	opts := &ImportOptions{IO: f.IO, Store: f.Store, Version: f.Version}
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "import sessions from JSON exports and logs",
		Long: `Import creates a session from each file and prints the new IDs. A file is a JSON
export, a session log or the output of agent run --output stream-json. The session runs
in the current directory or in --dir, never in a directory named in the file.`,
		Example: `  agent sessions import session.json
  agent sessions import --dir ~/src/shop session.json`,
		Args: command.MinArgs(1, "files to import: agent sessions import FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Files = args
			return command.Or(runF, importRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "working `directory` of the sessions (default: the current directory)")
	return cmd
}

func importRun(_ context.Context, opts *ImportOptions) error {
	store, err := opts.Store()
	if err != nil {
		return err
	}
	dir, err := command.Absolute(opts.Dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return command.Usage("--dir: %s is not a directory", dir)
	}
	var failed error
	for _, name := range opts.Files {
		id, notes, err := importFile(opts, store, name, dir)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("import %s: %w", name, err))
			continue
		}
		for _, n := range notes {
			opts.IO.Warn("%s: %s", name, n)
		}
		fmt.Fprintln(opts.IO.Out, id)
	}
	return failed
}

// importFile creates a session from a file, with dir as its working directory.
func importFile(opts *ImportOptions, store *history.Store, name, dir string) (id string, notes []string, err error) {
	in := opts.IO.In
	if name != "-" {
		if in, err = os.Open(name); err != nil {
			return "", nil, err
		}
		defer in.Close()
	}
	m, err := importer.Import(in)
	if err != nil {
		return "", nil, err
	}
	if m.Title != lastTitle(m.Events) && m.Title != "" {
		m.Events = append(m.Events, &event.Renamed{Meta: event.Meta{Time: time.Now()}, Title: m.Title})
	}
	h := history.Header{Dir: dir, Version: cmp.Or(m.Header.Version, opts.Version)}
	log, err := store.CreateFrom(h, encodeAll(m.Events))
	if err != nil {
		return "", nil, err
	}
	if m.Header.Dir != "" && m.Header.Dir != dir {
		m.Notes = append(m.Notes, fmt.Sprintf("the session was started in %s and now runs in %s. To use another directory, add --dir", m.Header.Dir, dir))
	}
	return log.Header().ID, m.Notes, log.Close()
}

// lastTitle returns the title set last in events; empty for none.
func lastTitle(events []event.Durable) string {
	for _, e := range slices.Backward(events) {
		if r, ok := e.(*event.Renamed); ok {
			return r.Title
		}
	}
	return ""
}

// encodeAll yields the encoded events.
func encodeAll(events []event.Durable) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range events {
			if b, err := event.Encode(e); !yield(b, err) || err != nil {
				return
			}
		}
	}
}
