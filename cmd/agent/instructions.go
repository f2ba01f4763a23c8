package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/cmd/agent/access"
	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/phrase"
	"agent/internal/loop/delegate"
	"agent/internal/loop/event"
	"agent/internal/loop/instructions"
	"agent/internal/loop/turn"
	"agent/internal/tools"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
)

// openInstructions returns the instructions, skills and custom commands for a
// directory.
func openInstructions(dir string, getenv func(string) string) *instructions.Project {
	o := instructions.Options{Dir: dir, IsName: slash.IsCommandName}
	o.Show = func(path string) string { return ink.SanitizeLine(command.Short(path)) }
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		o.Home = home
	}
	own := access.ProtectedPaths("", getenv)
	if file, err := settings.Path(getenv); err == nil {
		o.Config = filepath.Dir(file)
		// The user's instructions are in this directory, next to the settings.
		own.Own = append(slices.DeleteFunc(own.Own, func(path string) bool { return path == o.Config }), file)
	}
	theirs := access.ProtectedPaths(instructions.Root(dir), getenv)
	withheld := map[bool]func(string) string{true: theirs.WithheldFromPrompts(), false: own.WithheldFromPrompts()}
	o.Withheld = func(root, path string) string { return withheld[root != ""](path) }
	return instructions.Open(o)
}

// addInstructions adds the instruction files and the skills to the session. The
// user gets a notice if they differ from those of the last session in the directory,
// and notices about files that cannot be used, also those of agents, which a.trust has
// read.
func (a *app) addInstructions() {
	p := a.project
	a.options.Instructions, a.options.InstructionNotes = p.Text, p.PendingNotes
	files := p.Files()
	if len(p.Skills()) > 0 {
		a.options.Tools = append(a.options.Tools, p.SkillTool())
	}
	sums := map[string]string{}
	for _, f := range files {
		sums[f.Path] = f.Sum
	}
	state := screenStateFile(os.Getenv)
	before, known := state.read().Instructions[a.dir]
	if known {
		if notice := instructions.Changed(files, before); notice != "" {
			a.notices = append(a.notices, notice)
		}
	}
	if (known || len(sums) > 0) && !maps.Equal(before, sums) {
		state.update(func(s *screenState) { s.rememberInstructions(a.dir, sums) })
	}
	a.notices = append(a.notices, p.Notices()...)
}

// agents returns the agents that delegates of the session can have, with notices about
// values in their files that cannot be used. It reads the files again; the project
// collects the notices about those that are not used at all.
func (a *app) agents() ([]delegate.Agent, []string) { return collectAgents(a.project) }

// collectAgents returns the built-in agents and those of p, which may be nil.
func collectAgents(p *instructions.Project) ([]delegate.Agent, []string) {
	known := everyTool()
	if p == nil {
		return delegate.Collect(nil, tools.Accepted(known))
	}
	return delegate.Collect(p.Agents(), tools.Accepted(append(known, p.SkillTool())))
}

// agentsIn returns the agents of a directory, with notices about files and values that
// cannot be used.
func agentsIn(dir string) ([]delegate.Agent, []string) {
	p := openInstructions(dir, os.Getenv)
	all, notices := collectAgents(p)
	return all, append(p.Notices(), notices...)
}

// maxInstructed is the number of directories whose instruction files are remembered.
const maxInstructed = 200

// rememberInstructions stores the hashes of the instruction files of a directory.
func (s *screenState) rememberInstructions(dir string, sums map[string]string) {
	if s.Instructions == nil {
		s.Instructions = map[string]map[string]string{}
	}
	for other := range s.Instructions {
		if len(s.Instructions) >= maxInstructed && other != dir {
			delete(s.Instructions, other)
		}
	}
	s.Instructions[dir] = sums
}

// customCommands returns the custom commands and the skills for the screen, with
// notices about those that cannot be used.
func customCommands(p *instructions.Project) (all []screen.CustomCommand, notices []string) {
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

// screenInstructions returns what the screen needs for /init and /memory.
func (a *app) screenInstructions() screen.Instructions {
	p := a.project
	if p == nil {
		return screen.Instructions{}
	}
	return screen.Instructions{
		Summary: instructions.Summary(p.Files(), len(p.Skills())), InitPrompt: instructions.InitPrompt(),
		Init:  func() (event.Diff, error) { return a.written(p.Init(context.Background())) },
		Add:   func(text string) (event.Diff, error) { return a.written(p.Remember(context.Background(), text)) },
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

// written returns the diff of the written instruction file.
func (a *app) written(c tools.Change, err error) (event.Diff, error) {
	if err != nil {
		return event.Diff{}, err
	}
	a.index.Changed()
	return turn.Diffs([]tools.Change{c})[0], nil
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
