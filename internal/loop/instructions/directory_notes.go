package instructions

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/tools"
)

// note tells the model the instructions of a directory.
type note struct {
	hashes string // of the files
	text   string
}

// foreign are directories with third-party code, whose instructions are not for this
// project.
var foreign = []string{".git", "node_modules", "vendor", ".venv"}

// Run notes which directories a call touches. It implements tools.RunInterceptor.
func (p *Project) Run(ctx context.Context, _ tools.Info, c tools.Call, ok tools.Approved, next tools.Runner) (tools.Result, error) {
	r, err := next(ctx, c, ok)
	p.recordDirs(c.Targets)
	return r, err
}

// recordDirs records the directories of targets and those above them, down from the
// working directory, that have an instruction file.
func (p *Project) recordDirs(targets []tools.Target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range targets {
		rel := filepath.FromSlash(t.Value)
		if t.Kind == tools.Command {
			var err error
			if rel, err = filepath.Rel(p.o.Dir, t.Dir); err != nil {
				continue
			}
		} else if t.Kind != tools.Path {
			continue
		}
		if !filepath.IsLocal(rel) {
			continue
		}
		dir := ""
		for _, name := range strings.Split(filepath.ToSlash(filepath.Clean(rel)), "/") {
			if slices.Contains(foreign, name) {
				break
			}
			if dir = path.Join(dir, name); dir == "." || slices.Contains(p.touched, dir) {
				continue
			}
			at := filepath.Join(p.o.Dir, filepath.FromSlash(dir))
			if slices.ContainsFunc(names, func(name string) bool { return exists(filepath.Join(at, name)) }) {
				p.touched = append(p.touched, dir)
			}
		}
	}
}

// PendingNotes returns the notes for the model about the directories that tools have
// touched since the previous PendingNotes, and notices for the user. It can return a
// note that the conversation already has.
func (p *Project) PendingNotes() (notes, notices []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, dir := range p.touched {
		if text := p.noteOf(dir); text != "" {
			notes = append(notes, text)
		}
	}
	notes = append(notes, p.memory...)
	notices = p.notices
	p.touched, p.memory, p.notices = nil, nil, nil
	return notes, notices
}

// noteOf returns the note about the instructions of a subdirectory. It is empty if
// there are none, or if the model has them already.
func (p *Project) noteOf(dir string) string {
	c := &collector{show: p.Show, home: p.o.Home, seen: maps.Clone(p.seen)}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	files := c.directory(p.repository, filepath.Join(p.o.Dir, filepath.FromSlash(dir)))
	p.report(c.notices...)
	if len(files) == 0 {
		return ""
	}
	hashes := ""
	for _, f := range files {
		hashes += f.Sum
	}
	if old, ok := p.known[dir]; ok && old.hashes == hashes {
		return old.text
	}
	head := fmt.Sprintf("[%s: instructions for files in %s. They add to those in the system prompt and take precedence over them.]\n", files[0].Path, dir)
	window := p.window
	if window == 0 {
		window = unknownWindow
	}
	parts, rest := fit(files, window/share-p.used-tokens(head))
	text := head
	for _, f := range files {
		if part, ok := parts[f.real]; ok {
			text += "\n" + part
		}
	}
	if text += rest; text == head {
		text = fmt.Sprintf("[%s has instructions for files in %s. Read it before you work on them.]", files[0].Path, dir)
	}
	p.used += tokens(text)
	p.known[dir] = note{hashes, text}
	return text
}
