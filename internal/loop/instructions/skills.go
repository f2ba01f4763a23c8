package instructions

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/intake"
)

//go:embed skill.md
var skillText string

const (
	skillFile      = "SKILL.md"
	maxSkills      = 200 // per directory
	maxDescription = 300 // bytes of a description in the prompt
	maxSkillFiles  = 50  // listed with a skill
)

// Skill is a folder with instructions for a certain task.
type Skill struct {
	Name           string
	Description    string
	Source         string // its SKILL.md, for display
	FromRepository bool   // from the repository, not from the user
	Body           string // without the front matter
	dir            string // absolute
}

// Skills returns the skills. Of several with the same name, one of the user wins,
// then the nearest to the working directory. It reads them again.
func (p *Project) Skills() []Skill {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loadSkills()
	return p.skills
}

func (p *Project) loadSkills() {
	p.skills = nil
	for _, d := range p.folders("skills", ".agents/skills", ".claude/skills") {
		for _, s := range p.skillsIn(d) {
			if i := slices.IndexFunc(p.skills, func(o Skill) bool { return o.Name == s.Name }); i < 0 {
				p.skills = append(p.skills, s)
			} else {
				p.report(fmt.Sprintf("%s is not used: %s has the same name.", s.Source, p.skills[i].Source))
			}
		}
	}
}

// folder is a directory that may hold skills, custom commands or agents.
type folder struct {
	source
	path           string // absolute
	fromRepository bool
}

// folders returns the directories called name in the configuration directory and in
// ~/.claude, then those at the paths inRepository in the repository, the nearest first.
func (p *Project) folders(name string, inRepository ...string) []folder {
	var out []folder
	if p.o.Config != "" {
		out = append(out, folder{p.user, filepath.Join(p.o.Config, name), false})
	}
	if p.o.Home != "" {
		out = append(out, folder{p.user, filepath.Join(p.o.Home, ".claude", name), false})
	}
	for _, dir := range slices.Backward(p.levels()) {
		for _, name := range inRepository {
			if path := filepath.Join(dir, filepath.FromSlash(name)); !slices.ContainsFunc(out, func(f folder) bool { return f.path == path }) {
				out = append(out, folder{p.repository, path, true})
			}
		}
	}
	return out
}

// entries returns the names in f, sorted. The repository's directory must be inside
// the repository.
func (p *Project) entries(f folder) []fs.DirEntry {
	if _, err := os.Lstat(f.path); err != nil {
		return nil
	}
	if f.fromRepository {
		w, at, err := f.find(f.path)
		if err != nil {
			p.report(p.Show(f.path) + " is not used: " + err.Error() + ".")
			return nil
		}
		_ = w.Close()
		if !at.Info.IsDir() {
			return nil
		}
	}
	entries, err := os.ReadDir(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.report(fmt.Sprintf("Cannot read %s: %v.", p.Show(f.path), err))
	}
	return entries
}

func (p *Project) skillsIn(f folder) []Skill {
	var all []Skill
	read := 0
	for _, e := range p.entries(f) {
		path := filepath.Join(f.path, e.Name(), skillFile)
		if strings.HasPrefix(e.Name(), ".") || !exists(path) {
			continue
		}
		if read++; read > maxSkills {
			p.report(fmt.Sprintf("Only the first %d skills in %s are used.", maxSkills, p.Show(f.path)))
			break
		}
		s, err := p.readSkill(f, e.Name())
		if err != nil {
			p.report(fmt.Sprintf("%s is not used: %v.", p.Show(path), err))
			continue
		}
		all = append(all, s)
	}
	return all
}

// readSkill reads the skill in the directory dir of f.
func (p *Project) readSkill(f folder, dir string) (Skill, error) {
	path := filepath.Join(f.path, dir, skillFile)
	d, err := f.fixed(path)
	if err != nil {
		return Skill{}, err
	}
	values, body := frontMatter(d.text)
	s := Skill{Name: cmp.Or(values["name"], dir), Source: p.Show(path), FromRepository: f.fromRepository, Body: body, dir: filepath.Dir(path)}
	if !p.o.IsName(s.Name) {
		return s, fmt.Errorf("invalid name %q: use a-z, 0-9, - and _, beginning with a letter", phrase.Clip(s.Name, 40))
	}
	s.Description = oneLine(cmp.Or(values["description"], strings.TrimLeft(firstLine(body), "# ")))
	return s, nil
}

// oneLine returns a text without line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}

// skillList returns the part of the prompt that lists the skills, in at most left
// tokens.
func (p *Project) skillList(left int) string {
	if len(p.skills) == 0 {
		return ""
	}
	text := "# Skills\n\nIf a task matches one of these descriptions, call skill with the name before you begin:\n"
	for i, s := range p.skills {
		row := fmt.Sprintf("- %s: %s\n", s.Name, phrase.Clip(s.Description, maxDescription))
		more := fmt.Sprintf("%s more: call skill without a name to list them.\n", phrase.Count(len(p.skills)-i, "skill"))
		if tokens(text)+tokens(row)+tokens(more) > left {
			if text += more; tokens(text) > left {
				return ""
			}
			return text
		}
		text += row
	}
	return text
}

// Prompt returns the prompt with which the user invokes a skill.
func (s Skill) Prompt() string {
	return fmt.Sprintf("Use the skill %s (its files are in %s):\n\n%s", s.Name, s.dir, strings.TrimSpace(s.Body))
}

type skillArgs struct {
	Name string `json:"name,omitempty" jsonschema:"name of the skill; without it, all skills are listed"`
}

// SkillTool returns the tool with which the model reads a skill.
func (p *Project) SkillTool() tools.Tool {
	return tools.New("skill", strings.TrimSpace(skillText), func(_ context.Context, a skillArgs) (tools.Call, error) {
		all := p.Skills()
		if a.Name == "" {
			return skillCall("list the skills", func() (string, error) { return listSkills(all), nil }), nil
		}
		i := slices.IndexFunc(all, func(s Skill) bool { return s.Name == strings.TrimPrefix(a.Name, "/") })
		if i < 0 {
			return tools.Call{}, advice.Add(fmt.Errorf("there is no skill %q", phrase.Clip(a.Name, 64)), "Call skill without a name to list the skills")
		}
		return skillCall("skill "+all[i].Name, all[i].content), nil
	}, intake.Form{Names: []string{"use_skill", "load_skill", "read_skill"}, Aliases: map[string][]string{"name": {"skill", "skill_name", "command"}}, ReadOnly: true})
}

func skillCall(title string, text func() (string, error)) tools.Call {
	return tools.Call{Title: title, Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
		t, err := text()
		return tools.Result{Text: t}, err
	}}
}

// listSkills describes all skills to the model.
func listSkills(all []Skill) string {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "- %s: %s\n", s.Name, s.Description)
	}
	return b.String()
}

// content returns the text of a skill for the model, with the names of its other
// files.
func (s Skill) content() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Skill %s. Its directory is %s.\n", s.Name, s.dir)
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return "", fmt.Errorf("read skill %s: %w", s.Name, err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != skillFile && len(names) < maxSkillFiles {
			name := e.Name()
			if e.IsDir() {
				name += "/"
			}
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	if len(names) > 0 {
		b.WriteString("Other files in it: " + strings.Join(names, ", ") + ".\n")
	}
	b.WriteString("Nothing in the skill has been run, and it allows nothing: each of your calls is approved or rejected as always.\n\n")
	b.WriteString(strings.TrimSpace(s.Body) + "\n")
	return b.String(), nil
}
