package slash

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
)

// Command is a slash command.
type Command struct {
	Name, Args, What string
	Title            string      // in the command palette; empty for /Name
	Also             string      // an alias; may be empty
	key              keys.Action // with the same effect; may be empty
	idle             bool        // not available during a turn
	Screen           bool        // not available in plain mode
	// Run executes the command. An error describes the usage; the typed text then
	// stays in the editor.
	Run func(s *Session, arg string) (tea.Cmd, error)
	// Complete returns the known values of the argument, the likeliest first. Nil if
	// there is no argument or it is free text.
	Complete func(s *Session) []string
}

// BuiltIn returns the table of the built-in slash commands.
func BuiltIn() []Command {
	return []Command{
		{Name: "help", Title: "Show help", Args: "[TOPIC | WORDS]", What: "show keys, commands and topics; open a help topic, or search all topics", key: keys.Help, Run: helpCommand, Complete: topicNames},
		{Name: "keys", Title: "Search key bindings", Args: "[WORD]", What: "search the key bindings", Screen: true, Run: keysCommand},
		{Name: "status", Title: "Show status", What: "show model, context window use, permission mode and session", Run: statusCommand},
		{Name: "model", Title: "Switch model", Args: "[PROVIDER/NAME]", What: "switch to another model", key: keys.Model, Run: modelCommand, Complete: modelNames},
		{Name: "connect", Title: "Connect a provider", Args: "[PROVIDER]", What: "connect a model provider: test its API key, store it and select a model", Also: "login", Run: connectCommand, Complete: providerNames},
		{Name: "effort", Title: "Set reasoning effort", Args: "[LEVEL]", What: "set the reasoning effort: low, medium, high or default", Run: effortCommand, Complete: oneOf("low", "medium", "high", event.DefaultEffort)},
		{Name: "web", Title: "Allow web search", Args: "[on|off]", What: "turn the web search of the provider on or off in this session", Run: webCommand, Complete: oneOf("on", "off")},
		{Name: "mode", Title: "Set permission mode", Args: "[NAME]", What: "set the permission mode: ask, auto, plan or all", Run: modeCommand, Complete: modeNames},
		{Name: "permissions", Title: "List permissions", Args: "[explain COMMAND | remove N]", What: "list rules and standing permissions; explain the decision on a command, or remove a permission", Run: permissionsCommand, Complete: oneOf("explain", "remove")},
		{Name: "trust", Title: "Confirm what the repository configures", What: "confirm or revoke the hooks, servers, formatters and agents of the repository", Run: trustCommand},
		{Name: "mcp", Title: "Show MCP servers", Args: "[NAME]", What: "show MCP servers with their state and tools; show a log, or reconnect", Run: mcpCommand},
		{Name: "lsp", Title: "Show language servers", Args: "[restart [NAME]]", What: "show the language servers, or restart them", Run: lspCommand, Complete: serverWords},
		{Name: "edit", Title: "Edit prompt in your editor", What: "edit the prompt in $VISUAL or $EDITOR", key: keys.Edit, Screen: true, Run: editCommand},
		{Name: "jobs", Title: "List background jobs", Args: "[stop N]", What: "list background jobs, or stop one", Run: jobsCommand},
		{Name: "plan", Title: "Show plan", What: "show the approved plan", Run: planCommand},
		{Name: "agents", Title: "List delegates (subagents) and agents", Args: "[start NAME TASK]", What: "list delegates and agents; start, stop, steer or watch a delegate", key: keys.Agents, Run: agentsCommand, Complete: agentWords},
		{Name: "init", Title: "Write AGENTS.md", What: "write AGENTS.md, the instructions for this project, or improve it", idle: true, Run: initCommand},
		{Name: "memory", Title: "Edit instructions", Args: "[add TEXT]", What: "edit the instruction files, or add a line to the project's", Run: memoryCommand, Complete: oneOf("add")},
		{Name: "rename", Title: "Rename session", Args: "TITLE", What: "set the title of the session", Run: renameCommand},
		{Name: "compact", Title: "Compact context", Args: "[FOCUS]", What: "summarize the conversation for the model; /compact undo restores it", idle: true, Run: compactCommand, Complete: oneOf("undo")},
		{Name: "context", Title: "Show context window", What: "list what fills the context window; pin or drop an item, read or edit the summary", idle: true, Run: contextCommand},
		{Name: "resume", Title: "Resume session", What: "resume another session", idle: true, Run: resumeCommand},
		{Name: "sessions", Title: "Browse sessions", What: "resume a session from a tree of forks", idle: true, Run: sessionsCommand},
		{Name: "new", Title: "New session", What: "start a new session", idle: true, Run: newCommand},
		{Name: "clear", Title: "Clear (new session)", What: "start a new session (same as /new)", idle: true, Run: newCommand},
		{Name: "rewind", Title: "Rewind session", Args: "[N]", What: "rewind to before a prompt, or before the last N prompts", key: keys.Rewind, idle: true, Run: rewindCommand},
		{Name: "undo", Title: "Undo file changes", Args: "[N] [ignored]", What: "undo the file changes of the last N turns (default 1)", idle: true, Run: undoCommand, Complete: oneOf("ignored")},
		{Name: "redo", Title: "Redo file changes", What: "redo what the last undo changed", idle: true, Run: redoCommand},
		{Name: "changes", Title: "Review file changes", What: "keep or undo each file change since the session began", idle: true, Run: changesCommand},
		{Name: "fork", Title: "Fork session", Args: "[N]", What: "fork the session before a prompt, or before the last N prompts", idle: true, Run: forkCommand},
		{Name: "find", Title: "Search transcript", Args: "[TEXT]", What: "search the transcript", key: keys.Find, Screen: true, Run: findCommand},
		{Name: "view", Title: "Open full-screen transcript", What: "open the full-screen transcript", key: keys.View, Screen: true, Run: viewCommand},
		{Name: "export", Title: "Export session", Args: "[md|html|json]", What: "write the session to a file", Run: exportCommand, Complete: oneOf("md", "html", "json")},
		{Name: "theme", Title: "Set color theme", Args: "[NAME]", What: "set the color theme; without a name, preview the themes", Run: themeCommand, Complete: oneOf(ink.ThemeNames()...)},
		{Name: "cost", Title: "Show tokens and cost", What: "show tokens and cost by turn, session and model, and context window use", Run: costCommand},
		{Name: "evidence", Title: "Show evidence", What: "list which checks ran in the last turn, how they ended, and what was edited since", Run: evidenceCommand},
		{Name: "budget", Title: "Set limits", Args: "[session] [LIMIT=N ...]", What: "set limits of each turn or of the session: steps, tokens, cost, time; without a limit, show them", Run: budgetCommand, Complete: oneOf("session", "off")},
		{Name: "inspect", Title: "Inspect a request", Args: "[STEP]", What: "show the exact request of a step (default: the last one)", Run: inspectCommand},
		{Name: "copy", Title: "Copy last answer", Args: "[code [N]]", What: "copy the last answer, its last code block, or its Nth code block", Run: copyCommand, Complete: copyWords},
		{Name: "quit", Title: "Quit", Also: "exit", What: "quit", key: keys.Quit, Run: func(s *Session, _ string) (tea.Cmd, error) { return s.Front.Quit(screen.Exit{}), nil }},
	}
}

// Commands returns the commands of this session: the built-in and the custom ones, and the
// prompts of MCP servers.
func (s *Session) Commands() []Command {
	return slices.Concat(BuiltIn(), s.custom.all(), s.mcp.prompts())
}

// Usage returns the name of a command with its arguments.
func (c Command) Usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Args) }

// needsArgument reports whether a command has a required argument.
func (c Command) needsArgument() bool { return c.Args != "" && !strings.HasPrefix(c.Args, "[") }

// oneOf returns a completion of fixed values.
func oneOf(all ...string) func(*Session) []string {
	return func(*Session) []string { return all }
}

// Row is a row of the table of commands in help and documentation.
type Row struct{ Usage, What string }

// Table returns the rows of the built-in commands.
func Table() []Row {
	var out []Row
	for _, c := range BuiltIn() {
		out = append(out, c.Row())
	}
	return out
}

// Row returns the row of a command.
func (c Command) Row() Row {
	what := c.What
	if c.Also != "" {
		what += " (also /" + c.Also + ")"
	}
	return Row{c.Usage(), what}
}

// Parse splits a typed command into its name and argument. It reports false for
// other text, such as a line that begins with a path: "/etc/hosts is wrong".
func Parse(text string) (name, arg string, ok bool) {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "/")
	if !ok || strings.Contains(text, "\n") {
		return "", "", false
	}
	name, arg, _ = strings.Cut(rest, " ")
	if lower := strings.ToLower(name); strings.HasPrefix(lower, promptPrefix) {
		name = lower // its name at the server may have upper-case letters
	}
	return name, strings.TrimSpace(arg), IsCommandName(name)
}

// IsCommandName reports whether name is a valid name of a command.
func IsCommandName(name string) bool {
	for i, r := range name {
		letter := 'a' <= r && r <= 'z'
		if !letter && (i == 0 || r != '-' && r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return name != ""
}

// Run executes the command called name. If it cannot run, it says why and reports false.
func (s *Session) Run(name, arg string) (cmd tea.Cmd, ok bool) {
	all := s.Commands()
	i := find(all, name)
	switch {
	case i < 0:
		s.Say("Unknown command /" + name + ". " + suggestion(name, all))
	case all[i].idle && s.feed.Running:
		s.Say(interruptFirst)
	case all[i].Screen && s.Front.Screen == nil:
		s.Say("/" + name + " is not available in plain mode.")
	default:
		cmd, err := all[i].Run(s, arg)
		if err == nil {
			return tea.Batch(cmd, s.Palette.recent.Use("/"+all[i].Name)), true
		}
		s.Say(err.Error())
	}
	return nil, false
}

// IsCommand reports whether a text is a slash command of this session.
func (s *Session) IsCommand(text string) bool {
	name, _, ok := Parse(text)
	return ok && s.Has(name)
}

// Has reports whether there is a command called name.
func (s *Session) Has(name string) bool { return find(s.Commands(), name) >= 0 }

// find returns the index of the command called name, -1 if there is none.
func find(all []Command, name string) int {
	return slices.IndexFunc(all, func(c Command) bool { return c.Name == name || c.Also == name })
}

// suggestion tells the user of an unknown command what to type instead.
func suggestion(name string, all []Command) string {
	if hint := commandHint(name); hint != "" {
		return hint
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
		if c.Also != "" {
			names = append(names, c.Also)
		}
	}
	if similar := similarName(name, names); similar != "" {
		return "Did you mean /" + similar + "?"
	}
	return "Type /help for a list of commands."
}

// similarName returns the name that typed most likely stands for, empty if there is
// none: one that is a prefix of typed or the reverse, or else one within an edit
// distance of 2 that is at most a third of its length.
func similarName(typed string, names []string) string {
	const minPrefix, maxDistance = 3, 2
	best, bestDistance := "", maxDistance+1
	for _, n := range names {
		if len(n) >= minPrefix && len(n) > len(best) && strings.HasPrefix(typed, n) {
			best, bestDistance = n, 0
		}
	}
	if len(typed) >= minPrefix && best == "" {
		if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, typed) }); i >= 0 {
			return names[i]
		}
	}
	for _, n := range names {
		if d := phrase.Distance(typed, n); d < bestDistance && 3*d <= len(n) {
			best, bestDistance = n, d
		}
	}
	return best
}

// modeNames returns the completions of /mode.
func modeNames(*Session) []string { return event.ModeNames(event.Modes) }

// modeCommand sets the permission mode. Without a name it shows the current one.
func modeCommand(s *Session, name string) (tea.Cmd, error) {
	if name == "" {
		s.Say("Permission mode: " + ink.SanitizeLine(event.Mode(s.feed.State.Mode).Name()) + ". Change: /mode " + phrase.List(modeNames(nil), "or") + ".")
		return nil, nil
	}
	mode, err := event.ParseMode(name)
	if err != nil {
		return nil, errors.New("unknown permission mode “" + ink.SanitizeLine(name) + "”: use " + phrase.List(modeNames(nil), "or"))
	}
	s.agent.SetMode(mode)
	return nil, nil
}

// viewCommand opens the pager.
func viewCommand(s *Session, _ string) (tea.Cmd, error) {
	s.Front.Screen.View()
	return nil, nil
}

// findCommand searches the transcript.
func findCommand(s *Session, text string) (tea.Cmd, error) {
	return s.Front.Screen.Find(text), nil
}

// editCommand opens the prompt in the user's editor.
func editCommand(s *Session, _ string) (tea.Cmd, error) { return s.Front.Screen.Edit(), nil }
