package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
	"agent/internal/loop/export/adopt"
)

// exporters write a session in the format of that name.
func exporters() map[string]func(io.Writer, export.Session) error {
	return map[string]func(io.Writer, export.Session) error{
		"md": export.Markdown, "html": export.HTML, "json": export.JSON,
	}
}

// exportCommand is `agent sessions export`.
func exportCommand() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "write a session as Markdown, as a page of HTML or as JSON",
		Example: `  agent sessions export 1ng2j0n > session.md
  agent sessions export 1ng2j0n --format html -o session.html
  agent sessions export 1ng2j0n -o session.json`,
		Args: exactly(1, "the ID of a session: agent sessions export ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			if format == "" {
				format = formatOf(file)
			}
			write := exporters()[format]
			if write == nil {
				return usage("--format: there is no format %q: use md, html or json", format)
			}
			v, err := view(args[0])
			if err != nil {
				return err
			}
			defer v.Close()
			s, err := exported(v, func(err error) { warn("%v", err) })
			if err != nil {
				return err
			}
			if file == "" || file == "-" {
				return exportTo(newConsole(os.Stdout), s, write)
			}
			return exportFile(file, s, write)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "md, html or json (default: what the name of the file says, else md)")
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write (default: standard output)")
	return cmd
}

// formatOf returns the format that the name of a file asks for.
func formatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".html", ".htm":
		return "html"
	case ".json":
		return "json"
	}
	return "md"
}

// exported returns a session as it stands: what was taken back is not in it.
// Each damage is told.
func exported(v *history.View, tell func(error)) (export.Session, error) {
	state, err := stateOf(v.From(0), tell)
	if err != nil {
		return export.Session{}, fmt.Errorf("read session %s: %w", v.Header().ID, err)
	}
	return export.Session{Header: v.Header(), Title: state.Title, Events: state.Events}, nil
}

// exportTo writes a session to standard output.
func exportTo(out console, s export.Session, write func(io.Writer, export.Session) error) error {
	if out.terminal {
		var b bytes.Buffer
		if err := write(&b, s); err != nil {
			return err
		}
		out.say(b.String())
		return nil
	}
	w := bufio.NewWriter(out)
	if err := write(w, s); err != nil {
		return err
	}
	return w.Flush()
}

// exportFile writes a session to a file that nobody else may read.
func exportFile(name string, s export.Session, write func(io.Writer, export.Session) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(write(w, s), w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("export the session to %s: %w", name, err)
	}
	return nil
}

// importCommand is `agent sessions import`.
func importCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "make sessions of files: exports as JSON, logs, and sessions of Claude Code and Codex",
		Long: `Import makes a session of each file: an export of agent as JSON, a log of a
session, or a session file of Claude Code (~/.claude/projects/*/*.jsonl) or Codex
(~/.codex/sessions/**/rollout-*.jsonl), of which the conversation is taken over.
It prints the new IDs. Such a session works in the current directory, or in that
of --dir, and never in one that the file names.`,
		Example: `  agent sessions import session.json
  agent sessions import --dir ~/src/shop ~/.claude/projects/-home-me-src-shop/*.jsonl`,
		Args: atLeast(1, "the files to import: agent sessions import FILE..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := openStore()
			if err != nil {
				return err
			}
			work, err := absolute(dir)
			if err != nil {
				return err
			}
			if info, err := os.Stat(work); err != nil || !info.IsDir() {
				return usage("--dir: there is no directory %s", work)
			}
			var failed error
			for _, name := range args {
				id, notes, err := importFile(store, name, work)
				if err != nil {
					failed = errors.Join(failed, fmt.Errorf("import %s: %w", name, err))
					continue
				}
				for _, n := range notes {
					warn("%s: %s", name, n)
				}
				fmt.Fprintln(cmd.OutOrStdout(), id)
			}
			return failed
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "where the sessions are to work (default: here)")
	return cmd
}

// importFile makes a session of a file; - stands for standard input.
func importFile(store *history.Store, name, dir string) (id string, notes []string, err error) {
	in := os.Stdin
	if name != "-" {
		if in, err = os.Open(name); err != nil {
			return "", nil, err
		}
		defer in.Close()
	}
	m, err := adopt.Import(in)
	if err != nil {
		return "", nil, err
	}
	if m.Title != lastTitle(m.Events) && m.Title != "" {
		m.Events = append(m.Events, &event.Renamed{Meta: event.Meta{Time: time.Now()}, Title: m.Title})
	}
	h := history.Header{Dir: dir, Version: m.Header.Version}
	if h.Version == "" {
		h.Version = version
	}
	log, err := store.CreateFrom(h, encoded(m.Events))
	if err != nil {
		return "", nil, err
	}
	if m.Header.Dir != "" && m.Header.Dir != dir {
		m.Notes = append(m.Notes, fmt.Sprintf("it was begun in %s and goes on in %s; --dir chooses another place", m.Header.Dir, dir))
	}
	return log.Header().ID, m.Notes, log.Close()
}

// lastTitle returns the title that events give, empty for none.
func lastTitle(events []event.Durable) string {
	for _, e := range slices.Backward(events) {
		if r, ok := e.(*event.Renamed); ok {
			return r.Title
		}
	}
	return ""
}

// encoded yields the records of events.
func encoded(events []event.Durable) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range events {
			if b, err := event.Encode(e); !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// schemaCommand is `agent sessions schema`.
func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "print the JSON schema of session records and --output stream-json",
		Example: "  agent sessions schema > events.schema.json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schema, err := event.Schema()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(schema)
			return err
		},
	}
}
