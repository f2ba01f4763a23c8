package settings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/history"
	"agent/internal/loop/policy/rule"
	"agent/internal/loop/policy/standing"
)

// ProjectFile is the file with the permissions of one workspace, in the user's state
// directory. The workspace is known by its path without symbolic links, so that a copy,
// a moved workspace or a git worktree has permissions of its own.
type ProjectFile struct {
	Path      string
	workspace string
}

// Project is the content of a ProjectFile.
type Project struct {
	Workspace   string           `json:"path" what:"the workspace"` // without symbolic links
	Permissions Permissions      `json:"permissions,omitempty"`
	Grants      []standing.Grant `json:"grants,omitempty"` // standing permissions from the dialog
	Confirmed   []Confirmed      `json:"confirmed,omitempty"`
	Rules       []rule.Rule      `json:"-"` // those of Permissions
}

// Confirmed is something that the repository configures and that the user has confirmed
// for this workspace, with exactly this content.
type Confirmed struct {
	Kind string `json:"kind"` // "mcp", "hooks", "lsp", "format" or "agent"
	Name string `json:"name"` // unique in its kind
	Sum  string `json:"sha256"`
}

// ProjectOf returns the file for the workspace dir below the state directory.
func ProjectOf(state, dir string) (ProjectFile, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return ProjectFile{}, fmt.Errorf("find the permissions of this project: %w", err)
	}
	sum := sha256.Sum256([]byte(real))
	return ProjectFile{Path: filepath.Join(state, "projects", hex.EncodeToString(sum[:16])+".json"), workspace: real}, nil
}

// Read returns the permissions of the project. There are none if the file is missing or
// the error is not nil.
func (f ProjectFile) Read() (Project, error) {
	b, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return Project{}, nil
	}
	var p Project
	if err == nil {
		p, err = f.decode(b)
	}
	if err != nil {
		return Project{}, fmt.Errorf("read the permissions of this project: %w. None of them applies. Correct or delete the file", err)
	}
	return p, nil
}

// Remember adds a standing permission, or replaces the one of the same scope.
func (f ProjectFile) Remember(g standing.Grant) error {
	g.Seal = "" // it belongs to a session
	return f.change(func(p *Project) {
		p.Grants = append(without(p.Grants, g), g)
	})
}

// Forget removes the standing permission of the same scope as g.
func (f ProjectFile) Forget(g standing.Grant) error {
	return f.change(func(p *Project) {
		p.Grants = without(p.Grants, g)
	})
}

// ForgetRule removes the rules that are equal to r in action, kind and pattern.
func (f ProjectFile) ForgetRule(r rule.Rule) error {
	return f.change(func(p *Project) {
		list := p.Permissions.list(r.Action)
		*list = slices.DeleteFunc(*list, func(old Rule) bool {
			parsed, err := rule.Parse(r.Action, old.Text)
			return err == nil && parsed.Kind == r.Kind && parsed.Pattern == r.Pattern
		})
	})
}

// Confirm adds c, and replaces an earlier confirmation with its kind and name.
func (f ProjectFile) Confirm(c Confirmed) error {
	return f.change(func(p *Project) {
		p.Confirmed = append(withoutConfirmed(p.Confirmed, c), c)
	})
}

// Revoke removes the confirmation with the kind and name of c.
func (f ProjectFile) Revoke(c Confirmed) error {
	return f.change(func(p *Project) { p.Confirmed = withoutConfirmed(p.Confirmed, c) })
}

func withoutConfirmed(all []Confirmed, c Confirmed) []Confirmed {
	return slices.DeleteFunc(all, func(old Confirmed) bool { return old.Kind == c.Kind && old.Name == c.Name })
}

func without(all []standing.Grant, g standing.Grant) []standing.Grant {
	return slices.DeleteFunc(all, func(old standing.Grant) bool { return old.Scope == g.Scope })
}

// change changes the content of the file. It never replaces a file that it cannot read.
func (f ProjectFile) change(do func(*Project)) error {
	err := history.Exclusive(f.Path, func() error {
		p := Project{Workspace: f.workspace}
		b, err := f.read()
		if err == nil {
			p, err = f.decode(b)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		do(&p)
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(p); err != nil {
			return err
		}
		return history.Replace(f.Path, out.Bytes(), true)
	})
	if err != nil {
		return fmt.Errorf("change the permissions of this project: %w", err)
	}
	return nil
}

func (f ProjectFile) read() ([]byte, error) { return readOwned(f.Path, os.Geteuid(), f.Path) }

// decode returns the content b of the file.
func (f ProjectFile) decode(b []byte) (Project, error) {
	var p Project
	lines, err := decode(f.Path, b, &p)
	if err != nil {
		return p, err
	}
	if p.Workspace != f.workspace {
		return p, fmt.Errorf("%s is for the workspace %q, not for %q", f.Path, p.Workspace, f.workspace)
	}
	p.Rules, err = p.Permissions.Rules(f.Path, lines)
	return p, err
}
