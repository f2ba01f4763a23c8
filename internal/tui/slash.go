package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/keys"
	"agent/internal/tui/list"
	"agent/internal/tui/screen"
)

// session is what the slash commands act on: the conversation, and the front end
// that shows it.
type session struct {
	*screen.Conversation
	editor   *editor.Editor
	lists    lists
	models   *modelPicker
	rewinder *rewinder
	front    front
	custom   custom
	recent   *list.Recent
}

// front is what a front end does for the commands.
type front struct {
	leave   func(screen.Exit) tea.Cmd // ends it
	help    func()
	copy    func(text, what string) tea.Cmd
	restyle func(ink.Look)
	screen  *screenFront // nil where there are only lines
}

// screenFront is what only a screen can do.
type screenFront struct {
	view  func() // shows the pager
	find  func(text string) tea.Cmd
	edit  func() tea.Cmd // opens the user's editor
	press func(tea.KeyPressMsg) tea.Cmd
}

// lists shows one list at a time.
type lists interface {
	show(list.Overlay) tea.Cmd
	close()
}

// slash is a command that one types.
type slash struct {
	name, args, what string
	also             string      // another name of it; may be empty
	key              keys.Action // whose key does the same; may be empty
	idle             bool        // not while a turn runs
	screen           bool        // not where there are only lines
	// run carries the command out. After an error, which says how the command is
	// used, what was typed stays in the editor.
	run func(s *session, arg string) (tea.Cmd, error)
	// complete returns what the argument can be, as far as that is known, the
	// likeliest first. nil where it can be anything, or there is none.
	complete func(s *screen.Conversation) []string
}

// slashes is the one table of typed commands.
func slashes() []slash {
	return []slash{
		{name: "help", what: "keys, commands, and which model answers", key: keys.Help, run: func(s *session, _ string) (tea.Cmd, error) {
			s.front.help()
			return nil, nil
		}},
		{name: "keys", args: "[WORD]", what: "search the keys", screen: true, run: keysCommand},
		{name: "status", what: "how things stand: model, window, mode, session", run: statusCommand},
		{name: "model", args: "[PROVIDER/NAME]", what: "answer with another model from here on", key: keys.Model, run: modelCommand, complete: modelNames},
		{name: "effort", args: "[LEVEL]", what: "how hard the model thinks: low, medium, high, or default", run: effortCommand, complete: oneOf("low", "medium", "high", event.DefaultEffort)},
		{name: "mode", args: "[NAME]", what: "what is asked about: ask, edits, plan or all", key: keys.Mode, run: modeCommand, complete: modeNames},
		{name: "edit", what: "write the prompt in your editor, $VISUAL or $EDITOR", key: keys.Edit, screen: true, run: editCommand},
		{name: "jobs", args: "[stop N]", what: "what runs in the background; stop one of them", run: jobsCommand},
		{name: "rename", args: "TITLE", what: "give the session a title", run: renameCommand},
		{name: "compact", what: "cut old content from what the model is told; the session keeps it", run: compactCommand},
		{name: "resume", what: "go on with another session", idle: true, run: resumeCommand},
		{name: "sessions", what: "the same, each fork below what it is a fork of", idle: true, run: sessionsCommand},
		{name: "new", what: "begin a new session", idle: true, run: newCommand},
		{name: "clear", what: "the same as /new", idle: true, run: newCommand},
		{name: "rewind", args: "[N]", what: "take a prompt back with all that followed, or the last N of them", key: keys.Rewind, idle: true, run: rewindCommand},
		{name: "fork", args: "[N]", what: "go on in a copy of the session, from before a prompt or the last N", idle: true, run: forkCommand},
		{name: "find", args: "[TEXT]", what: "search in the session", key: keys.Find, screen: true, run: findCommand},
		{name: "view", what: "everything uncut, in all of the window", key: keys.View, screen: true, run: viewCommand},
		{name: "export", args: "[md|html|json]", what: "write the session to a file", run: exportCommand, complete: oneOf("md", "html", "json")},
		{name: "theme", args: "[NAME]", what: "colours; without a name, look at them all", run: themeCommand, complete: oneOf(ink.ThemeNames()...)},
		{name: "cost", what: "tokens and money: of this turn, of the session, by model; how full the window is", run: costCommand},
		{name: "copy", args: "[code [N]]", what: "copy the last answer, or the last block of code in it, or the Nth", run: copyCommand, complete: copyWords},
		{name: "quit", also: "exit", what: "leave", key: keys.Leave, run: func(s *session, _ string) (tea.Cmd, error) { return s.front.leave(screen.Exit{}), nil }},
	}
}

// commands are all that can be typed in this progras.
func (s *session) commands() []slash { return append(slashes(), s.fromFiles()...) }

// usage is how a command is typed.
func (s slash) usage() string { return strings.TrimSpace("/" + s.name + " " + s.args) }

// needs reports whether a command means nothing without an argument.
func (s slash) needs() bool { return s.args != "" && !strings.HasPrefix(s.args, "[") }

// oneOf is a completion that is always the same.
func oneOf(all ...string) func(*screen.Conversation) []string {
	return func(*screen.Conversation) []string { return all }
}

// Typed is one row of the table of typed commands, as it is told to people.
type Typed struct{ Usage, What string }

// CommandTable returns the typed commands of every progras.
func CommandTable() []Typed {
	var out []Typed
	for _, s := range slashes() {
		out = append(out, s.told())
	}
	return out
}

// told is the row of a command.
func (s slash) told() Typed {
	what := s.what
	if s.also != "" {
		what += "; so does /" + s.also
	}
	return Typed{s.usage(), what}
}

// parseSlash splits a typed command. A line that begins with a path, as
// "/etc/hosts is wrong" does, is none.
func parseSlash(text string) (name, arg string, ok bool) {
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
func (s *session) run(name, arg, typed string) tea.Cmd {
	all := s.commands()
	i := slices.IndexFunc(all, func(c slash) bool { return c.name == name || c.also == name })
	switch {
	case i < 0:
		s.Say("there is no command /" + name + meant(name, all))
	case all[i].idle && s.Feed.Running:
		s.Say(stopFirst)
	case all[i].screen && s.front.screen == nil:
		s.Say("/" + name + " needs a screen")
	default:
		cmd, err := all[i].run(s, arg)
		if err == nil {
			return tea.Batch(cmd, s.recent.Use("/"+all[i].name))
		}
		s.Say(err.Error())
	}
	if typed != "" {
		s.editor.Set(typed)
	}
	return nil
}

// meant says what somebody who typed an unknown command may have meant.
func meant(name string, all []slash) string {
	if here := inOthers(name); here != "" {
		return ": " + here
	}
	var names []string
	for _, s := range all {
		names = append(names, s.name)
		if s.also != "" {
			names = append(names, s.also)
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
func modeCommand(s *session, name string) (tea.Cmd, error) {
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

func viewCommand(s *session, _ string) (tea.Cmd, error) {
	s.front.screen.view()
	return nil, nil
}

func findCommand(s *session, text string) (tea.Cmd, error) {
	return s.front.screen.find(text), nil
}
