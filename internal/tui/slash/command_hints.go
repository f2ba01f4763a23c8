package slash

// commandHint returns the equivalent here of a command of another program, empty if
// the name is unknown.
func commandHint(name string) string {
	switch name {
	case "auth", "apikey", "key":
		return "Use /connect to connect a model provider with an API key."
	case "logout":
		return "Run 'agent logout PROVIDER' in a shell to delete a stored API key. /connect replaces it."
	case "config", "settings":
		return "Run 'agent config' in a shell to show the configuration and its location."
	case "vim":
		return `Set "editor": "vim" in the configuration.`
	case "terminal-setup":
		return `No setup is needed: ctrl+j, or \ before Enter, inserts a newline in every terminal.`
	case "diff":
		return "Use /changes to review all file changes since the session began, or !!git diff."
	case "approvals", "approve", "yolo":
		return "Use /mode to set the permission mode, and /permissions to list and remove permissions."
	case "usage", "tokens", "stats":
		return "Use /cost to show tokens, cost and context window use."
	case "checkpoint", "restore", "revert":
		return "Use /undo to undo file changes, or /rewind to rewind the conversation."
	case "think", "thinking", "reasoning", "variant":
		return "Use /effort to set the reasoning effort."
	case "remember", "instructions", "rules":
		return "Use /memory to edit the instruction files, or /memory add TEXT to add a line."
	case "skills", "commands":
		return "Type / to list the commands and skills. They are read from the directories in 'agent help instructions'."
	case "models", "provider", "providers":
		return "Use /model to list and switch models, and /connect to connect a provider."
	case "compress", "summarize", "condense":
		return "Use /compact to compact the model's context."
	case "editor":
		return "Use /edit to edit the prompt in your editor."
	case "name", "title":
		return "Use /rename to set the title of the session."
	case "history", "tree", "switch", "continue", "load":
		return "Use /resume or /sessions to list the sessions."
	case "branch", "clone":
		return "Use /fork to continue in a copy of the session."
	case "hotkeys", "shortcuts", "keybindings", "keymap":
		return "Use /keys to search the key bindings."
	case "search", "grep":
		return "Use /find to search the transcript."
	case "transcript", "details", "log":
		return "Use /view to open the full-screen transcript."
	case "agent", "subagent", "subagents", "delegate", "delegates":
		return "Use /agents to list delegates and agents, or begin a prompt with @agent:NAME."
	case "tasks", "bashes", "ps", "stop":
		return "Use /jobs to list and stop background jobs."
	case "color", "colors", "appearance":
		return "Use /theme to set the color theme."
	case "share", "save", "dump":
		return "Use /export to write the session to a file."
	case "bye", "q", "close":
		return "Use /quit to quit."
	}
	return ""
}
