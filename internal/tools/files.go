package tools

import "agent/internal/tools/workspace"

// Files returns the tools that read and change the files of w, in a fixed
// order. Known is what the agent that gets them has read so far; nil checks
// nothing against it.
func Files(w *workspace.Workspace, known *workspace.Ledger) []Tool {
	return []Tool{readTool(w, known), listTool(w), globTool(w), searchTool(w), editTool(w, known), patchTool(w, known), writeTool(w, known)}
}
