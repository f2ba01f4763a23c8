package instructions

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"agent/internal/tools"
)

//go:embed init.md
var initText string

// InitPrompt returns the prompt that asks the model to write AGENTS.md.
func InitPrompt() string { return strings.TrimSpace(initText) }

// Init writes a first AGENTS.md at the root of the repository, by rules, and returns
// the change. It fails if there is an instruction file.
func (p *Project) Init(ctx context.Context) (tools.Change, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range names {
		if path := filepath.Join(p.root, name); exists(path) {
			return tools.Change{}, fmt.Errorf("%s exists already. Edit it with /memory, or connect a model to improve it", p.Show(path))
		}
	}
	text := p.describe()
	return p.write(ctx, filepath.Join(p.root, names[0]), func([]byte) []byte { return []byte(text) })
}

const (
	maxListed = 12 // commands of one build tool, and directories
	maxReadme = 300
)

// describe returns an AGENTS.md from the README, the build files and the directories
// at the root.
func (p *Project) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Working on %s\n\n", oneLine(p.o.Show(filepath.Base(p.root))))
	if about := p.about(); about != "" {
		b.WriteString(about + "\n\n")
	}
	if all := p.commandList(); len(all) > 0 {
		b.WriteString("## Commands\n\n```\n" + strings.Join(all, "\n") + "\n```\n\n")
	}
	if dirs := p.directories(); len(dirs) > 0 {
		b.WriteString("## Layout\n\n")
		for _, d := range dirs {
			fmt.Fprintf(&b, "- `%s/`\n", d)
		}
		b.WriteByte('\n')
	}
	b.WriteString("## Conventions\n\n- Follow the style of the surrounding code.\n- Run the tests before you report that a change is done.\n")
	return b.String()
}

// text returns the content of a file at the root; empty if it cannot be read.
func (p *Project) text(name string) string {
	d, err := p.repository.read(filepath.Join(p.root, name), false)
	if err != nil {
		return ""
	}
	return d.text
}

// about returns the first paragraph of the README.
func (p *Project) about() string {
	for _, paragraph := range prose(p.text("README.md")) {
		paragraph = oneLine(paragraph)
		if paragraph == "" || strings.ContainsAny(paragraph[:1], "#<[!|>=-") {
			continue
		}
		if len(paragraph) > maxReadme {
			return ""
		}
		return paragraph
	}
	return ""
}

var makeTarget = regexp.MustCompile(`(?m)^([A-Za-z0-9][A-Za-z0-9_-]*)[ \t]*:(?:[^=]|$)`)

// commandList returns the commands that the build files define.
func (p *Project) commandList() []string {
	var all []string
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		targets := makeTarget.FindAllStringSubmatch(p.text(name), -1)
		for _, m := range targets[:min(len(targets), maxListed)] {
			all = append(all, "make "+m[1])
		}
		if targets != nil {
			break
		}
	}
	if p.text("go.mod") != "" {
		all = append(all, "go build ./...", "go vet ./...", "go test ./...", "go test ./DIR -run NAME   # a single test")
	}
	all = append(all, p.scripts()...)
	if p.text("Cargo.toml") != "" {
		all = append(all, "cargo build", "cargo test", "cargo test NAME   # a single test")
	}
	if python := p.text("pyproject.toml") + p.text("setup.cfg") + p.text("tox.ini") + p.text("requirements-dev.txt"); strings.Contains(python, "pytest") {
		all = append(all, "python -m pytest", "python -m pytest FILE::NAME   # a single test")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// scripts returns the commands of a package.json.
func (p *Project) scripts() []string {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(p.text("package.json")), &manifest) != nil {
		return nil
	}
	run := "npm run "
	for _, lock := range []struct{ file, run string }{{"pnpm-lock.yaml", "pnpm "}, {"yarn.lock", "yarn "}, {"bun.lock", "bun run "}} {
		if exists(filepath.Join(p.root, lock.file)) {
			run = lock.run
		}
	}
	var all []string
	for name := range manifest.Scripts {
		if scriptName.MatchString(name) {
			all = append(all, run+name)
		}
	}
	slices.Sort(all)
	return all[:min(len(all), maxListed)]
}

var scriptName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:_.-]*$`)

// directories returns the directories at the root that are not hidden.
func (p *Project) directories() []string {
	entries, err := os.ReadDir(p.root)
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && scriptName.MatchString(e.Name()) && !slices.Contains(foreign, e.Name()) && len(all) < maxListed {
			all = append(all, e.Name())
		}
	}
	return all
}
