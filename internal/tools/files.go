package tools

// Files returns the tools that read and change the files of w, in a fixed
// order: read, list, glob, search, edit, write.
func Files(w *Workspace) []Tool {
	return []Tool{w.readTool(), w.listTool(), w.globTool(), w.searchTool(), w.editTool(), w.writeTool()}
}
