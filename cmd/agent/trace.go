package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/loop/trace"
)

// The environment variables of the collector. The headers may hold a secret.
const (
	traceEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	traceHeaders  = "OTEL_EXPORTER_OTLP_HEADERS"
)

// openTrace starts the trace of the session in the file of the flag, else of the
// configuration, if one is named. The session must be open.
func (a *app) openTrace(flag string) error {
	file := cmp.Or(flag, a.set.Trace.File)
	if file == "" {
		return nil
	}
	if flag == "" {
		path, err := settings.Path(os.Getenv)
		if err != nil {
			return err
		}
		if file, err = inDir(file, filepath.Dir(path)); err != nil {
			return fmt.Errorf("configuration: trace: %w", err)
		}
	}
	t, err := trace.Open(trace.Options{File: file, Session: a.id(), Content: a.set.Trace.Content, Version: version, Endpoint: os.Getenv(traceEndpoint), Headers: os.Getenv(traceHeaders)})
	if err != nil && flag != "" {
		return command.Usage("--trace: %w", err)
	}
	if err != nil {
		return fmt.Errorf("configuration: trace: %w", err)
	}
	a.trace, a.options.Listen, a.options.Problems = t, t.Listen, t.Problems()
	return nil
}
