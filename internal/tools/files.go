package tools

import (
	"context"

	"agent/internal/tools/workspace"
)

// Files returns the tools that read and change the files of w, in a fixed
// order. Known is what the agent that gets them has read so far; nil checks
// nothing against it.
func Files(w *workspace.Workspace, known *workspace.Ledger) []Tool {
	return []Tool{readTool(w, known), listTool(w), globTool(w), searchTool(w), editTool(w, known), patchTool(w, known), writeTool(w, known)}
}

// readCall returns a call that reads what is at a place. Its run may be left
// behind when ctx ends: see within.
func readCall(title string, at workspace.Place, run func(context.Context, Approved) (Result, error)) Call {
	return Call{
		Title: title, Effect: Read, Targets: []Target{{Kind: Path, Value: at.Name()}},
		Run: func(ctx context.Context, ok Approved) (Result, error) {
			progress, stop := until(ctx, ok.Progress)
			defer stop()
			ok.Progress = progress
			return within(ctx, func() (Result, error) { return run(ctx, ok) })
		},
	}
}
