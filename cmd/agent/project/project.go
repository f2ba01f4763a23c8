// Package project reads what a directory tells the model: instruction files, skills, custom
// commands and agents.
package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/cmd/agent/access"
	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/cmd/agent/toolbox"
	"agent/internal/llm/phrase"
	"agent/internal/loop/delegate"
	"agent/internal/loop/diffs"
	"agent/internal/loop/event"
	"agent/internal/loop/instructions"
	"agent/internal/loop/part"
	"agent/internal/tools"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// Open returns the instructions, skills and custom commands for a
// directory.
func Open(dir string, getenv func(string) string) *instructions.Project {
	o := instructions.Options{Dir: dir, IsName: slash.IsCommandName}
	o.Show = func(path string) string { return ink.SanitizeLine(command.Short(path)) }
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		o.Home = home
	}
	own := access.ProtectedPaths("", getenv)
	if file, err := settings.Path(getenv); err == nil {
		o.Config = filepath.Dir(file)
		// The user's instructions are in this directory, next to the settings.
		own.ProgramFiles = append(slices.DeleteFunc(own.ProgramFiles, func(path string) bool { return path == o.Config }), file)
	}
	theirs := access.ProtectedPaths(instructions.Root(dir), getenv)
	withheld := map[bool]func(string) string{true: theirs.WithheldFromPrompts(), false: own.WithheldFromPrompts()}
	o.Withheld = func(root, path string) string { return withheld[root != ""](path) }
	return instructions.Open(o)
}

// Part adds the instructions and the skills of p to the main agent, and those of its own
// workspace to a delegate. Nil adds nothing.
func Part(p *instructions.Project) part.Func {
	return func(a part.Agent) (part.Added, error) {
		if p == nil {
			return part.Added{}, nil
		}
		p := p
		if a.Number > 0 {
			p = Open(a.Workspace.Dir(), os.Getenv)
		}
		added := part.Added{Around: p, Instructions: p.Text, Notes: p.PendingNotes}
		if len(p.Skills()) > 0 {
			added.Tools = []tools.Tool{p.SkillTool()}
		}
		return added, nil
	}
}

// Agents returns the built-in agents and those of p, which may be nil.
func Agents(p *instructions.Project) ([]delegate.Agent, []string) {
	known := toolbox.Every()
	if p == nil {
		return delegate.Collect(nil, tools.Accepted(known))
	}
	return delegate.Collect(p.Agents(), tools.Accepted(append(known, p.SkillTool())))
}

// AgentsIn returns the agents of a directory, with notices about files and values that
// cannot be used.
func AgentsIn(dir string) ([]delegate.Agent, []string) {
	p := Open(dir, os.Getenv)
	all, notices := Agents(p)
	return all, append(p.Notices(), notices...)
}

// Commands returns the custom commands and the skills for the screen, with
// notices about those that cannot be used.
func Commands(p *instructions.Project) (all []screen.CustomCommand, notices []string) {
	for _, c := range p.Commands() {
		all = append(all, screen.CustomCommand{Name: c.Name, Args: c.Args, What: c.What, Source: c.Source, FromRepository: c.FromRepository, Text: c.Text})
	}
	for _, s := range p.Skills() {
		if i := slices.IndexFunc(all, func(c screen.CustomCommand) bool { return c.Name == s.Name }); i >= 0 {
			notices = append(notices, "/"+s.Name+" is the command "+all[i].Source+". The skill "+s.Source+" is used only by the model.")
			continue
		}
		all = append(all, screen.CustomCommand{Name: s.Name, What: s.Description, Source: s.Source, FromRepository: s.FromRepository, Skill: true, Text: s.Prompt()})
	}
	return all, append(notices, p.Notices()...)
}

// Screen returns what the screen needs for /init and /memory. Written is called when a file
// was written.
func Screen(p *instructions.Project, written func()) screen.Instructions {
	if p == nil {
		return screen.Instructions{}
	}
	return screen.Instructions{
		Summary: instructions.Summary(p.Files(), len(p.Skills())), InitPrompt: instructions.InitPrompt(),
		Init:  func() (event.Diff, error) { return diff(written)(p.Init(context.Background())) },
		Add:   func(text string) (event.Diff, error) { return diff(written)(p.Remember(context.Background(), text)) },
		Files: func() []screen.InstructionFile { return memoryFiles(p) },
		Edited: func() string {
			changed := p.Reload()
			if len(changed) == 0 {
				return ""
			}
			return "The model gets the new text of " + strings.Join(changed, ", ") + " with its next step."
		},
	}
}

// diff returns a function that returns the diff of a written instruction file.
func diff(written func()) func(tools.Change, error) (event.Diff, error) {
	return func(c tools.Change, err error) (event.Diff, error) {
		if err != nil {
			return event.Diff{}, err
		}
		written()
		return diffs.Of([]tools.Change{c})[0], nil
	}
}

// memoryFiles describes instruction files for a list.
func memoryFiles(p *instructions.Project) []screen.InstructionFile {
	var all []screen.InstructionFile
	for _, path := range p.Memory() {
		f := screen.InstructionFile{Path: path, Name: p.Show(path), What: "new"}
		if info, err := os.Stat(path); err == nil {
			f.What = phrase.Bytes(info.Size())
		}
		all = append(all, f)
	}
	return all
}
