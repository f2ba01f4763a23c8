package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop"
	"agent/internal/loop/policy"
)

// slash is a command that one types.
type slash struct {
	name, args, what string
	run              func(m *model, arg string) tea.Cmd
}

// slashes is the one table of typed commands.
func slashes() []slash {
	return []slash{
		{"help", "", "keys, commands, and which model answers", func(m *model, _ string) tea.Cmd {
			m.help.show()
			return nil
		}},
		{"model", "PROVIDER/NAME", "answer with another model from here on", (*model).slashModel},
		{"mode", "ask|edits|all", "what is asked about", (*model).slashMode},
		{"jobs", "[stop N]", "what runs in the background; stop one of them", (*model).slashJobs},
		{"rename", "TITLE", "give the session a title", (*model).slashRename},
		{"compact", "", "cut old content from what the model is told; the session keeps it", (*model).slashCompact},
		{"resume", "", "go on with another session", (*model).slashResume},
		{"sessions", "", "the same, each fork below what it is a fork of", (*model).slashSessions},
		{"new", "", "begin a new session", (*model).slashNew},
		{"clear", "", "the same as /new", (*model).slashNew},
		{"rewind", "[N]", "take a prompt back with all that followed, or the last N of them", (*model).slashRewind},
		{"fork", "[N]", "go on in a copy of the session, from before a prompt or the last N", (*model).slashFork},
		{"export", "[md|html|json]", "write the session to a file", (*model).slashExport},
		{"quit", "", "leave", func(m *model, _ string) tea.Cmd { return m.leave() }},
	}
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
	for _, r := range name {
		if (r < 'a' || r > 'z') && r != '-' {
			return "", "", false
		}
	}
	return name, strings.TrimSpace(arg), name != ""
}

// slash carries out a typed command. An unknown one is answered with those that
// there are, and stays in the editor.
func (m *model) slash(name, arg, typed string) tea.Cmd {
	for _, s := range slashes() {
		if s.name == name {
			return s.run(m, arg)
		}
	}
	var names []string
	for _, s := range slashes() {
		names = append(names, strings.TrimSpace("/"+s.name+" "+s.args))
	}
	m.say("there is no command /" + name + ": use " + strings.Join(names, ", "))
	m.editor.set(typed)
	return nil
}

func (m *model) slashModel(name string) tea.Cmd {
	if name == "" {
		m.say(m.answering() + " /model PROVIDER/NAME changes it.")
		return nil
	}
	m.send(loop.SetModel{Model: name})
	return nil
}

func (m *model) slashMode(name string) tea.Cmd {
	mode, err := policy.ParseMode(name)
	if err != nil {
		m.say(err.Error())
		return nil
	}
	m.setMode(mode)
	return nil
}
