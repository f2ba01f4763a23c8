package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"agent/cmd/agent/command"
	"agent/cmd/agent/prompts"
	"agent/cmd/agent/redact"
	"agent/cmd/agent/settings"
	"agent/internal/loop/trace"
)

// openTrace starts the trace of the session in the file of the flag, else of the
// configuration, if one is named. The session must be open.
func (a *app) openTrace(flag string) error {
	file := cmp.Or(flag, a.set.Trace.File)
	if file == "" {
		return nil
	}
	wrong := func(err error) error { return command.Usage("--trace: %w", err) }
	if flag == "" {
		wrong = func(err error) error { return fmt.Errorf("configuration: trace: %w", err) }
		path, err := settings.Path(os.Getenv)
		if err == nil {
			file, err = prompts.InDir(file, filepath.Dir(path))
		}
		if err != nil {
			return wrong(err)
		}
	}
	t, err := trace.Open(trace.Options{
		File: file, Session: a.stored.ID(), Content: a.set.Trace.Content, Version: version,
		Endpoint: os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), Headers: os.Getenv(redact.TraceHeaders),
	})
	if err != nil {
		return wrong(err)
	}
	a.trace = t
	return nil
}
