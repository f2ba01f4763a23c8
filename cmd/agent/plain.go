package main

import (
	"context"
	"os"

	"github.com/charmbracelet/x/term"

	"agent/cmd/agent/lines"
	"agent/internal/tui/plain"
	"agent/internal/tui/screen"
)

// isPlain reports whether sessions run in plain mode: with --plain, or if standard
// output is not a terminal or a dumb one.
func isPlain(f opening) bool {
	return f.plain || !term.IsTerminal(os.Stdout.Fd()) || os.Getenv("TERM") == "dumb"
}

// showPlain runs a session in plain mode. cleanup is that of command.Factory.
func showPlain(ctx context.Context, in *lines.Input, o screen.Options, interrupts <-chan struct{}, cleanup func(func()) (forget func())) (screen.Exit, error) {
	o.Output = os.Stdout
	all := plain.Lines{C: in.C, Next: in.Next, Typed: in.Typed, Interrupts: interrupts}
	if in.Typed {
		all.Hide = func() func() { return in.Hide(cleanup) }
	}
	return plain.Show(ctx, o, all)
}
