package tools

// Files returns the tools that read and change the files of w, in a fixed
// order. Known is what the agent that gets them has read so far; nil checks
// nothing against it.
func Files(w *Workspace, known *Ledger) []Tool {
	return []Tool{w.readTool(known), w.listTool(), w.globTool(), w.searchTool(), w.editTool(known), w.patchTool(known), w.writeTool(known)}
}
