package instructions

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
)

const (
	maxCommands = 200      // per directory
	maxCommand  = 64 << 10 // bytes
)

// Command is a prompt with a name. All of its text is untrusted.
type Command struct {
	Name           string
	Args           string // for display; may be empty
	What           string // one line; may be empty
	Source         string // the file, for display
	FromRepository bool   // from the repository, not from the user
	Text           string
}

// Commands reads the custom commands. Of several with the same name, one of the user
// wins, then the nearest to the working directory.
func (p *Project) Commands() []Command {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Command
	for _, f := range p.folders("commands", ".agent/commands", ".claude/commands") {
		for _, c := range p.commandsIn(f) {
			if i := slices.IndexFunc(all, func(o Command) bool { return o.Name == c.Name }); i >= 0 {
				p.report(fmt.Sprintf("%s is not used: %s has the same name.", c.Source, all[i].Source))
				continue
			}
			all = append(all, c)
		}
	}
	return all
}

func (p *Project) commandsIn(f folder) []Command {
	var all []Command
	for _, name := range p.markdown(f, "commands", maxCommands) {
		c, err := p.readCommand(f, name)
		if err != nil {
			p.report(fmt.Sprintf("%s is not used: %v.", c.Source, err))
			continue
		}
		all = append(all, c)
	}
	return all
}

// markdown returns the names of the first limit Markdown files in f, without their
// extension. kind says what the files hold, in the plural.
func (p *Project) markdown(f folder, kind string, limit int) []string {
	var all []string
	for _, e := range p.entries(f) {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		if len(all) == limit {
			p.report(fmt.Sprintf("Only the first %d %s in %s are used.", limit, kind, p.Show(f.path)))
			break
		}
		all = append(all, name)
	}
	return all
}

func (p *Project) readCommand(f folder, name string) (Command, error) {
	path := filepath.Join(f.path, name+".md")
	c := Command{Name: name, Source: p.Show(path), FromRepository: f.fromRepository}
	if !p.o.IsName(name) {
		return c, errors.New("invalid command name: use a-z, 0-9, - and _, beginning with a letter")
	}
	d, err := f.fixed(path)
	if err != nil {
		return c, err
	}
	if len(d.text) > maxCommand {
		return c, fmt.Errorf("larger than %s", phrase.Bytes(maxCommand))
	}
	values, body := frontMatter(d.text)
	c.What, c.Args, c.Text = oneLine(values["description"]), oneLine(cmp.Or(values["arguments"], values["argument-hint"])), body
	return c, nil
}
