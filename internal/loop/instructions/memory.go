package instructions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/tools"
	"agent/internal/tools/advice"
	"agent/internal/tools/workspace"
)

// Memory returns the absolute paths of the files that the user may want to edit: the
// instruction files in use, the project's, which may not exist, and the user's own.
func (p *Project) Memory() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.load()
	all := []string{p.projectFile()}
	for _, l := range slices.Backward(p.base) {
		for _, f := range l.files {
			if !slices.Contains(all, f.real) {
				all = append(all, f.real)
			}
		}
	}
	if own := filepath.Join(p.o.Config, names[0]); p.o.Config != "" && !slices.Contains(all, own) {
		all = append(all, own)
	}
	return all
}

// projectFile returns the nearest instruction file of the repository that can be
// used, else the path of a new one at its root.
func (p *Project) projectFile() string {
	for _, dir := range slices.Backward(p.levels()) {
		for _, name := range names {
			path := filepath.Join(dir, name)
			if _, err := p.repository.fixed(path); err == nil {
				return path
			}
		}
	}
	return filepath.Join(p.root, names[0])
}

// Remember appends text as a line to the project's instruction file, and returns the
// change. The model gets the line with the next step.
func (p *Project) Remember(ctx context.Context, text string) (tools.Change, error) {
	text, _ = clean([]byte(text))
	if text = oneLine(text); text == "" {
		return tools.Change{}, errors.New("there is nothing to add")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	path := p.projectFile()
	if _, err := p.repository.fixed(path); err != nil && exists(path) { // such as a link to a file that tools protect
		return tools.Change{}, fmt.Errorf("%s is not changed: %w", p.Show(path), err)
	}
	c, err := p.write(ctx, path, func(before []byte) []byte {
		return appendLine(before, "- "+text)
	})
	if err != nil {
		return c, err
	}
	p.load()
	for _, l := range p.base {
		for _, f := range l.files {
			if p.sent != nil && f.Path == p.Show(path) {
				p.sent[f.real] = f.Sum
				p.memory = append(p.memory, fmt.Sprintf("[The user added to %s: %s]", f.Path, text))
			}
		}
	}
	return c, nil
}

// Reload reads the instruction files after the user has edited one. It returns the
// changed ones, whose text the model gets with the next step; none before the first
// request, which holds them.
func (p *Project) Reload() (changed []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.load()
	if p.sent == nil {
		return nil
	}
	for _, l := range p.base {
		for _, f := range l.files {
			if p.sent[f.real] == f.Sum {
				continue
			}
			p.sent[f.real] = f.Sum
			changed = append(changed, f.Path)
			text := fmt.Sprintf("[The user changed %s.", f.Path)
			if whole := element(f.Path, f.Text); p.used+tokens(whole) <= p.window/share {
				text += " It now says:]\n\n" + whole
			} else {
				text += " Read it again.]"
			}
			p.used += tokens(text)
			p.memory = append(p.memory, text)
		}
	}
	return changed
}

// appendLine appends a line to the content of a file, in its style of line ends.
func appendLine(before []byte, line string) []byte {
	if len(bytes.TrimSpace(before)) == 0 {
		return []byte("# Instructions\n\n" + line + "\n")
	}
	end := "\n"
	if bytes.Contains(before, []byte("\r\n")) {
		end = "\r\n"
	}
	after := strings.TrimRight(string(before), "\r\n") + end
	last := after[strings.LastIndex(strings.TrimRight(after, "\r\n"), "\n")+1:]
	if !strings.HasPrefix(last, "- ") && !strings.HasPrefix(last, "* ") { // begin a list
		after += end
	}
	return []byte(after + line + end)
}

// write changes a file in the repository. Its content is nil if there is none yet.
func (p *Project) write(ctx context.Context, path string, change func(before []byte) []byte) (tools.Change, error) {
	w, err := workspace.Open(p.root)
	if err != nil {
		return tools.Change{}, workspace.Cause(err)
	}
	defer w.Close()
	t := w.Begin(nil)
	d, err := t.Open(path)
	if err == nil {
		err = t.Overwrite(d, change(d.Before))
	}
	if err == nil {
		_, err = t.Commit(ctx, map[string][]byte{d.Path: d.After})
	}
	if err != nil {
		return tools.Change{}, fmt.Errorf("write %s: %s", p.Show(path), advice.Cause(err))
	}
	return tools.Change{Path: p.Show(path), Before: d.Before, After: d.After}, nil
}
