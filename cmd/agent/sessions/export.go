package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/internal/history"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
	"agent/internal/loop/session"
)

// ExportOptions are the options of `agent sessions export`.
type ExportOptions struct {
	IO    command.IO
	Store func() (*history.Store, error)

	ID     string
	Format string // md, html or json
	File   string // empty or "-" for standard output
	Output string // value of --output: a format, or as in older versions a file
}

// NewCmdExport returns `agent sessions export`.
func NewCmdExport(f *command.Factory, runF command.RunFunc[ExportOptions]) *cobra.Command {
	opts := &ExportOptions{IO: f.IO, Store: f.Store}
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "export a session as Markdown, HTML or JSON",
		Example: `  agent sessions export 1ng2j0n > session.md
  agent sessions export 1ng2j0n --output html > session.html
  agent sessions export 1ng2j0n --file session.json`,
		Args: command.OneArg("one session ID: agent sessions export ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.ID = args[0]
			given := opts.File
			if opts.readOutput(); opts.File != given && opts.File != "-" {
				fmt.Fprintln(cmd.ErrOrStderr(), "note: --output is the format. To write a file: --file FILE")
			}
			if opts.Format == "" {
				opts.Format = formatOf(opts.File)
			}
			return command.Or(runF, exportRun)(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "", "output `format`: md, html or json (default: from the file name, else md)")
	cmd.Flags().StringVar(&opts.File, "file", "", "`FILE` to write (default: standard output)")
	cmd.Flags().StringVar(&opts.Format, "format", "", "output `format`, as --output")
	_ = cmd.Flags().MarkHidden("format") // it exists
	return cmd
}

// readOutput moves the value of --output to the format or the file. Older versions had
// --format FORMAT --output FILE: the value is a file beside --format, and if it can only be
// the name of a file.
func (o *ExportOptions) readOutput() {
	switch {
	case o.Output == "" || o.File != "" && o.Format != "":
	case o.File == "" && (o.Format != "" || strings.ContainsAny(o.Output, `./\`) || o.Output == "-"):
		o.File = o.Output
	default:
		o.Format = o.Output
	}
	o.Output = ""
}

func exportRun(ctx context.Context, opts *ExportOptions) error {
	write, err := exportWriter(opts.Format)
	if err != nil {
		return command.Usage("--output: %w. To write a file: --file FILE", err)
	}
	v, err := View(opts.Store, opts.ID)
	if err != nil {
		return err
	}
	defer v.Close()
	s, err := exportedSession(ctx, v, opts.IO.Damaged)
	if err != nil {
		return err
	}
	out := opts.IO.Out
	switch {
	case opts.File != "" && opts.File != "-":
		return writeFile(opts.File, s, write)
	case out.Terminal:
		var b strings.Builder
		err := write(&b, s)
		out.Say(b.String())
		return err
	}
	w := bufio.NewWriter(out)
	return errors.Join(write(w, s), w.Flush())
}

// formatOf returns the format for the extension of file.
func formatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".html", ".htm":
		return "html"
	case ".json":
		return "json"
	}
	return "md"
}

// exportWriter returns the function that writes a session in a format.
func exportWriter(format string) (func(io.Writer, export.Session) error, error) {
	switch format {
	case "md":
		return export.Markdown, nil
	case "html":
		return export.HTML, nil
	case "json":
		return export.JSON, nil
	}
	return nil, fmt.Errorf("unknown format %q: use md, html or json", format)
}

// exportedSession returns the session in v without rewound turns. It passes damage to
// damaged, unless that is nil.
func exportedSession(ctx context.Context, v *history.View, damaged func(history.Problem)) (export.Session, error) {
	state, err := session.ReplayLog(ctx, v, damaged)
	if err != nil {
		return export.Session{}, fmt.Errorf("read session %s: %w", v.Header().ID, err)
	}
	return export.Session{Header: v.Header(), Title: state.Title, Events: state.Events}, nil
}

// ExportFile writes the session of log to a file in dir and returns the path of the
// file. format is "md", "html" or "json".
func ExportFile(log *history.Log, dir, format string) (string, error) {
	write, err := exportWriter(format)
	if err != nil {
		return "", err
	}
	s, err := sessionIn(log)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "session-"+log.Header().ID+"."+format)
	return path, writeFile(path, s, write)
}

// Markdown returns the session of log as Markdown.
func Markdown(log *history.Log) (string, error) {
	s, err := sessionIn(log)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = export.Markdown(&b, s)
	return b.String(), err
}

// sessionIn returns the session of log without rewound turns. Damage leaves a gap; it was
// reported when the session was opened.
func sessionIn(log *history.Log) (export.Session, error) {
	v, err := log.View()
	if err != nil {
		return export.Session{}, err
	}
	defer v.Close()
	return exportedSession(context.Background(), v, nil)
}

// writeFile writes a session to a file that only the user can read.
func writeFile(name string, s export.Session, write func(io.Writer, export.Session) error) error {
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

// SchemaOptions are the options of `agent sessions schema`.
type SchemaOptions struct {
	IO command.IO

	Of string // "records", or a key of the schemas of lines
}

// Schemas return JSON schemas, by what they describe.
type Schemas map[string]func() ([]byte, error)

// NewCmdSchema returns `agent sessions schema`. Lines are the schemas of stream-json.
func NewCmdSchema(f *command.Factory, lines Schemas, runF command.RunFunc[SchemaOptions]) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "print the JSON schema of session records or stream-json",
		Long: `Schema prints the JSON schema with that NAME: of a record of a session (records,
the default), of a line that agent run prints with --output stream-json (output), or of
a line that it reads with --input stream-json (input).`,
		Example:   "  agent sessions schema > events.schema.json\n  agent sessions schema input > commands.schema.json",
		Args:      command.MaxArgs(1, "at most one of records, output and input"),
		ValidArgs: []string{"records", "output", "input"},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts := &SchemaOptions{IO: f.IO, Of: strings.Join(args, "")}
			return command.Or(runF, func(_ context.Context, o *SchemaOptions) error { return schemaRun(o, lines) })(cmd.Context(), opts)
		},
	}
}

func schemaRun(opts *SchemaOptions, lines Schemas) error {
	of := lines[opts.Of]
	switch {
	case opts.Of == "" || opts.Of == "records":
		of = event.Schema
	case of == nil:
		return command.Usage("unknown schema %q: use records, output or input", opts.Of)
	}
	schema, err := of()
	if err != nil {
		return err
	}
	_, err = opts.IO.Out.Write(schema)
	return err
}
