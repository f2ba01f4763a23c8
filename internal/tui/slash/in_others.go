package slash

// commandOfOthers says how one comes here by what a command of other programs does;
// empty for a name that none of them has.
func commandOfOthers(name string) string {
	switch name {
	case "login", "logout", "connect", "auth":
		return "agent login PROVIDER, in a shell, keeps a provider's key; agent logout PROVIDER removes it"
	case "config", "settings":
		return "agent config, in a shell, tells where the configuration is and what can be set"
	case "vim":
		return `"editor": "vim" in the configuration has its keys`
	case "terminal-setup":
		return `nothing is to be set up: ctrl+j, or \ before enter, begins a new line in every terminal`
	case "diff":
		return "!!git diff shows what has changed, and the model is not told"
	case "plan":
		return "/mode plan has the model say first what it would change"
	case "permissions", "approvals", "approve", "yolo":
		return "/mode says what is asked about"
	case "context", "usage", "tokens", "stats":
		return "/cost tells what was used and how full the window is"
	case "undo", "checkpoint", "restore", "revert":
		return "/rewind takes prompts back; files stay as they are"
	case "think", "thinking", "reasoning", "variant":
		return "/effort says how hard the model thinks"
	case "models", "provider", "providers":
		return "/model lists them"
	case "compress", "summarize", "condense":
		return "/compact cuts what is old"
	case "editor":
		return "/edit opens your editor"
	case "name", "title":
		return "/rename gives a title"
	case "history", "tree", "switch", "continue", "load":
		return "/resume and /sessions list the sessions"
	case "branch", "clone":
		return "/fork goes on in a copy"
	case "hotkeys", "shortcuts", "keybindings", "keymap":
		return "/keys searches the keys"
	case "search", "grep":
		return "/find searches in the session"
	case "transcript", "details", "log":
		return "/view shows everything uncut"
	case "tasks", "bashes", "ps", "stop":
		return "/jobs lists what runs, and stops it"
	case "color", "colors", "appearance":
		return "/theme changes the colours"
	case "share", "save", "dump":
		return "/export writes the session to a file"
	case "bye", "q", "close":
		return "/quit leaves"
	}
	return ""
}
