package tools

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"

	"agent/internal/tools/edit"
)

//go:embed patch.md
var patchText string

// maxTitled is how many files of a patch its title names.
const maxTitled = 3

type patchArgs struct {
	Patch string `json:"patch" jsonschema:"the whole patch, from *** Begin Patch to *** End Patch"`
}

func (w *Workspace) patchTool(known *Ledger) Tool {
	return New("patch", patchText, func(ctx context.Context, a patchArgs) (Call, error) {
		actions, err := edit.ParsePatch(a.Patch)
		if err != nil {
			return Call{}, fmt.Errorf("%w (nothing was changed)", err)
		}
		d := drafts{w: w, known: known}
		for _, action := range actions {
			err := d.act(ctx, action)
			if ctx.Err() != nil {
				return Call{}, ctx.Err()
			}
			if err != nil {
				return Call{}, fmt.Errorf("%s %s: %w (nothing was changed)", verbOf(action), action.Path, err)
			}
		}
		return d.call("patch", maxTitled)
	})
}

func verbOf(a edit.FileAction) string {
	switch a.Kind {
	case edit.Add:
		return "add"
	case edit.Delete:
		return "delete"
	}
	return "update"
}

// act makes one action of a patch in the drafts.
func (d *drafts) act(ctx context.Context, a edit.FileAction) error {
	if a.Kind == edit.Add {
		f, err := d.open(a.Path)
		if err != nil {
			return err
		}
		return d.add(f, a.Content)
	}
	f, err := d.existing(a.Path)
	if err != nil {
		return err
	}
	if a.Kind == edit.Delete {
		return d.remove(f, a.Path)
	}
	if len(a.Hunks) > 0 {
		r, err := edit.ApplyHunks(ctx, f.after, a.Hunks)
		if err != nil {
			return err
		}
		f.after = r.After
		if r.Fit != edit.Exact {
			f.notes = append(f.notes, r.Fit.String())
		}
	}
	if a.MoveTo == "" {
		return nil
	}
	return d.move(f, a)
}

// add makes f a file of this content, whatever it was before.
func (d *drafts) add(f *draft, content []byte) error {
	if f.after != nil {
		d.warn = append(d.warn, f.path+" exists: it will be overwritten")
	}
	return d.overwrite(f, content)
}

// remove takes a file away. A link to it would be left pointing nowhere.
func (d *drafts) remove(f *draft, name string) error {
	if rel, err := d.w.relative(name); err == nil {
		if info, err := d.w.root.Lstat(rel); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link to %s: name that file, or use a command in the shell to remove the link", name, f.path)
		}
	}
	f.after = nil
	return nil
}

func (d *drafts) move(f *draft, a edit.FileAction) error {
	to, err := d.open(a.MoveTo)
	if err != nil {
		return err
	}
	if to == f {
		return fmt.Errorf("%s is the file itself: leave the move out", a.MoveTo)
	}
	if err := d.add(to, f.after); err != nil {
		return err
	}
	to.like, to.notes, f.notes, f.movedTo = f.like, f.notes, nil, to.path
	return d.remove(f, a.Path)
}
