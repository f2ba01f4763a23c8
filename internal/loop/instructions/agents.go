package instructions

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agent/internal/llm/phrase"
)

const (
	maxAgents    = 100      // in each directory, and in all of them
	maxAgent     = 64 << 10 // bytes
	maxAgentName = 64       // bytes
)

// AgentFile is a file that defines an agent for delegates. All of its text is
// untrusted.
type AgentFile struct {
	Name           string
	Values         map[string]string // the front matter; the items of a list are joined with ", "
	Body           string            // without the front matter
	Source         string            // the file, for display
	FromRepository bool              // from the repository, not from the user
	Text           string            // of the whole file, without hidden characters
}

// Agents reads the files that define agents. Of several with the same name, one of
// the user wins, then the nearest to the working directory.
func (p *Project) Agents() []AgentFile {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []AgentFile
	for _, f := range p.folders("agents", ".agents/agents", ".claude/agents") {
		for _, name := range p.markdown(f, "agents", maxAgents) {
			a, err := p.readAgent(f, name)
			if err != nil {
				p.report(fmt.Sprintf("%s is not used: %v.", a.Source, err))
				continue
			}
			if i := slices.IndexFunc(all, func(o AgentFile) bool { return o.Name == a.Name }); i >= 0 {
				p.report(fmt.Sprintf("%s is not used: %s has the same name.", a.Source, all[i].Source))
				continue
			}
			if len(all) == maxAgents {
				p.report(fmt.Sprintf("Only the first %d agents are used: %s and later ones are not.", maxAgents, a.Source))
				return all
			}
			all = append(all, a)
		}
	}
	return all
}

func (p *Project) readAgent(f folder, name string) (AgentFile, error) {
	path := filepath.Join(f.path, name+".md")
	d, err := f.fixed(path)
	a := ParseAgent(name, d.text)
	a.Source, a.FromRepository = p.Show(path), f.fromRepository
	switch {
	case err != nil:
		return a, err
	case !p.o.IsName(a.Name):
		return a, fmt.Errorf("invalid name %q: use a-z, 0-9, - and _, beginning with a letter", phrase.Clip(a.Name, 40))
	case len(a.Name) > maxAgentName:
		return a, errors.New("its name is longer than 64 characters: shorten it")
	case len(d.text) > maxAgent:
		return a, fmt.Errorf("larger than %s", phrase.Bytes(maxAgent))
	}
	for _, repair := range d.repairs {
		p.report(a.Source + ": " + repair + ".")
	}
	return a, nil
}

// ParseAgent splits the text of a file that defines an agent. The agent is called
// name unless the front matter has a name.
func ParseAgent(name, text string) AgentFile {
	a := AgentFile{Text: text}
	a.Values, a.Body = frontMatter(text)
	a.Name = cmp.Or(a.Values["name"], name)
	return a
}
