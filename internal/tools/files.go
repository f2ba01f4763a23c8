package tools

import (
	"context"

	"agent/internal/tools/workspace"
)

// Files returns the tools that read and change the files of w, in a fixed order.
// Known records what the agent has read; nil disables the checks against it.
func Files(w *workspace.Workspace, known *workspace.Ledger) []Tool {
	return []Tool{readTool(w, known), listTool(w), globTool(w), searchTool(w), editTool(w, known), patchTool(w, known), writeTool(w, known)}
}

// readCall returns a call with effect Read on at. Its run may continue in the
// background when ctx ends: see runContext.
func readCall(title string, at workspace.Place, run func(context.Context, Approved) (Result, error)) Call {
	return Call{
		Title: title, Effect: Read, Targets: []Target{{Kind: Path, Value: at.Name()}},
		Run: func(ctx context.Context, ok Approved) (Result, error) {
			progress, stop := guardProgress(ctx, ok.Progress)
			defer stop()
			ok.Progress = progress
			return runContext(ctx, func() (Result, error) { return run(ctx, ok) })
		},
	}
}
