package slash

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/screen"
)

// Command is a command that one types.
type Command struct {
	Name, Args, What string
	Also             string      // another name of it; may be empty
	key              keys.Action // whose key does the same; may be empty
	idle             bool        // not while a turn runs
	Screen           bool        // not where there are only lines
	// run carries the command out. After an error, which says how the command is
	// used, what was typed stays in the editor.
	Run func(s *Session, arg string) (tea.Cmd, error)
	// complete returns what the argument can be, as far as that is known, the
	// likeliest first. nil where it can be anything, or there is none.
	Complete func(s *screen.Conversation) []string
}

// BuiltIn returns the one table of slash commands.
func BuiltIn() []Command {
	return []Command{
		{Name: "help", What: "keys, commands, and which model answers", key: keys.Help, Run: func(s *Session, _ string) (tea.Cmd, error) {
			s.Front.Help()
			return nil, nil
		}},
		{Name: "keys", Args: "[WORD]", What: "search the keys", Screen: true, Run: keysCommand},
		{Name: "status", What: "how things stand: model, window, mode, session", Run: statusCommand},
		{Name: "model", Args: "[PROVIDER/NAME]", What: "answer with another model from here on", key: keys.Model, Run: modelCommand, Complete: modelNames},
		{Name: "effort", Args: "[LEVEL]", What: "how hard the model thinks: low, medium, high, or default", Run: effortCommand, Complete: oneOf("low", "medium", "high", event.DefaultEffort)},
		{Name: "mode", Args: "[NAME]", What: "what is asked about: ask, edits, plan or all", key: keys.Mode, Run: modeCommand, Complete: modeNames},
		{Name: "edit", What: "write the prompt in your editor, $VISUAL or $EDITOR", key: keys.Edit, Screen: true, Run: editCommand},
		{Name: "jobs", Args: "[stop N]", What: "what runs in the background; stop one of them", Run: jobsCommand},
		{Name: "rename", Args: "TITLE", What: "give the session a title", Run: renameCommand},
		{Name: "compact", What: "cut old content from what the model is told; the session keeps it", Run: compactCommand},
		{Name: "resume", What: "go on with another session", idle: true, Run: resumeCommand},
		{Name: "sessions", What: "the same, each fork below what it is a fork of", idle: true, Run: sessionsCommand},
		{Name: "new", What: "begin a new session", idle: true, Run: newCommand},
		{Name: "clear", What: "the same as /new", idle: true, Run: newCommand},
		{Name: "rewind", Args: "[N]", What: "take a prompt back with all that followed, or the last N of them", key: keys.Rewind, idle: true, Run: rewindCommand},
		{Name: "fork", Args: "[N]", What: "go on in a copy of the session, from before a prompt or the last N", idle: true, Run: forkCommand},
		{Name: "find", Args: "[TEXT]", What: "search in the session", key: keys.Find, Screen: true, Run: findCommand},
		{Name: "view", What: "everything uncut, in all of the window", key: keys.View, Screen: true, Run: viewCommand},
		{Name: "export", Args: "[md|html|json]", What: "write the session to a file", Run: exportCommand, Complete: oneOf("md", "html", "json")},
		{Name: "theme", Args: "[NAME]", What: "colours; without a name, look at them all", Run: themeCommand, Complete: oneOf(ink.ThemeNames()...)},
		{Name: "cost", What: "tokens and money: of this turn, of the session, by model; how full the window is", Run: costCommand},
		{Name: "copy", Args: "[code [N]]", What: "copy the last answer, or the last block of code in it, or the Nth", Run: copyCommand, Complete: copyWords},
		{Name: "quit", Also: "exit", What: "leave", key: keys.Leave, Run: func(s *Session, _ string) (tea.Cmd, error) { return s.Front.Leave(screen.Exit{}), nil }},
	}
}

// Commands are all that can be typed in this progras.
func (s *Session) Commands() []Command { return append(BuiltIn(), s.fromFiles()...) }

// Usage is how a command is typed.
func (s Command) Usage() string { return strings.TrimSpace("/" + s.Name + " " + s.Args) }

// needs reports whether a command means nothing without an argument.
func (s Command) needs() bool { return s.Args != "" && !strings.HasPrefix(s.Args, "[") }

// oneOf is a completion that is always the same.
func oneOf(all ...string) func(*screen.Conversation) []string {
	return func(*screen.Conversation) []string { return all }
}

// Row is one row of the table of typed commands, as it is told to people.
type Row struct{ Usage, What string }

// Table returns the typed commands of every progras.
func Table() []Row {
	var out []Row
	for _, s := range BuiltIn() {
		out = append(out, s.Row())
	}
	return out
}

// Row is the row of a command.
func (s Command) Row() Row {
	what := s.What
	if s.Also != "" {
		what += "; so does /" + s.Also
	}
	return Row{s.Usage(), what}
}

// Parse splits a typed command. A line that begins with a path, as
// "/etc/hosts is wrong" does, is none.
func Parse(text string) (name, arg string, ok bool) {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "/")
	if !ok || strings.Contains(text, "\n") {
		return "", "", false
	}
	name, arg, _ = strings.Cut(rest, " ")
	return name, strings.TrimSpace(arg), IsCommandName(name)
}

// IsCommandName reports whether a typed command can have that name.
func IsCommandName(name string) bool {
	for i, r := range name {
		letter := 'a' <= r && r <= 'z'
		if !letter && (i == 0 || r != '-' && r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return name != ""
}

// slash carries out a typed command. One that cannot be carried out stays in
// the editor.
func (s *Session) Run(name, arg, typed string) tea.Cmd {
	all := s.Commands()
	i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name || c.Also == name })
	switch {
	case i < 0:
		s.Say("there is no command /" + name + meant(name, all))
	case all[i].idle && s.Feed.Running:
		s.Say(stopFirst)
	case all[i].Screen && s.Front.Screen == nil:
		s.Say("/" + name + " needs a screen")
	default:
		cmd, err := all[i].Run(s, arg)
		if err == nil {
			return tea.Batch(cmd, s.recent.Use("/"+all[i].Name))
		}
		s.Say(err.Error())
	}
	if typed != "" {
		s.editor.Set(typed)
	}
	return nil
}

// meant says what somebody who typed an unknown command may have meant.
func meant(name string, all []Command) string {
	if here := commandOfOthers(name); here != "" {
		return ": " + here
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
		if s.Also != "" {
			names = append(names, s.Also)
		}
	}
	if near := begun(name, names); near != "" {
		return ": did you mean /" + near + "?"
	}
	if near := phrase.Nearest(name, names); near != "" {
		return ": did you mean /" + near + "?"
	}
	return ": /help lists them"
}

// begun returns the longest of names with which name begins, or "".
func begun(name string, names []string) (longest string) {
	const least = 3
	for _, n := range names {
		if len(n) >= least && len(n) > len(longest) && strings.HasPrefix(name, n) {
			longest = n
		}
	}
	return longest
}

// modeNames completes /mode.
func modeNames(*screen.Conversation) []string {
	var names []string
	for _, mode := range event.Modes {
		names = append(names, string(mode))
	}
	return names
}

// modeCommand sets the permission mode. Without a name it shows the current one.
func modeCommand(s *Session, name string) (tea.Cmd, error) {
	if name == "" {
		names := modeNames(nil)
		last := len(names) - 1
		s.Say("Permission mode: " + ink.SanitizeLine(s.Feed.Mode) + ". Change it with /mode " + strings.Join(names[:last], ", ") + " or " + names[last] + ".")
		return nil, nil
	}
	mode, err := event.ParseMode(name)
	if err != nil {
		return nil, err
	}
	s.SetMode(mode)
	return nil, nil
}

func viewCommand(s *Session, _ string) (tea.Cmd, error) {
	s.Front.Screen.View()
	return nil, nil
}

func findCommand(s *Session, text string) (tea.Cmd, error) {
	return s.Front.Screen.Find(text), nil
}

// editCommand opens the draft in the editor that the user has set.
func editCommand(s *Session, _ string) (tea.Cmd, error) { return s.Front.Screen.Edit(), nil }
