package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"agent/internal/tools/edit"
	"agent/internal/tools/workspace"
)

//go:embed edit.md
var editText string

type editArgs struct {
	Path       string    `json:"path,omitempty" jsonschema:"the file to change, relative to the working directory"`
	Old        *string   `json:"old,omitempty" jsonschema:"the text to replace, exactly as it is in the file, without line numbers; empty only for a file that is new or empty"`
	New        *string   `json:"new,omitempty" jsonschema:"the text to put in its place"`
	ReplaceAll bool      `json:"replace_all,omitempty" jsonschema:"replace every occurrence instead of exactly one"`
	Edits      []oneEdit `json:"edits,omitempty" jsonschema:"several edits instead of old and new, made in this order, all or none"`
}

type oneEdit struct {
	Path       string `json:"path,omitempty" jsonschema:"the file to change, if it is not the path of the call"`
	Old        string `json:"old" jsonschema:"as for one edit"`
	New        string `json:"new" jsonschema:"as for one edit"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"as for one edit"`
}

// list returns the edits of a call, each with its path.
func (a editArgs) list() ([]oneEdit, error) {
	one := a.ReplaceAll || a.Old != nil && *a.Old != "" || a.New != nil && *a.New != ""
	switch {
	case one && len(a.Edits) > 0:
		return nil, errors.New("give either old and new or edits, not both: put every edit into edits, with its own replace_all")
	case len(a.Edits) > 0:
	case a.Old == nil && a.New == nil:
		return nil, errors.New("there is nothing to edit: give old and new for one edit, or edits for several")
	case a.Old == nil:
		return nil, errors.New("old is missing: give the text to replace, or an empty one for a file that is new or empty")
	case a.New == nil:
		return nil, errors.New("new is missing: give the text to put in the place of old, or an empty one to delete it")
	default:
		a.Edits = []oneEdit{{Old: *a.Old, New: *a.New, ReplaceAll: a.ReplaceAll}}
	}
	out := make([]oneEdit, len(a.Edits))
	for i, e := range a.Edits {
		if e.Path == "" {
			e.Path = a.Path
		}
		if e.Path == "" {
			return nil, errors.New("path is missing: give the file to change, once for the call or in each of edits")
		}
		out[i] = e
	}
	return out, nil
}

func editTool(w *workspace.Workspace, known *workspace.Ledger) Tool {
	return New("edit", editText, func(ctx context.Context, a editArgs) (Call, error) {
		edits, err := a.list()
		if err != nil {
			return Call{}, err
		}
		t := w.Begin(known)
		places := map[*workspace.Draft]*placed{}
		for i, e := range edits {
			d, r, err := applyEdit(ctx, t, e)
			if ctx.Err() != nil {
				return Call{}, ctx.Err()
			}
			if err != nil && len(edits) > 1 {
				err = fmt.Errorf("%w (edit %d of %d; none of them was made)", err, i+1, len(edits))
			}
			if err != nil {
				return Call{}, err
			}
			if places[d] == nil {
				places[d] = &placed{}
			}
			places[d].add(e, r)
		}
		for d, p := range places {
			d.Notes = p.notes()
		}
		return changeCall(t, "edit", 1)
	})
}

// applyEdit makes one edit in its draft.
func applyEdit(ctx context.Context, t *workspace.Transaction, e oneEdit) (*workspace.Draft, edit.Result, error) {
	open := t.OpenExisting
	if e.Old == "" {
		open = t.Open
	}
	d, err := open(e.Path)
	if err != nil {
		return nil, edit.Result{}, err
	}
	r, err := edit.Replace(ctx, d.After, []byte(e.Old), []byte(e.New), e.ReplaceAll)
	if err != nil {
		return nil, r, fmt.Errorf("edit %s: %w", d.Path, err)
	}
	d.After = r.After
	return d, r, nil
}

// placed is where edits of one file were made, and how they fitted.
type placed struct {
	lines []int
	edits int
	fits  []edit.Fit
}

func (p *placed) add(e oneEdit, r edit.Result) {
	if e.Old == "" {
		return
	}
	p.edits++
	p.lines = append(p.lines, r.Lines...)
	if r.Fit != edit.Exact && !slices.Contains(p.fits, r.Fit) {
		p.fits = append(p.fits, r.Fit)
	}
}

// notes tell the model where its edits were made, and which did not fit exactly.
func (p *placed) notes() []string {
	var out []string
	switch {
	case len(p.lines) == 1:
		out = append(out, fmt.Sprintf("Replaced 1 place, on line %d.", p.lines[0]))
	case p.edits == 1:
		out = append(out, fmt.Sprintf("Replaced %d places, the first on line %d.", len(p.lines), p.lines[0]))
	case p.edits > 1:
		out = append(out, fmt.Sprintf("Replaced %d places.", len(p.lines)))
	}
	for _, f := range p.fits {
		out = append(out, f.String())
	}
	return out
}
